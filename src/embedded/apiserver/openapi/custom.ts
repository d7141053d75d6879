import { isObject, type JsonObject } from '#kubernetes/schema';
import { aboutField, aboutStruct } from './descriptions.ts';
import { besides } from './schema.ts';

type SchemaView = {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly anyOf?: unknown;
};

const model = 'io.k8s.api.core.v1.ConfigMap';

/** The fields of every stored kind, with the descriptions of built-in kinds. */
export const standardFields = (metadata: JsonObject): Record<string, JsonObject> => ({
  apiVersion: { ...aboutField(model, 'apiVersion'), type: 'string' },
  kind: { ...aboutField(model, 'kind'), type: 'string' },
  metadata: besides(metadata, aboutStruct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')),
});

/** A definition's schema as published: with the fields of every object, which the definition need not declare. */
export function customSchema(schema: JsonObject | undefined, metadata: JsonObject): JsonObject {
  const published = publish(
    schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    metadata,
  );
  return withFields(published, standardFields(metadata));
}

function withFields(schema: JsonObject, fields: Record<string, JsonObject>): JsonObject {
  const { properties, ...rest } = schema as SchemaView & JsonObject;
  const all = Object.entries({ ...properties, ...fields }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...rest, properties: Object.fromEntries(all) };
}

function publish(schema: JsonObject, metadata: JsonObject): JsonObject {
  const { properties, items, additionalProperties, required, anyOf } = schema as SchemaView;
  const inner = (value: unknown) => (isObject(value) ? publish(value, metadata) : value);
  const made: JsonObject = {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])),
    }),
    ...(items !== undefined && { items: inner(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: inner(additionalProperties) }),
    ...(schema['x-kubernetes-int-or-string'] === true &&
      anyOf === undefined && { anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  };
  if (schema['x-kubernetes-embedded-resource'] !== true) return made;
  return {
    ...withFields(made, standardFields(metadata)),
    required: [...new Set([...(required ?? []), 'kind', 'apiVersion'])],
  };
}
