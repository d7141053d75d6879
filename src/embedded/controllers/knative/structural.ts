import type { JsonObject } from '#kubernetes/schema';

/** Shorthand for the structural schemas of custom kinds. */
export type StructuralFields = Readonly<Record<string, JsonObject>>;

export const text: JsonObject = { type: 'string' };
export const flag: JsonObject = { type: 'boolean' };
export const whole: JsonObject = { type: 'integer' };
export const int32: JsonObject = { type: 'integer', format: 'int32' };
export const int64: JsonObject = { type: 'integer', format: 'int64' };
export const either: JsonObject = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};
/** Accepts any content. */
export const open: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const object = (properties: StructuralFields, required?: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  ...(required && { required: [...required] }),
});
/** Atomic: one field manager owns all of it. */
export const atom = (schema: JsonObject): JsonObject => ({ ...schema, 'x-kubernetes-map-type': 'atomic' });
export const mapOf = (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values });
export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
export const atomicList = (items: JsonObject): JsonObject => ({
  ...listOf(items),
  'x-kubernetes-list-type': 'atomic',
});
export const listOfMap = (keys: readonly string[], items: JsonObject): JsonObject => ({
  ...listOf(items),
  'x-kubernetes-list-map-keys': [...keys],
  'x-kubernetes-list-type': 'map',
});

const name: JsonObject = { type: 'string', default: '' };

/** An object of the same namespace. */
export const reference = atom(object({ name }));
/** The same, which may be missing. */
export const optionalReference = atom(object({ name, optional: flag }));
/** One entry of a ConfigMap or a Secret. */
export const keyReference = atom(object({ key: text, name, optional: flag }, ['key']));
