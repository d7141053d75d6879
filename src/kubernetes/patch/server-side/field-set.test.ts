import { expect, test } from 'vitest';
import { findType, type StructType, typeFromCrd } from '#kubernetes/schema';
import { compareFields } from './compare.ts';
import { describeElement, keyElement, readElement, sortElements, valueElement } from './element.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { extractFields, removeFields } from './remove.ts';

const fieldsV1 = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} }, 'f:finalizers': { 'v:"x"': {} } },
  'f:spec': {
    'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
    'f:replicas': {},
    'f:list': { 'i:0': {} },
  },
};
const set = FieldSet.parse(fieldsV1);

test('FieldsV1 is read and printed, sorted as Kubernetes sorts it', () => {
  expect(JSON.stringify(set.print())).toBe(
    '{"f:metadata":{"f:finalizers":{"v:\\"x\\"":{}},"f:labels":{".":{},"f:a":{}}},' +
      '"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{},"f:name":{}}},"f:list":{"i:0":{}},"f:replicas":{}}}',
  );
  expect(FieldSet.parse(set.print()).equals(set)).toBe(true);
});

test('paths read like paths, those that end here before those that go on', () => {
  expect(set.paths()).toEqual([
    '.metadata.labels',
    '.metadata.finalizers[="x"]',
    '.metadata.labels.a',
    '.spec.replicas',
    '.spec.containers[name="web"]',
    '.spec.containers[name="web"].image',
    '.spec.containers[name="web"].name',
    '.spec.list[0]',
  ]);
});

test('elements of a later version are ignored, broken ones refused', () => {
  expect(FieldSet.parse({ 'x:new': {}, 'f:a': {} }).paths()).toEqual(['.a']);
  for (const text of ['fa', '', 'v:{', 'k:[1]', 'k:1', 'i:x']) {
    expect(() => FieldSet.parse({ [text]: {} }), text).toThrow(/not a path element/);
  }
  expect(() => FieldSet.parse([])).toThrow(/not an object/);
  expect(FieldSet.parse(null).isEmpty).toBe(true);
});

test('keys are spelled one way, whoever wrote them', () => {
  expect(readElement('k:{"protocol":"TCP", "port": 80}')).toBe('k:{"port":80,"protocol":"TCP"}');
  expect(
    keyElement([
      ['b', 1],
      ['a', '<x>'],
    ]),
  ).toBe('k:{"a":"\\u003cx\\u003e","b":1}');
  expect(valueElement(2n ** 60n)).toBe('v:1152921504606846976');
  expect(describeElement('k:{"a":"\\u003cx\\u003e","b":1}')).toBe('[a="<x>",b=1]');
});

test('elements sort by kind, numbers by value and before strings', () => {
  const elements = [
    'i:1',
    'v:"a"',
    'v:10',
    'v:9',
    'v:true',
    'k:{"p":443}',
    'k:{"p":80}',
    'k:{"p":80,"q":1}',
    'f:z',
    'f:a',
  ];
  expect(sortElements(elements)).toEqual([
    'f:a',
    'f:z',
    'k:{"p":80}',
    'k:{"p":80,"q":1}',
    'k:{"p":443}',
    'v:9',
    'v:10',
    'v:"a"',
    'v:true',
    'i:1',
  ]);
});

test('sets are combined path by path', () => {
  const labels = FieldSet.of([['metadata', 'labels']]);
  expect(set.subtract(labels).paths()).toContain('.metadata.labels.a');
  expect(set.subtractTrees(labels).paths()).not.toContain('.metadata.labels.a');
  expect(set.intersect(labels).paths()).toEqual(['.metadata.labels']);
  expect(labels.union(FieldSet.of([['spec', 'paused']])).paths()).toEqual([
    '.metadata.labels',
    '.spec.paused',
  ]);
  expect(labels.equals(FieldSet.of([['metadata', 'annotations']]))).toBe(false);
  expect(labels.equals(FieldSet.empty)).toBe(false);
  expect(FieldSet.empty.union(labels)).toBe(labels);
  expect(FieldSet.of([[]]).isEmpty).toBe(true);
});

const deployment = findType({ group: 'apps', version: 'v1', kind: 'Deployment' }) as StructType;
const spec = (containers: object[]): object => ({
  spec: { replicas: 1, template: { spec: { containers } } },
});
const web = { name: 'web', image: 'i', args: ['a'] };
const image = FieldSet.parse({
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { 'f:image': {} } } } } },
});

test('fields are taken out, and emptied parents become null', () => {
  expect(removeFields(spec([web, { name: 'log' }]), deployment, image)).toEqual(
    spec([{ name: 'web', args: ['a'] }, { name: 'log' }]),
  );
  const item = FieldSet.parse({
    'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': {} } } } },
  });
  expect(removeFields(spec([web]), deployment, item)).toEqual({
    spec: { replicas: 1, template: { spec: { containers: null } } },
  });
});

test('a field inside an atom takes the atom with it', () => {
  const labels = FieldSet.parse({ 'f:spec': { 'f:selector': { 'f:matchLabels': {} } } });
  const object = { spec: { selector: { matchLabels: { a: 'b' } }, replicas: 1 } };
  expect(removeFields(object, deployment, labels)).toEqual({ spec: { selector: null, replicas: 1 } });
});

test('fields are picked out, atoms whole', () => {
  expect(extractFields(spec([web, { name: 'log' }]), deployment, image)).toEqual({
    spec: { template: { spec: { containers: [{ image: 'i' }] } } },
  });
  const selector = FieldSet.of([['spec', 'selector']]);
  const object = { spec: { selector: { matchLabels: { a: 'b' } }, replicas: 1 } };
  expect(extractFields(object, deployment, selector)).toEqual({
    spec: { selector: { matchLabels: { a: 'b' } } },
  });
  expect(extractFields(object, deployment, FieldSet.of([['status']]))).toBeUndefined();
  const finalizers = { metadata: { finalizers: ['a', 'b'] } };
  const one = FieldSet.parse({ 'f:metadata': { 'f:finalizers': { 'v:"b"': {} } } });
  expect(extractFields(finalizers, deployment, one)).toEqual({ metadata: { finalizers: ['b'] } });
});

test('everything a value sets can be picked out of it again', () => {
  const object = { metadata: { name: 'x', labels: { a: '1' } }, ...spec([web, { name: 'log', env: [] }]) };
  expect(extractFields(object, deployment, fieldSetOf(object, deployment))).toEqual({
    metadata: { name: 'x', labels: { a: '1' } },
    ...spec([web, { name: 'log' }]),
  });
});

test('values of unknown type may change their kind', () => {
  const free = typeFromCrd(undefined);
  const { added, removed, modified } = compareFields(
    { a: [1], b: { c: 1 }, d: 1 },
    { a: { x: 1 }, b: 2, d: 1 },
    free,
  );
  expect(modified.paths()).toEqual(['.a', '.b']);
  expect(added.paths()).toEqual(['.a.x']);
  expect(removed.paths()).toEqual(['.b.c']);
});

test('an item without its keys cannot be owned', () => {
  expect(() => fieldSetOf(spec([null as never]), deployment)).toThrow(/null element/);
  expect(() => fieldSetOf(spec(['web' as never]), deployment)).toThrow(/non-map/);
  expect(() => fieldSetOf({ metadata: { finalizers: [{}] } }, deployment)).toThrow(/not a scalar/);
  const keyed = typeFromCrd({
    type: 'object',
    properties: {
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string' } } },
      },
    },
  });
  expect(() => fieldSetOf({ list: [{}] }, keyed)).toThrow(/omits all key fields \["name"\]/);
});
