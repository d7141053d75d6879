import { builtinType } from './builtin-types.ts';
import {
  type AnyType,
  isObject,
  type JsonObject,
  type ListType,
  type ScalarKind,
  type SchemaField,
  type StructType,
  type TypeNode,
} from './type-node.ts';

/** An OpenAPI v3 structural schema as CRDs carry it in `openAPIV3Schema`. */
export type CrdSchema = JsonObject;

/** `preserveUnknownFields` of the CRD's spec: nothing is pruned anywhere. */
export type CrdTypeOptions = { readonly preserveUnknownFields?: boolean };

type SchemaView = {
  type?: string;
  pattern?: string;
  nullable?: boolean;
  default?: unknown;
  required?: readonly string[];
  properties?: Record<string, JsonObject>;
  additionalProperties?: JsonObject | boolean;
  items?: JsonObject;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: string;
};

const scalarKinds: Record<string, ScalarKind> = {
  string: 'string',
  integer: 'int64',
  number: 'number',
  boolean: 'boolean',
};

const alwaysPresent = ['apiVersion', 'kind', 'metadata'];
/** How every generator of CRDs spells resource.Quantity. */
const quantityPattern = '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|';

const annotations = (schema: SchemaView): { nullable?: boolean; default?: unknown } => ({
  ...(schema.nullable === true ? { nullable: true } : {}),
  ...(schema.default === undefined ? {} : { default: schema.default }),
});

function fieldOf(name: string, type: TypeNode, required: boolean): SchemaField {
  const isKey = ['string', 'number', 'boolean'].includes(typeof type.default);
  return {
    name,
    type,
    required,
    pointer: true,
    omitEmpty: true,
    patch: 'default',
    retainKeys: false,
    proto: [],
    ...(isKey ? { keyDefault: type.default as string } : {}),
  };
}

const text: TypeNode = { kind: 'scalar', scalar: 'string' };

function resourceFields(): [string, SchemaField][] {
  const types = { apiVersion: text, kind: text, metadata: builtinType('meta.v1.ObjectMeta') };
  return Object.entries(types).map(([name, type]) => [name, fieldOf(name, type, false)]);
}

function structOf(schema: SchemaView, isResource: boolean, open: boolean): StructType {
  const fields = new Map<string, SchemaField>(isResource ? resourceFields() : []);
  const required = new Set(schema.required);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    // the schema may restrict metadata but never describes it
    if (isResource && alwaysPresent.includes(name)) continue;
    fields.set(name, fieldOf(name, nodeOf(property, open), required.has(name)));
  }
  return {
    kind: 'struct',
    name: '',
    fields,
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    open: open || schema['x-kubernetes-preserve-unknown-fields'] === true,
    ...(isResource ? { embedded: true } : {}),
    ...annotations(schema),
  };
}

function objectOf(schema: SchemaView, open: boolean): TypeNode {
  const { additionalProperties } = schema;
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  if (isObject(additionalProperties)) {
    return { kind: 'map', values: nodeOf(additionalProperties, open), atomic, ...annotations(schema) };
  }
  if (additionalProperties === true) {
    return { kind: 'map', values: { kind: 'any', atomic: false }, atomic, ...annotations(schema) };
  }
  return structOf(schema, schema['x-kubernetes-embedded-resource'] === true, open);
}

function listOf(schema: SchemaView, open: boolean): ListType {
  const kinds = { set: 'set', map: 'keyed', atomic: 'atomic' } as const;
  const written = schema['x-kubernetes-list-type'] ?? 'atomic';
  return {
    kind: 'list',
    items: schema.items === undefined ? anyOf(schema) : nodeOf(schema.items, open),
    merge: kinds[written as keyof typeof kinds] ?? 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    ...annotations(schema),
  };
}

const anyOf = (schema: SchemaView): AnyType => ({ kind: 'any', atomic: false, ...annotations(schema) });

/** `open` stands for the CRD's own preserveUnknownFields; the schema's flag opens one node only. */
function nodeOf(raw: JsonObject, open: boolean): TypeNode {
  const schema: SchemaView = raw;
  if (schema['x-kubernetes-int-or-string'] === true) {
    const isQuantity = schema.pattern?.startsWith(quantityPattern) === true;
    return { kind: 'scalar', scalar: isQuantity ? 'quantity' : 'int-or-string', ...annotations(schema) };
  }
  if (schema.type === 'array') return listOf(schema, open);
  if (schema.type === 'object' || schema.properties !== undefined) return objectOf(schema, open);
  const scalar = scalarKinds[schema.type ?? ''];
  return scalar === undefined ? anyOf(schema) : { kind: 'scalar', scalar, ...annotations(schema) };
}

/** The type of a custom resource. Without a schema (undefined) every field is allowed. */
export function typeFromCrd(schema: CrdSchema | undefined, options: CrdTypeOptions = {}): StructType {
  if (schema === undefined) return structOf({}, true, true);
  return structOf(schema, true, options.preserveUnknownFields === true);
}
