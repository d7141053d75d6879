import { expect, test } from 'vitest';
import type { Application, ApplicationSpec } from '#base/model';
import { normalizeSpec } from './normalize-spec.ts';

const destination = { server: 'https://kubernetes.default.svc' };
const source = { repoURL: 'https://git.example/a', path: '.' };
const app = (spec: Partial<ApplicationSpec>): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { destination, source, ...spec },
});
const after = (spec: Partial<ApplicationSpec>) => normalizeSpec(app(spec)).spec;

test('what is normal is the same object', () => {
  const normal = app({ project: 'a', syncPolicy: { automated: {} } });
  expect(normalizeSpec(normal)).toBe(normal);
});

test('no project is the default one (A-17)', () => {
  expect(after({}).project).toBe('default');
  expect(after({ project: '' }).project).toBe('default');
});

test('a sync policy that says nothing goes; automation switched on by its mere presence, and a retry, stay (A-16, A-17)', () => {
  expect(after({ syncPolicy: {} })).not.toHaveProperty('syncPolicy');
  expect(after({ syncPolicy: { syncOptions: [] } })).not.toHaveProperty('syncPolicy');
  expect(after({ syncPolicy: { automated: {} } }).syncPolicy).toEqual({ automated: {} });
  expect(after({ syncPolicy: { retry: {} } }).syncPolicy).toEqual({ retry: {} });
});

test('empty blocks of a source go; a directory that only includes or excludes is kept (A-17)', () => {
  expect(
    after({ source: { ...source, helm: {}, kustomize: { images: [] }, directory: { recurse: false } } })
      .source,
  ).toEqual(source);
  const directory = { include: '*.yaml' };
  expect(after({ source: { ...source, directory } }).source).toEqual({ ...source, directory });
});

test('each of several sources is tidied, and one beside them is left as it is', () => {
  const { sources, source: single } = after({
    source: { ...source, helm: {} },
    sources: [
      { ...source, helm: {} },
      { ...source, helm: { releaseName: 'a' } },
    ],
  });
  expect(sources).toEqual([source, { ...source, helm: { releaseName: 'a' } }]);
  expect(single).toEqual({ ...source, helm: {} });
});

test('without a spec there is nothing to tidy', () => {
  const bare = { ...app({}), spec: undefined } as unknown as Application;
  expect(normalizeSpec(bare)).toBe(bare);
});
