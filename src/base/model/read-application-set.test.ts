import { expect, test } from 'vitest';
import { readApplicationSet } from './read-application-set.ts';

const object = (spec: unknown) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'set' },
  spec,
});

test('a set that is well formed is the very same object', () => {
  const set = object({
    generators: [{ matrix: { generators: [{ list: { elements: [{ a: 1 }] } }, { clusters: {} }] } }],
    template: { metadata: { name: 'x' } },
  });
  expect(readApplicationSet(set)).toBe(set);
});

test('nulls are left out, and a missing spec is an empty one', () => {
  expect(readApplicationSet(object({ generators: null, template: { spec: null } })).spec).toEqual({
    generators: [],
    template: {},
  });
  expect(readApplicationSet(object(undefined)).spec).toEqual({ generators: [], template: {} });
  expect(readApplicationSet(object(undefined)).unreadable).toBeUndefined();
});

test('a field of another type is named with its path, also inside nested generators', () => {
  const inner = { merge: { generators: [{ git: { repoURL: 1, directories: [{ path: 2 }] } }] } };
  const spec = {
    generators: [{ matrix: { generators: [inner] } }, { list: { elements: ['x'] } }],
    template: { metadata: { labels: { a: 1 } } },
    goTemplate: 'yes',
  };
  expect(readApplicationSet(object(spec)).unreadable).toEqual([
    'spec.generators[0].matrix.generators[0].merge.generators[0].git.repoURL must be text, not a number',
    'spec.generators[0].matrix.generators[0].merge.generators[0].git.directories[0].path must be text, not a number',
    'spec.generators[1].list.elements[0] must be an object, not text',
    'spec.template.metadata.labels.a must be text, not a number',
    'spec.goTemplate must be true or false, not text',
  ]);
});
