/** A plain JSON object, as opposed to a list or a scalar. */
export type JsonObject = Record<string, unknown>;

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
