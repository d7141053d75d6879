import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Application, annotation, defaultSettings, type KubeObject } from '#base/model';
import { FairleadError, printJson } from '#base/std';
import { applyServerSide } from '#kubernetes/patch';
import { findType, type JsonObject } from '#kubernetes/schema';
import { defaultTracking } from '../tracking.ts';
import { type DiffOptions, diff } from './diff.ts';
import { fieldManager } from './field-manager.ts';
import { ignoreRules } from './ignore.ts';
import { knownTypes } from './known-types.ts';

const settings = defaultSettings.resources;

function optionsFor(pointers: readonly string[] = [], serverSideApply = false): DiffOptions {
  const app: Application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'app' },
    spec: {
      destination: { server: 'https://cluster.example' },
      ignoreDifferences: [{ group: '*', kind: '*', jsonPointers: [...pointers] }],
    },
  };
  return {
    tracking: defaultTracking,
    rules: ignoreRules(app, settings),
    knownTypes: knownTypes({}),
    ignoreAggregatedRoles: false,
    sensitiveAnnotations: ['token'],
    serverSideApply,
  };
}

/** The same options with a rule that takes nothing out, but might: nothing is decided at first sight any more. */
const thorough = (options: DiffOptions): DiffOptions => {
  const nothing = { removals: [], managers: [], paths: [], warnings: [], hints: [] };
  const rule = { group: '*', kind: '*', ...nothing, isPlain: false, isOwn: true };
  return { ...options, rules: { ...options.rules, rules: [...options.rules.rules, rule] } };
};

const word = fc.constantFrom('a', 'b', 'c', 'd');
const leaf = fc.oneof(word, fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constant(2n ** 60n));
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(word, tie('node'), { maxKeys: 3 }),
  ),
})).node;
const things = fc
  .dictionary(word, tree, { maxKeys: 4 })
  .map((spec): KubeObject => ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: meta, spec }));
const meta = { name: 'x', namespace: 'd' };
const maps = fc
  .dictionary(word, word, { minKeys: 1 })
  .map((data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: meta, data }) as KubeObject);
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const quantity = fc.constantFrom('1', '1000m', '1Gi', '1073741824', '0.5', '500m');
const container = (name: string) =>
  fc.record(
    {
      name: fc.constant(name),
      image: word,
      // what is declared empty counts as not declared (D-4), and would only blur what is tested here
      args: fc.array(word, { minLength: 1, maxLength: 2 }),
      env: fc
        .uniqueArray(word, { minLength: 1, maxLength: 2 })
        .map((names) => names.map((one) => ({ name: one, value: one }))),
      ports: fc
        .subarray([80, 81], { minLength: 1 })
        .map((ports) => ports.map((containerPort) => ({ containerPort }))),
      resources: fc.record({
        limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), quantity, { minKeys: 1 }),
      }),
      imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
    },
    { requiredKeys: ['name', 'image'] },
  );
const containers = fc
  .subarray(['a', 'b', 'c'], { minLength: 1 })
  .chain((names) => fc.tuple(...names.map(container)));
const deployments = fc
  .record({
    replicas: optional(fc.integer({ min: 0, max: 2 })),
    labels: fc.dictionary(word, word, { maxKeys: 2 }),
    strategy: optional(fc.constantFrom({ type: 'Recreate' }, { type: 'RollingUpdate' })),
    containers,
  })
  .map(
    ({ replicas, labels, strategy, containers: list }) =>
      ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { ...meta, ...(Object.keys(labels).length > 0 && { labels }) },
        spec: {
          ...(replicas !== undefined && { replicas }),
          ...(strategy && { strategy }),
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: list } },
        },
      }) as KubeObject,
  );
const sameKind = fc.oneof(
  fc.tuple(things, things, things),
  fc.tuple(maps, maps, maps),
  fc.tuple(deployments, deployments, deployments),
);

/** What a cluster may hold: the target, or something else, or a mixture, and what it remembers of the last apply. */
const pairs = fc
  .record({
    objects: sameKind,
    how: fc.constantFrom('same', 'more', 'other'),
    memory: fc.constantFrom(0, 1, 2),
  })
  .map(({ objects: [target, other, last], how, memory }) => {
    const live = how === 'same' ? target : how === 'more' ? over(other, target) : other;
    const applied = [undefined, target, last][memory];
    return { target, live: applied ? remembering(live, applied) : live };
  });

function over(base: unknown, top: unknown): KubeObject {
  return merged(base, top) as KubeObject;
}

function merged(base: unknown, top: unknown): unknown {
  if (!isPlain(base) || !isPlain(top)) return top;
  const names = new Set([...Object.keys(base), ...Object.keys(top)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in top ? merged(base[name], top[name]) : base[name]]),
  );
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function remembering(live: KubeObject, applied: KubeObject): KubeObject {
  const annotations = { ...live.metadata.annotations, [annotation.lastApplied]: printJson(applied) };
  return { ...live, metadata: { ...live.metadata, annotations } };
}

