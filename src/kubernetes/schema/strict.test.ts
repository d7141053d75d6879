import { expect, test } from 'vitest';
import { findType } from './resources.ts';
import { prune, validateStrict } from './strict.ts';
import { typeFromCrd } from './structural.ts';
import type { StructType } from './type-node.ts';
import { walk } from './walk.ts';

const deployment = findType({ group: 'apps', version: 'v1', kind: 'Deployment' }) as StructType;

test('unknown fields are named by their path, at any depth', () => {
  const object = {
    spec: {
      replcas: 1,
      template: { spec: { containers: [{ name: 'a' }, { name: 'b', imag: 'x', env: [{ nam: 'A' }] }] } },
    },
    metadata: { labels: { anything: 'goes' } },
  };
  expect(validateStrict(object, deployment)).toEqual([
    { kind: 'unknown', path: 'spec.replcas' },
    { kind: 'unknown', path: 'spec.template.spec.containers[1].imag' },
    { kind: 'unknown', path: 'spec.template.spec.containers[1].env[0].nam' },
  ]);
});

test('values of another type are named, and null fits everywhere', () => {
  const object = {
    metadata: { labels: { a: 1 }, finalizers: 'f', creationTimestamp: null },
    spec: { replicas: '3', paused: 'yes', minReadySeconds: 1.5, selector: [], template: null },
  };
  expect(validateStrict(object, deployment)).toEqual([
    { kind: 'type', path: 'metadata.labels.a', expected: 'string', found: 'integer' },
    { kind: 'type', path: 'metadata.finalizers', expected: 'list', found: 'string' },
    { kind: 'type', path: 'spec.replicas', expected: 'int32', found: 'string' },
    { kind: 'type', path: 'spec.paused', expected: 'boolean', found: 'string' },
    { kind: 'type', path: 'spec.minReadySeconds', expected: 'int32', found: 'number' },
    { kind: 'type', path: 'spec.selector', expected: 'object', found: 'list' },
  ]);
});

test('quantities and int-or-strings take both spellings, and big integers are integers', () => {
  const service = findType({ group: '', version: 'v1', kind: 'Service' }) as StructType;
  expect(
    validateStrict(
      {
        spec: {
          ports: [
            { port: 1, targetPort: 'a' },
            { port: 2n, targetPort: 2 },
          ],
        },
      },
      service,
    ),
  ).toEqual([]);
  const quota = findType({ group: '', version: 'v1', kind: 'ResourceQuota' }) as StructType;
  expect(validateStrict({ spec: { hard: { cpu: 1, memory: '1Gi', storage: 0.5 } } }, quota)).toEqual([]);
});

const widget = typeFromCrd({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        bare: { type: 'object' },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object' } },
        },
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        map: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { v: { type: 'string' } } },
        },
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
  },
});

test('pruning drops what the schema does not name, and opens one node at a time', () => {
  const object = {
    apiVersion: 'ex.io/v1',
    kind: 'Widget',
    metadata: { name: 'x', labels: { a: '1' }, bogus: 1 },
    spec: {
      size: 1,
      colour: 'red',
      bare: { gone: 1 },
      free: { kept: { deep: 1 }, known: { gone: 1 } },
      list: [{ a: 'x', b: 'y' }],
      map: { k: { v: '1', w: '2' } },
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', bogus: 1 }, spec: { any: 1 } },
    },
    status: {},
  };
  const { value, dropped } = prune(object, widget);
  expect(dropped).toEqual([
    'metadata.bogus',
    'spec.colour',
    'spec.bare.gone',
    'spec.free.known.gone',
    'spec.list[0].b',
    'spec.map.k.w',
    'spec.pod.metadata.bogus',
    'status',
  ]);
  expect(value.spec).toEqual({
    size: 1,
    bare: {},
    free: { kept: { deep: 1 }, known: {} },
    list: [{ a: 'x' }],
    map: { k: { v: '1' } },
    pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { any: 1 } },
  });
});

test('an object with nothing to prune comes back itself', () => {
  const object = { metadata: { name: 'x' }, spec: { size: 1, list: [{ a: 'x' }] } };
  expect(prune(object, widget)).toEqual({ value: object, dropped: [] });
  expect(prune(object, widget).value).toBe(object);
});

test('without a schema, or with preserveUnknownFields, everything is kept', () => {
  const object = { metadata: { name: 'x' }, anything: { at: ['all'] } };
  expect(prune(object, typeFromCrd(undefined)).dropped).toEqual([]);
  const open = typeFromCrd(
    { type: 'object', properties: { spec: { type: 'object' } } },
    { preserveUnknownFields: true },
  );
  expect(prune({ ...object, spec: { x: 1 } }, open).dropped).toEqual([]);
});

test('a walk meets every value with its type and may stay out of some', () => {
  const seen: string[] = [];
  walk(
    { spec: { size: 1, list: [{ a: 'x' }], colour: 'red', map: { k: {} } } },
    widget,
    (_value, type, path) => {
      seen.push(`${path.join('.')}:${type.kind}`);
      return path.at(-1) !== 'map';
    },
  );
  expect(seen).toEqual([
    ':struct',
    'spec:struct',
    'spec.size:scalar',
    'spec.list:list',
    'spec.list.0:struct',
    'spec.list.0.a:scalar',
    'spec.colour:any',
    'spec.map:map',
  ]);
});
