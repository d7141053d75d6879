import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { cases } from '../../../test/cases.ts';
import { affectedBy, mayHaveChanges, pathsChanged } from './webhook.ts';

/** Enough of ranges for these cases; the program brings its own reader. */
const satisfies = (version: string, range: string): boolean =>
  range.endsWith('.x') && version.startsWith(range.slice(0, -1));

test.each(cases<boolean>(new URL('./testdata/webhook/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    expect(affectedBy(input[0].app, input[0].push, { satisfies })).toBe(wanted);
  },
);

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', annotations: { 'argocd.argoproj.io/manifest-generate-paths': '.' } },
  spec: { destination: {} },
};
const source = { repoURL: 'https://git.example/a', path: 'web' };

test('a URL that is none matches nothing, not even itself (R-11)', () => {
  const push = { webUrl: 'nonsense', revision: 'main', touchedHead: true, changedFiles: [] };
  const odd = { ...app, spec: { ...app.spec, source: { repoURL: 'nonsense', path: '.' } } };
  expect(affectedBy(odd, push)).toBe(false);
});

test('a range nobody can read matches nothing (R-11)', () => {
  const ranged = { ...app, spec: { ...app.spec, source: { ...source, targetRevision: '1.x' } } };
  const push = { webUrl: source.repoURL, revision: '1.4.0', touchedHead: false, changedFiles: [] };
  expect(affectedBy(ranged, push)).toBe(false);
});

test('a new revision without changes in the listed paths cannot differ (R-12, MGP-2, vector 15)', () => {
  expect(mayHaveChanges(app, [{ source, changedFiles: ['docs/a.md'] }])).toBe(false);
  expect(mayHaveChanges(app, [{ source, changedFiles: [] }])).toBe(false);
  expect(mayHaveChanges(app, [{ source, changedFiles: ['web/a.yaml'] }])).toBe(true);
});

test('without the annotation, or from a shallow clone, it may (R-12, MGP-3)', () => {
  const plain = { ...app, metadata: { name: 'app' } };
  expect(mayHaveChanges(plain, [{ source, changedFiles: ['docs/a.md'] }])).toBe(true);
  expect(mayHaveChanges(app, [{ source, changedFiles: ['docs/a.md'], shallow: true }])).toBe(true);
});

test('names may begin with a slash or a dot (R-12, MGP-1)', () => {
  expect(pathsChanged(['/a/b'], ['a/b/c'])).toBe(true);
  expect(pathsChanged(['a/b/'], ['./a/b'])).toBe(true);
});
