import { expect, test } from 'vitest';
import { builtinResources, findNamedType, findResource, findType } from './resources.ts';
import type { SchemaField, StructType, TypeNode } from './type-node.ts';

function fieldOf(name: string, field: string): SchemaField {
  const found = findNamedType(name)?.fields.get(field);
  if (found === undefined) throw new Error(`no ${name}.${field}`);
  return found;
}

/** Every struct that can be reached from a kind that is served. */
function reachable(): Map<string, StructType> {
  const found = new Map<string, StructType>();
  const visit = (type: TypeNode): void => {
    if (type.kind === 'list') visit(type.items);
    else if (type.kind === 'map') visit(type.values);
    else if (type.kind === 'struct' && !found.has(type.name)) {
      found.set(type.name, type);
      for (const field of type.fields.values()) visit(field.type);
    }
  };
  for (const resource of builtinResources) visit(resource.type);
  return found;
}

test('every served kind has a type with metadata or is a review', () => {
  expect(builtinResources.length).toBeGreaterThan(60);
  for (const { type, kind } of builtinResources) {
    expect(type.fields.has('apiVersion'), kind).toBe(true);
    expect(type.fields.has('metadata'), kind).toBe(true);
  }
});

test('every line of the tables can be read, recursive types included', () => {
  const types = reachable();
  expect(types.size).toBeGreaterThan(450);
  expect(
    types.get('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')?.fields.size,
  ).toBeGreaterThan(40);
});

const keysOf = ({ type, mergeKey }: SchemaField): string[] =>
  type.kind === 'list' ? [...type.keys, ...(mergeKey === undefined ? [] : [mergeKey])] : [];

const itemHas = ({ type }: SchemaField, key: string): boolean =>
  type.kind === 'list' && (type.items.kind !== 'struct' || type.items.fields.has(key));

test('keyed lists name fields their items have', () => {
  for (const [name, type] of reachable()) {
    for (const field of type.fields.values()) {
      for (const key of keysOf(field))
        expect(itemHas(field, key), `${name}.${field.name} by ${key}`).toBe(true);
    }
  }
});

test('protobuf numbers are unique within a message', () => {
  for (const [name, type] of reachable()) {
    const numbers = [...type.fields.values()]
      .map(({ proto }) => proto.join('.'))
      .filter((path) => path !== '');
    expect(new Set(numbers).size, name).toBe(numbers.length);
  }
});

test('the facts that decide diffs are there', () => {
  expect(fieldOf('core/v1/Container', 'ports').type).toMatchObject({
    merge: 'keyed',
    keys: ['containerPort', 'protocol'],
  });
  expect(fieldOf('core/v1/Container', 'ports').mergeKey).toBe('containerPort');
  expect(fieldOf('core/v1/ContainerPort', 'protocol').keyDefault).toBe('TCP');
  expect(fieldOf('core/v1/PodSpec', 'volumes')).toMatchObject({
    patch: 'merge',
    mergeKey: 'name',
    retainKeys: true,
  });
  expect(fieldOf('core/v1/PodSpec', 'nodeSelector').type).toMatchObject({ kind: 'map', atomic: true });
  expect(fieldOf('apps/v1/DeploymentSpec', 'strategy')).toMatchObject({ patch: 'default', retainKeys: true });
  expect(fieldOf('apps/v1/DeploymentSpec', 'selector').type).toMatchObject({ kind: 'struct', atomic: true });
  expect(fieldOf('policy/v1/PodDisruptionBudgetSpec', 'selector').patch).toBe('replace');
  expect(fieldOf('meta/v1/ObjectMeta', 'finalizers')).toMatchObject({
    patch: 'merge',
    type: { merge: 'set' },
  });
  expect(fieldOf('batch/v1/JobStatus', 'conditions')).toMatchObject({
    mergeKey: 'type',
    type: { merge: 'atomic' },
  });
  expect(fieldOf('core/v1/ResourceRequirements', 'limits').type).toMatchObject({
    values: { scalar: 'quantity' },
  });
  expect(fieldOf('core/v1/Volume', 'configMap').proto).toEqual([2, 19]);
});

test('a type is the same node every time', () => {
  const gvk = { group: 'apps', version: 'v1', kind: 'Deployment' };
  expect(findType(gvk)).toBe(findResource(gvk)?.type);
  expect(findNamedType('apps/v1/Deployment')).toBe(findType(gvk));
});

test('subresources speak their own kinds', () => {
  const deployment = findResource({ group: 'apps', version: 'v1', kind: 'Deployment' });
  const scale = deployment?.subresources.find(({ name }) => name === 'scale');
  expect(scale).toEqual({
    name: 'scale',
    gvk: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    verbs: ['get', 'patch', 'update'],
  });
  expect(findType({ group: 'autoscaling', version: 'v1', kind: 'Scale' })?.fields.has('spec')).toBe(true);
  expect(findType({ group: 'policy', version: 'v1', kind: 'Eviction' })).toBeDefined();
});

test('only kinds are found, by their full group', () => {
  expect(findType({ group: '', version: 'v1', kind: 'Container' })).toBeUndefined();
  expect(findType({ group: 'apps.example.io', version: 'v1', kind: 'Deployment' })).toBeUndefined();
  expect(findType({ group: 'apps', version: 'v2', kind: 'Deployment' })).toBeUndefined();
  expect(findType({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })?.fields.has('preconditions')).toBe(
    true,
  );
  expect(findNamedType('core/v1/Nothing')).toBeUndefined();
});

test('generations are counted where Kubernetes counts them', () => {
  const counted = new Set(
    builtinResources.filter(({ hasGeneration }) => hasGeneration).map(({ kind }) => kind),
  );
  expect(counted.has('Deployment')).toBe(true);
  expect(['ConfigMap', 'Service', 'HorizontalPodAutoscaler', 'Role'].some((kind) => counted.has(kind))).toBe(
    false,
  );
});
