import type { Field, JsonObject, ScalarKind, StructType, TypeNode } from '#schema';

/** Named schemas that have been asked for, each described once. */
export type Components = Map<string, JsonObject>;

const scalars: Readonly<Record<ScalarKind, JsonObject>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'int-or-string': { type: 'string', format: 'int-or-string' },
};

/** The OpenAPI v3 schema of a type; structs with a name become references into `components`. */
function schemaOf(type: TypeNode, components: Components): JsonObject {
  switch (type.kind) {
    case 'scalar':
      return scalars[type.scalar];
    case 'list':
      return { type: 'array', items: schemaOf(type.items, components), ...listExtensions(type) };
    case 'map':
      return {
        type: 'object',
        additionalProperties: schemaOf(type.values, components),
        ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
      };
    case 'struct':
      return type.name === '' ? describe(type, components) : reference(type, components);
    default:
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }
}

function listExtensions({ merge, keys }: Extract<TypeNode, { kind: 'list' }>): JsonObject {
  if (merge === 'set') return { 'x-kubernetes-list-type': 'set' };
  if (merge === 'keyed') return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] };
  return { 'x-kubernetes-list-type': 'atomic' };
}

const pointer = (name: string): string => `#/components/schemas/${name}`;

function reference(type: StructType, components: Components): JsonObject {
  if (!components.has(type.name)) {
    components.set(type.name, {}); // holds the place while its own fields are described
    components.set(type.name, describe(type, components));
  }
  return { $ref: pointer(type.name) };
}

/** The fields of a struct, with the extensions that patching clients look for. */
export function describe(type: StructType, components: Components): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const field of type.fields.values()) {
    properties[field.name] = fieldSchema(field, components);
    if (field.required) required.push(field.name);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

function fieldSchema(field: Field, components: Components): JsonObject {
  const schema = schemaOf(field.type, components);
  const strategies = [
    ...(field.patch === 'merge' ? ['merge'] : []),
    ...(field.retainKeys ? ['retainKeys'] : []),
  ];
  if (strategies.length === 0) return '$ref' in schema ? { allOf: [schema] } : schema;
  return {
    ...('$ref' in schema ? { allOf: [schema] } : schema),
    'x-kubernetes-patch-strategy': strategies.join(','),
    ...(field.mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': field.mergeKey }),
  };
}
