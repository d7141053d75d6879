import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { branchSlug } from './branch-slug.ts';

const recorded: [text: string, slug: string][] = JSON.parse(
  readFileSync(new URL('./testdata/go-slug.json', import.meta.url), 'utf8'),
);

test.each(recorded)('the slug of %j is the one Argo CD makes (ASP-2, AST-8)', (text, wanted) => {
  expect(branchSlug(text)).toBe(wanted);
});

test('letters of scripts that are not transliterated are dashes', () => {
  expect(branchSlug('feature/中文-1')).toBe('feature-1');
});