test('what is found unchanged at first sight is unchanged at second', () => {
  fc.assert(
    fc.property(pairs, fc.boolean(), (pair, serverSide) => {
      const options = optionsFor([], serverSide);
      const [quick, slow] = [diff(pair, options), diff(pair, thorough(options))];
      expect(quick.modified).toBe(slow.modified);
      expect(quick.fields).toEqual(slow.fields);
    }),
    { numRuns: 1000 },
  );
});

test('what is applied is not a difference any more', () => {
  fc.assert(
    fc.property(pairs, (pair) => {
      const options = optionsFor();
      const { predictedLive } = diff(pair, options);
      const after = remembering(predictedLive ?? pair.live, pair.target);
      expect(diff({ target: pair.target, live: after }, thorough(options)).fields).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('what the server has merged is not a difference any more', () => {
  const type = findType({ group: 'apps', version: 'v1', kind: 'Deployment' });
  if (!type) throw new Error('no Deployment');
  fc.assert(
    fc.property(deployments, deployments, (target, live) => {
      const options = optionsFor([], true);
      const merge = { manager: fieldManager, time: '2026-01-01T00:00:00Z', type, force: true };
      const result = applyServerSide(live as unknown as JsonObject, target as unknown as JsonObject, merge);
      const after = (result.outcome === 'applied' ? result.object : live) as unknown as KubeObject;
      expect(diff({ target, live: after }, thorough(options)).fields).toEqual([]);
      expect(diff({ target, live: after, dryRun: after }, options).fields).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('an ignore rule never adds a difference (D-11)', () => {
  // not all of the metadata: without the memory of the last apply there is less to compare with
  const pointer = fc.constantFrom(
    ...['/spec', '/spec/a', '/spec/b/a', '/spec/template/spec', '/spec/replicas', '/spec/strategy'],
    ...['/data', '/data/a', '/metadata/labels', '/metadata/labels/a'],
  );
  fc.assert(
    fc.property(pairs, fc.array(pointer, { maxLength: 3 }), (pair, pointers) => {
      const before = diff(pair, thorough(optionsFor()));
      const after = diff(pair, thorough(optionsFor(pointers)));
      const paths = before.fields.map(({ path }) => path);
      for (const { path } of after.fields) {
        // what lay below a removed field may now be told by the field itself
        expect(
          paths.some(
            (known) => known === path || known.startsWith(`${path}/`) || path.startsWith(`${known}/`),
          ),
        ).toBe(true);
      }
      expect(before.modified || !after.modified).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('an object never differs from itself, whatever is done to both', () => {
  fc.assert(
    fc.property(fc.oneof(things, maps, deployments), fc.boolean(), (object, serverSide) => {
      const options = thorough(optionsFor(['/spec/a/0', '/data/a'], serverSide));
      expect(diff({ target: object, live: object }, options)).toMatchObject({ modified: false, fields: [] });
    }),
  );
});

test('nothing that comes of Secrets holds a value of theirs (D-32, D-33)', () => {
  const value = fc.stringMatching(/^[A-Za-z0-9]{12,20}$/);
  const secret = (data: object, annotations = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', annotations },
    ...data,
  });
  const entry = {
    manager: fieldManager,
    operation: 'Apply',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
  } as const;
  const withOwner = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, managedFields: [{ ...entry, fieldsV1: { 'f:data': { 'f:x': {} } } }] },
  });
  fc.assert(
    fc.property(fc.array(value, { minLength: 6, maxLength: 6 }), fc.boolean(), (held, serverSide) => {
      const [a = '', b = '', c = '', d = '', e = '', f = ''] = held;
      const options = optionsFor([], serverSide);
      const live = withOwner(
        remembering(
          secret({ data: { x: b } }, { token: e }),
          secret({ stringData: { x: c }, data: { y: d } }, { token: f }),
        ),
      );
      const target = secret({ stringData: { x: a } }, { token: f });
      const shown = [
        diff({ target, live }, options),
        diff({ target: live, live: live }, options),
        diff({ target }, options),
        diff({ live }, options),
        diff({ target, live, dryRun: withOwner(secret({ data: { x: f } }, { token: e })) }, options),
        refusalOf(() => diff({ target, live, dryRun: new FairleadError('InvalidSpec', `no ${a}`) }, options)),
      ];
      for (const one of held) expect(printJson(shown)).not.toContain(one);
    }),
  );
});

function refusalOf(call: () => unknown): string {
  try {
    call();
    return '';
  } catch (thrown) {
    return FairleadError.from(thrown).message;
  }
}
