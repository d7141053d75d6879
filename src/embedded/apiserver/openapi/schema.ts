import {
  type JsonObject,
  type ListType,
  type Published,
  publishedFacts,
  type ScalarKind,
  type SchemaField,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';
import { aboutField, aboutStruct } from './descriptions.ts';

/** The named schemas that are referenced, each described once. */
export type Components = Map<string, JsonObject>;

const machinery = 'io.k8s.apimachinery.pkg';
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const inline: Partial<Record<ScalarKind, JsonObject>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  duration: { type: 'string' },
};

/** Scalars that Go has types for are components of their own. */
const named: Partial<Record<ScalarKind, [string, JsonObject]>> = {
  time: [`${machinery}.apis.meta.v1.Time`, { type: 'string', format: 'date-time' }],
  'micro-time': [`${machinery}.apis.meta.v1.MicroTime`, { type: 'string', format: 'date-time' }],
  quantity: [`${machinery}.api.resource.Quantity`, { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  'int-or-string': [
    `${machinery}.util.intstr.IntOrString`,
    { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
};

/** Untyped values in Go have a named schema as well, which depends on the field. */
const openFields: Readonly<Record<string, string>> = {
  fieldsV1: `${machinery}.apis.meta.v1.FieldsV1`,
  items: `${extensions}.JSONSchemaPropsOrArray`,
  additionalItems: `${extensions}.JSONSchemaPropsOrBool`,
  additionalProperties: `${extensions}.JSONSchemaPropsOrBool`,
  dependencies: `${extensions}.JSONSchemaPropsOrStringArray`,
};

const zeros: Partial<Record<ScalarKind, unknown>> = {
  string: '',
  int32: 0,
  int64: 0,
  number: 0,
  boolean: false,
  duration: 0,
};

/** A reference into `components`. */
export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** A reference may have no siblings: with any it is wrapped in allOf. */
export const besides = (schema: JsonObject, more: JsonObject): JsonObject =>
  '$ref' in schema && Object.keys(more).length > 0 ? { ...more, allOf: [schema] } : { ...more, ...schema };

/** Converts built-in types to OpenAPI v3 schemas; named structs become references into `components`. */
export class SchemaWriter {
  readonly components: Components = new Map();

  /** A reference to the struct, which is described at the first reference. */
  refer(type: StructType): JsonObject {
    return this.component(type.name, () => this.describe(type));
  }

  /** A reference to a component, created at the first reference; it may refer to itself meanwhile. */
  component(name: string, make: () => JsonObject): JsonObject {
    if (!this.components.has(name)) {
      this.components.set(name, {});
      this.components.set(name, make());
    }
    return reference(name);
  }

  /** The fields of a struct, with the extensions that patching clients read. */
  describe(type: StructType): JsonObject {
    const facts = publishedFacts(type.name);
    const fields = [...type.fields.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const required = [...type.fields.values()].filter((field) => field.required).map(({ name }) => name);
    return {
      ...aboutStruct(type.name),
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(fields.length > 0 && {
        properties: Object.fromEntries(
          fields.map((field) => [field.name, this.#field(type.name, field, facts)]),
        ),
      }),
      ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
      ...unionOf(facts),
    };
  }

  #field(struct: string, field: SchemaField, facts: Published | undefined): JsonObject {
    const { type, name } = field;
    const schema = this.#node(type, name, facts?.values.get(name));
    const standing = facts?.defaults.get(name) ?? defaultOf(field);
    return besides(schema, {
      ...this.#about(struct, field),
      ...(standing !== undefined && { default: standing }),
      ...patchExtensions(field),
    });
  }

  /** compat cluster 2.2: a field without a description of its own gets that of its struct. */
  #about(struct: string, { name, type }: SchemaField): JsonObject {
    if (type.kind === 'struct') return aboutStruct(type.name);
    const own = type.kind === 'scalar' && named[type.scalar] !== undefined;
    return own ? {} : aboutField(struct, name);
  }

  #node(type: TypeNode, place: string, values?: readonly string[]): JsonObject {
    switch (type.kind) {
      case 'scalar':
        return { ...this.#scalar(type.scalar), ...(values && { enum: values }) };
      case 'list':
        return { type: 'array', items: this.#item(type.items, place, values), ...listExtensions(type) };
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.#item(type.values, place, values),
          ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
        };
      case 'struct':
        return type.name === '' ? this.describe(type) : this.refer(type);
      default:
        return this.#open(place, type.atomic);
    }
  }

  /** Items are never absent, so their default is Go's zero value. */
  #item(type: TypeNode, place: string, values?: readonly string[]): JsonObject {
    const standing = type.kind === 'struct' ? {} : type.kind === 'scalar' ? zeros[type.scalar] : undefined;
    return besides(this.#node(type, place, values), standing === undefined ? {} : { default: standing });
  }

  #scalar(scalar: ScalarKind): JsonObject {
    const [name, schema] = named[scalar] ?? [];
    return name === undefined || schema === undefined
      ? (inline[scalar] ?? {})
      : this.component(name, () => schema);
  }

  #open(place: string, atomic: boolean): JsonObject {
    const name = openFields[place] ?? (atomic ? `${machinery}.runtime.RawExtension` : `${extensions}.JSON`);
    return this.component(name, () => (atomic ? { type: 'object' } : {}));
  }
}

function listExtensions({ merge, keys }: ListType): JsonObject {
  if (merge === 'set') return { 'x-kubernetes-list-type': 'set' };
  if (merge === 'keyed') return { 'x-kubernetes-list-map-keys': [...keys], 'x-kubernetes-list-type': 'map' };
  return { 'x-kubernetes-list-type': 'atomic' };
}

/** Go's zero value of an absent field, unless it is omitted again. */
function defaultOf({ type, pointer, omitEmpty }: SchemaField): unknown {
  if (pointer) return undefined;
  if (type.kind === 'struct') return {};
  return type.kind === 'scalar' && !omitEmpty ? zeros[type.scalar] : undefined;
}

function patchExtensions({ patch, retainKeys, mergeKey }: SchemaField): JsonObject {
  const strategies = [
    ...(patch === 'merge' ? ['merge'] : patch === 'replace' ? ['replace'] : []),
    ...(retainKeys ? ['retainKeys'] : []),
  ];
  return {
    ...(mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': mergeKey }),
    ...(strategies.length > 0 && { 'x-kubernetes-patch-strategy': strategies.join(',') }),
  };
}

function unionOf(facts: Published | undefined): JsonObject {
  if (!facts?.union) return {};
  const { discriminator, fields } = facts.union;
  const union = { ...(discriminator && { discriminator }), 'fields-to-discriminateBy': fields };
  return { 'x-kubernetes-unions': [union] };
}
