import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findType, type JsonObject, type StructType, typeFromCrd } from '#kubernetes/schema';
import { cases } from '../../../../test/cases.ts';
import { describeConflicts } from './conflict.ts';
import { FieldSet } from './field-set.ts';
import { applyServerSide, recordUpdate } from './managed-fields.ts';

type Step = { apply?: string; update?: string; force?: boolean; object: any };
type Outcome = { object?: any; conflicts?: string[]; error?: string };

function typeOf({ apiVersion, kind }: JsonObject): StructType {
  const [group, version] = String(apiVersion).includes('/')
    ? String(apiVersion).split('/')
    : ['', apiVersion];
  const type = findType({ group: String(group), version: String(version), kind: String(kind) });
  if (type === undefined) throw new Error(`no type for ${String(kind)}`);
  return type;
}

const at = (second: number): string => `2020-01-01T00:00:${String(second).padStart(2, '0')}Z`;

function take(live: JsonObject, step: Step, time: string): Outcome {
  const type = typeOf(step.object);
  if (step.update !== undefined) {
    return { object: recordUpdate(live, step.object, { manager: step.update, time, type }) };
  }
  const options = { manager: step.apply ?? '', time, type, force: step.force ?? false };
  const result = applyServerSide(live, step.object, options);
  if (result.outcome === 'applied') return { object: result.object };
  const { causes } = describeConflicts(result.conflicts);
  return { conflicts: causes.map(({ message, field }) => `${message}: ${field}`).sort() };
}

function run(steps: readonly Step[]): Outcome {
  const { apiVersion, kind } = steps[0]?.object ?? {};
  let live: JsonObject = { apiVersion, kind, metadata: {} };
  let last: Outcome = {};
  for (const [index, step] of steps.entries()) {
    try {
      last = take(live, step, at(index + 1));
    } catch (error) {
      last = { error: (error as Error).message };
    }
    live = last.object ?? live;
  }
  return last;
}

test.each(cases<Outcome>(new URL('./testdata/', import.meta.url)))('$name', ({ input, expect: wanted }) => {
  const [{ steps }] = input;
  const before = structuredClone(steps);
  expect(run(steps)).toEqual(wanted);
  expect(steps).toEqual(before);
});

const configMap = (data: JsonObject | undefined, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', ...metadata },
  ...(data === undefined ? {} : { data }),
});
const type = typeOf(configMap(undefined));
const managersOf = (object: any): string[] =>
  object.metadata.managedFields?.map((entry: any) => entry.manager) ?? [];

test('several conflicts are told by manager', () => {
  const conflicts = [
    { manager: '"a" using v1', field: '.data.x' },
    { manager: '"a" using v1', field: '.data.y' },
    { manager: '"b"', field: '.data.x' },
  ];
  expect(describeConflicts(conflicts).message).toBe(
    'Apply failed with 3 conflicts: conflicts with "a" using v1:\n- .data.x\n- .data.y\nconflicts with "b":\n- .data.x',
  );
});

test('an existing object without managers stays untracked until somebody applies it', () => {
  const live = configMap({ a: '1' }, { uid: 'u' });
  const next = configMap({ a: '2' }, { uid: 'u' });
  const written = recordUpdate(live, next, { manager: 'm', time: at(1), type });
  expect(managersOf(written)).toEqual([]);
});

test('an empty list in a request forgets every manager', () => {
  const options = { manager: 'm', time: at(1), type, force: false };
  const result = applyServerSide(configMap(undefined), configMap({ a: '1' }), options);
  const live: any = result.outcome === 'applied' ? result.object : {};
  const stored = { ...live, metadata: { ...live.metadata, uid: 'u' } };
  const reset = recordUpdate(stored, configMap({ a: '1' }, { uid: 'u', managedFields: [{}] }), options);
  expect(managersOf(reset)).toEqual([]);
});

test('a subresource writes under its own name and cannot set managedFields', () => {
  const live = recordUpdate(configMap(undefined), configMap({ a: '1' }), { manager: 'm', time: at(1), type });
  const next = configMap({ a: '1', b: '2' }, { managedFields: [] });
  const written: any = recordUpdate(live, next, { manager: 'm', subresource: 'status', time: at(2), type });
  expect(written.metadata.managedFields.map((entry: any) => entry.subresource)).toEqual([
    undefined,
    'status',
  ]);
});

test('fields an endpoint ignores are never owned through it', () => {
  const pod = (status: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x' },
    spec: { nodeName: 'n' },
    status,
  });
  const resetFields = FieldSet.of([['status']]);
  const writer = { manager: 'm', time: at(1), type: typeOf(pod({})), resetFields };
  const written: any = recordUpdate(pod({}), pod({ phase: 'Running' }), writer);
  expect(written.metadata.managedFields).toBeUndefined();
  const applied: any = applyServerSide({ ...pod({}), spec: {} }, pod({ phase: 'Running' }), {
    ...writer,
    force: false,
  });
  expect(applied.object.metadata.managedFields[0].fieldsV1).toEqual({ 'f:spec': { 'f:nodeName': {} } });
});

test('a configuration that carries managedFields is refused', () => {
  const applied = configMap({}, { managedFields: [] });
  const options = { manager: 'm', time: at(1), type, force: false };
  expect(() => applyServerSide(configMap(undefined), applied, options)).toThrow(
    'metadata.managedFields must be nil',
  );
});

