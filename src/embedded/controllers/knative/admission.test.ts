import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { cases } from '../../../../test/cases.ts';
import { admitKnative } from './admission.ts';

type Expected = { error?: string; annotations?: Record<string, string>; spec?: unknown };

test.each(cases<Expected>(new URL('./testdata/admission/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const [object, live] = input as KubeObject[];
    const admit = () => admitKnative({ object: object as KubeObject, live, user: 'alice' });
    if (wanted.error !== undefined) {
      expect(admit).toThrow(expect.objectContaining({ message: wanted.error }));
      return;
    }
    const { metadata, spec } = admit();
    expect({ annotations: metadata.annotations, spec }).toEqual(wanted);
  },
);

test('what was admitted once is admitted unchanged', () => {
  const object = {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'hello', namespace: 'demo' },
    spec: {
      template: { spec: { containers: [{ image: 'a/b', startupProbe: { httpGet: { path: '/' } } }] } },
    },
  };
  const once = admitKnative({ object, user: 'alice' });
  expect(admitKnative({ object: once, live: once, user: 'bob' })).toEqual(once);
});

test('a revision keeps its spec for life', () => {
  const live = {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Revision',
    metadata: { name: 'r' },
    spec: { containers: [{ image: 'a' }], timeoutSeconds: 300 },
  };
  const object = { ...live, spec: { ...live.spec, timeoutSeconds: 10 } };
  expect(() => admitKnative({ object, live, user: 'alice' })).toThrow(
    'Immutable fields changed (-old +new): spec\n*{v1.RevisionSpec}.TimeoutSeconds:\n\t-: "300"\n\t+: "10"\n',
  );
});

test('objects of other groups pass', () => {
  const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: {} };
  expect(admitKnative({ object, user: 'alice' })).toBe(object);
});
