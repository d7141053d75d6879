import { expect, test } from 'vitest';
import { normalizeBuiltin } from './normalize.ts';
import { findNamedType, findType } from './resources.ts';
import { roundTrip } from './round-trip.ts';
import { validateStrict } from './strict.ts';
import type { JsonObject, StructType } from './type-node.ts';

const typeOf = (group: string, kind: string): StructType =>
  findType({ group, version: 'v1', kind }) as StructType;

test('structs held by value are printed even when nobody wrote them', () => {
  const printed = roundTrip({ apiVersion: 'apps/v1', kind: 'Deployment' }, typeOf('apps', 'Deployment'));
  expect(printed).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {},
    spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
    status: {},
  });
});

test('empty optional values are left out, zeros behind pointers stay', () => {
  const spec = { replicas: 0, paused: false, minReadySeconds: 0, revisionHistoryLimit: null };
  const printed: any = roundTrip(
    { spec, metadata: { labels: {}, finalizers: [] } },
    typeOf('apps', 'Deployment'),
  );
  expect(printed.metadata).toEqual({});
  expect(printed.spec.replicas).toBe(0);
  expect(Object.keys(printed.spec).sort()).toEqual(['replicas', 'selector', 'strategy', 'template']);
});

test('invariant 4: what is unknown is dropped, and nothing else', () => {
  const object = {
    spec: { replicas: 1, bogus: 1, template: { spec: { containers: [{ name: 'a', bogus: {} }] } } },
  };
  const type = typeOf('apps', 'Deployment');
  const printed = roundTrip(object, type);
  expect(validateStrict(object, type).map(({ path }) => path)).toEqual([
    'spec.bogus',
    'spec.template.spec.containers[0].bogus',
  ]);
  expect(validateStrict(printed, type)).toEqual([]);
  expect(JSON.stringify(printed)).not.toContain('bogus');
});

test('times are printed in UTC, quantities canonically', () => {
  const printed: any = roundTrip(
    {
      metadata: { creationTimestamp: '2024-01-01T01:30:00.5+01:30' },
      spec: { hard: { cpu: '1000m', memory: '1024Mi' } },
    },
    typeOf('', 'ResourceQuota'),
  );
  expect(printed.metadata.creationTimestamp).toBe('2024-01-01T00:00:00Z');
  expect(printed.spec.hard).toEqual({ cpu: '1', memory: '1Gi' });
  const lease: any = roundTrip(
    { spec: { renewTime: '2024-01-01T00:00:00.1Z' } },
    typeOf('coordination.k8s.io', 'Lease'),
  );
  expect(lease.spec.renewTime).toBe('2024-01-01T00:00:00.100000Z');
});

test('a quantity that must be printed is printed as zero', () => {
  const env = { name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } };
  const type = findNamedType('core/v1/EnvVar') as StructType;
  expect(roundTrip(env, type)).toEqual({
    name: 'A',
    valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } },
  });
});

test('null items of lists and null values of maps become zero values', () => {
  const printed: any = roundTrip({ data: { a: null, b: 'x' } }, typeOf('', 'ConfigMap'));
  expect(printed.data).toEqual({ a: '', b: 'x' });
  const pod: any = roundTrip({ spec: { containers: [null] } }, typeOf('', 'Pod'));
  expect(pod.spec.containers).toEqual([{ name: '', resources: {} }]);
});

test('mistyped values and impossible times are left for others to refuse', () => {
  const printed: any = roundTrip(
    {
      metadata: { creationTimestamp: '2024-13-45T00:00:00Z', labels: 'none' },
      spec: { replicas: 'x', template: [] },
    },
    typeOf('apps', 'Deployment'),
  );
  expect(printed.metadata).toEqual({ creationTimestamp: '2024-13-45T00:00:00Z', labels: 'none' });
  expect(printed.spec).toMatchObject({ replicas: 'x', template: [] });
});

test('integers beyond 2^53 pass through', () => {
  const pod: any = roundTrip(
    { spec: { containers: [], activeDeadlineSeconds: 2n ** 62n } },
    typeOf('', 'Pod'),
  );
  expect(pod.spec.activeDeadlineSeconds).toBe(2n ** 62n);
});

test('compat D-4: normalising keeps the keys that came and changes only their spelling', () => {
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x', labels: {} },
    spec: {
      template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1000m' } }, env: [] }] } },
    },
  };
  expect(normalizeBuiltin(object)).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
    spec: { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] } } },
  });
});

test('compat D-4: an object with an unknown field, or of an unknown kind, is left as it is', () => {
  const limits = { cpu: '1000m' };
  const spec = { bogus: 1, template: { spec: { containers: [{ name: 'a', resources: { limits } }] } } };
  const unknownField: JsonObject = { apiVersion: 'apps/v1', kind: 'Deployment', spec };
  expect(normalizeBuiltin(unknownField)).toBe(unknownField);
  const unknownKind: JsonObject = { apiVersion: 'ex.io/v1', kind: 'Foo', spec };
  expect(normalizeBuiltin(unknownKind)).toBe(unknownKind);
  const nameless: JsonObject = {};
  expect(normalizeBuiltin(nameless)).toBe(nameless);
});

test('an object that is canonical comes back itself, and of any other only what changes is copied', () => {
  const type = typeOf('apps', 'Deployment');
  const canonical = roundTrip(
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x', creationTimestamp: '2026-03-01T10:00:00Z', annotations: { a: 'b' } },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }, { name: 'b' }] },
        },
      },
    },
    type,
  ) as { metadata: JsonObject; spec: JsonObject };
  expect(roundTrip(canonical, type)).toBe(canonical);
  const changed = roundTrip({ ...canonical, metadata: { ...canonical.metadata, labels: {} }, foo: 1 }, type);
  expect(changed).toEqual(canonical);
  expect(changed.spec).toBe(canonical.spec);
});
