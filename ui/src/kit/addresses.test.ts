import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('no address of the page is written past the root path of the site', () => {
  const folder = join(import.meta.dirname, '..');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.tsx'),
  );
  expect(files.length).toBeGreaterThan(50);
  const found = files.filter((file) =>
    /\b(?:href|src|action)="\//.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(found).toEqual([]);
});