test('garbage in managedFields is refused by apply and forgotten by update', () => {
  const live = configMap(
    { a: '1' },
    { managedFields: [{ manager: 'm', operation: 'Apply', apiVersion: 'v1' }] },
  );
  const options = { manager: 'm', time: at(1), type, force: false };
  expect(() => applyServerSide(live, configMap({ a: '1' }), options)).toThrow(/missing fieldsType/);
  const next: any = recordUpdate(live, configMap({ a: '2' }), options);
  expect(managersOf(next)).toEqual(['m']);
});

test('what was recorded in a version that is gone is forgotten, other versions are read in their own words', () => {
  const crd = typeFromCrd({
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } },
  });
  const old = typeFromCrd({ type: 'object', properties: { n: { type: 'integer' } } });
  const entry = (manager: string, apiVersion: string, fieldsV1: JsonObject): JsonObject => ({
    manager,
    operation: 'Update',
    apiVersion,
    time: at(1),
    fieldsType: 'FieldsV1',
    fieldsV1,
  });
  const live = {
    apiVersion: 'ex.io/v2',
    kind: 'Foo',
    metadata: {
      name: 'x',
      managedFields: [
        entry('old', 'ex.io/v1', { 'f:n': {} }),
        entry('older', 'ex.io/v0', { 'f:gone': {} }),
        entry('same', 'ex.io/v2', { 'f:spec': { 'f:n': {} } }),
      ],
    },
    spec: { n: 1 },
  };
  const versions = {
    typeOf: (apiVersion: string) =>
      apiVersion === 'ex.io/v1' ? old : apiVersion === 'ex.io/v2' ? crd : undefined,
    convert: (object: any, apiVersion: string) =>
      apiVersion === 'ex.io/v1' ? { ...object, apiVersion, n: object.spec?.n } : object,
  };
  const applied = { apiVersion: 'ex.io/v2', kind: 'Foo', metadata: { name: 'x' }, spec: { n: 2 } };
  const options = { manager: 'git', time: at(2), type: crd, versions };
  const refused: any = applyServerSide(live, applied, { ...options, force: false });
  expect(refused.conflicts).toEqual([
    { manager: '"old" using ex.io/v1', field: '.n' },
    { manager: '"same" using ex.io/v2', field: '.spec.n' },
  ]);
  const forced: any = applyServerSide(live, applied, { ...options, force: true });
  expect(managersOf(forced.object)).toEqual(['git']);
});

test('what became atomic is owned as a whole by those who owned a part of it', () => {
  const atomic = typeFromCrd({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          list: { type: 'array', items: { type: 'string' } },
          map: {
            type: 'object',
            'x-kubernetes-map-type': 'atomic',
            additionalProperties: { type: 'string' },
          },
        },
      },
    },
  });
  const fieldsV1 = { 'f:spec': { 'f:list': { 'v:"a"': {} }, 'f:map': { 'f:x': {} } } };
  const spec = { list: ['a'], map: { x: '1' } };
  const live = {
    apiVersion: 'ex.io/v1',
    kind: 'Foo',
    metadata: {
      name: 'x',
      managedFields: [
        {
          manager: 'm',
          operation: 'Apply',
          apiVersion: 'ex.io/v1',
          time: at(1),
          fieldsType: 'FieldsV1',
          fieldsV1,
        },
      ],
    },
    spec,
  };
  const next = { ...live, metadata: { name: 'x', labels: { l: '1' } } };
  const written: any = recordUpdate(live, next, { manager: 'u', time: at(2), type: atomic });
  expect(written.metadata.managedFields[0].fieldsV1).toEqual({ 'f:spec': { 'f:list': {}, 'f:map': {} } });
});

const word = fc.constantFrom('a', 'b', 'c');
// what is emptied becomes null until the server stores it, so every map and list here holds something
const data = fc.dictionary(word, word, { noNullPrototype: true, minKeys: 1 });
const write = fc.record({
  manager: fc.constantFrom('one', 'two'),
  data,
  finalizers: fc.uniqueArray(word, { minLength: 1 }),
  force: fc.boolean(),
});

test('invariant 4: the same configuration applied twice changes nothing the second time', () => {
  fc.assert(
    fc.property(fc.array(write, { minLength: 1, maxLength: 6 }), (writes) => {
      let live = configMap(undefined);
      for (const [index, { manager, force, ...rest }] of writes.entries()) {
        const applied = configMap(rest.data, { finalizers: rest.finalizers });
        const options = { manager, time: at(index), type, force };
        const first = applyServerSide(live, applied, options);
        if (first.outcome === 'conflict') continue;
        const second = applyServerSide(first.object, applied, { ...options, time: at(59) });
        expect(second).toEqual(first);
        live = first.object;
      }
    }),
  );
});

function ownedData(object: any): string[] {
  const entries: any[] = object.metadata.managedFields ?? [];
  const keys = entries.flatMap(({ fieldsV1 }) => Object.keys(fieldsV1['f:data'] ?? {}));
  return [...new Set(keys.filter((key) => key !== '.').map((key) => key.slice(2)))].sort();
}

test('invariant 5: every field of an applied object has an owner, and a field without one is gone', () => {
  fc.assert(
    fc.property(fc.array(write, { minLength: 1, maxLength: 6 }), (writes) => {
      let live: any = configMap(undefined);
      for (const [index, { manager, data: sent }] of writes.entries()) {
        const options = { manager, time: at(index), type, force: true };
        const result = applyServerSide(live, configMap(sent), options);
        live = result.outcome === 'applied' ? result.object : live;
      }
      expect(Object.keys(live.data).sort()).toEqual(ownedData(live));
    }),
  );
});
