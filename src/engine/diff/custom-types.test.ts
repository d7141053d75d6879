import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { anyType } from '#kubernetes/schema';
import { definedType } from './custom-types.ts';

const definition = (spec: unknown): KubeObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'x' },
    spec,
  }) as KubeObject;

test('a definition gives each of its versions a type, the same one every time (D-22)', () => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
  const crd = definition({ versions: [{ name: 'v1', schema }, { name: 'v2' }, null] });
  const type = definedType(crd, 'v1');
  expect(type).toMatchObject({ kind: 'struct', open: false });
  expect(definedType(crd, 'v1')).toBe(type);
  expect(definedType(crd, 'v2')).toMatchObject({ kind: 'struct', open: true });
  expect(definedType(crd, 'v3')).toBeUndefined();
});

test('without a definition everything is allowed, and a broken one describes nothing (D-22)', () => {
  expect(definedType(undefined, 'v1')).toBe(anyType);
  expect(definedType(definition(undefined), 'v1')).toBeUndefined();
});
