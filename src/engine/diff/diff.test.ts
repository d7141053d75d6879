import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Application, annotation, defaultSettings, type KubeObject } from '#model';
import { printJson } from '#std';
import { cases } from '../../../test/cases.ts';
import { defaultTracking } from '../tracking.ts';
import { type DiffOptions, diff } from './diff.ts';
import type { FieldDifference } from './fields.ts';
import { ignoreRules, respectIgnored } from './ignore.ts';

type Settings = Parameters<typeof ignoreRules>[1] &
  Pick<DiffOptions, 'ignoreAggregatedRoles' | 'sensitiveAnnotations'>;
type Given = {
  app?: Partial<Application['spec']>;
  settings?: Partial<Settings>;
  lastApplied?: KubeObject;
};
type Wanted = { modified: boolean; fields: FieldDifference[]; warnings?: string[] };

const defaults: Settings = defaultSettings.resources;

function optionsOf({ app, settings }: Given = {}): DiffOptions {
  const spec = { destination: { server: 'https://cluster.example' }, ...app };
  const application: Application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'app' },
    spec,
  };
  const all = { ...defaults, ...settings };
  return {
    tracking: defaultTracking,
    rules: ignoreRules(application, all),
    ignoreAggregatedRoles: all.ignoreAggregatedRoles,
    sensitiveAnnotations: all.sensitiveAnnotations,
    serverSideApply: spec.syncPolicy?.syncOptions?.includes('ServerSideApply=true') ?? false,
  };
}

function remembering(live: KubeObject, { lastApplied }: Given): KubeObject {
  if (!lastApplied) return live;
  const annotations = { ...live.metadata.annotations, [annotation.lastApplied]: printJson(lastApplied) };
  return { ...live, metadata: { ...live.metadata, annotations } };
}

test.each(cases<Wanted>(new URL('./testdata/', import.meta.url)))('$name', ({ input, expect: wanted }) => {
  const [target, live, given] = input as [KubeObject | null, KubeObject | null, Given];
  const options = optionsOf(given);
  const result = diff(
    { target: target ?? undefined, live: live ? remembering(live, given) : undefined },
    options,
  );
  const { warnings = [], ...rest } = wanted;
  expect({ modified: result.modified, fields: result.fields }).toEqual(rest);
  expect(options.rules.warnings).toEqual(warnings);
});

const name = fc.stringMatching(/^[a-z]{1,8}$/);
const leaf = fc.oneof(fc.string(), fc.integer(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }), fc.boolean());
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(name, tie('node'), { maxKeys: 4 }),
  ),
})).node;
const kinds = fc.constantFrom(
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['example.com/v1', 'Thing'],
  ['serving.knative.dev/v1', 'Service'],
);

test('an object never differs from itself', () => {
  const options = optionsOf();
  fc.assert(
    fc.property(kinds, name, fc.dictionary(name, tree), ([apiVersion = '', kind = ''], id, spec) => {
      const body = kind === 'ConfigMap' || kind === 'Secret' ? { data: { [id]: 'eA==' } } : { spec };
      const object = { apiVersion, kind, metadata: { name: id, namespace: 'd' }, ...body } as KubeObject;
      expect(diff({ target: object, live: object }, options)).toMatchObject({ modified: false, fields: [] });
    }),
  );
});

test('nothing in a diff of Secrets holds a value of theirs', () => {
  const options = optionsOf();
  const value = fc.stringMatching(/^[A-Za-z0-9]{12,20}$/);
  fc.assert(
    fc.property(fc.array(value, { minLength: 4, maxLength: 4 }), ([a = '', b = '', c = '', d = '']) => {
      const secret = (data: object): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        ...data,
      });
      const live = remembering(secret({ data: { x: b } }), {
        lastApplied: secret({ stringData: { x: c }, data: { y: d } }),
      });
      const shown = printJson(diff({ target: secret({ stringData: { x: a } }), live }, options));
      for (const held of [a, b, c, d]) expect(shown).not.toContain(held);
    }),
  );
});

test('a diff does not change what it compares', () => {
  const target = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { a: 'b' },
  } as KubeObject;
  const live = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    data: { a: 'Yg==' },
  } as KubeObject;
  const before = printJson([target, live]);
  diff({ target, live }, optionsOf());
  expect(printJson([target, live])).toBe(before);
});

test('RespectIgnoreDifferences copies what is ignored from the live object (D-30)', () => {
  const thing = (spec: object, status = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 't' },
    spec,
    status,
  });
  const { rules } = optionsOf({
    app: {
      ignoreDifferences: [
        { kind: 'Thing', jsonPointers: ['/spec/replicas', '/spec/gone', '/spec/new/deep', '/spec/list/0/v'] },
      ],
    },
  });
  const target = thing({ replicas: 1, gone: true, list: [{ v: 1, w: 1 }], other: 'git' });
  const live = thing(
    { replicas: 5, new: { deep: 'x' }, list: [{ v: 9, w: 9 }], other: 'live' },
    { phase: 'Live' },
  );
  expect(respectIgnored(target, live, rules).spec).toEqual({
    replicas: 5,
    new: { deep: 'x' },
    list: [{ v: 9, w: 1 }],
    other: 'git',
  });
  expect(respectIgnored(target, live, rules).status).toEqual({});
});
