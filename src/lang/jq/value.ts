/** A JSON value. An integer that a double cannot represent exactly is a bigint, as in '#base/std'. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };

export type JsonMap = { [key: string]: JsonValue };

export type JqTypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function typeOf(value: JsonValue): JqTypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'bigint' ? 'number' : (type as JqTypeName);
}

export const isMap = (value: JsonValue): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isNumber = (value: JsonValue): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

export const isTruthy = (value: JsonValue): boolean => value !== null && value !== false;

/** A field of an object, null when it is missing; inherited names such as `constructor` are missing. */
export const fieldOf = (map: JsonMap, key: string): JsonValue =>
  Object.hasOwn(map, key) ? (map[key] ?? null) : null;

/** Sets an own field, whatever its name. */
export function put(map: JsonMap, key: string, value: JsonValue): void {
  if (key !== '__proto__') map[key] = value;
  else Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

const surrogate = /[\ud800-\udfff]/;

/** compat gojq: objects are walked in the order of their keys, compared as UTF-8. */
export function sortedKeys(run: { step(count: number): void }, map: JsonMap): string[] {
  const keys = Object.keys(map);
  run.step(keys.length);
  if (keys.length < 2) return keys;
  keys.sort();
  // the two orders differ only where characters beyond the basic plane are involved
  return keys.some((key) => surrogate.test(key)) ? keys.sort(compareText) : keys;
}

/** Compares by code point, which is how UTF-8 bytes compare. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const one = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (one !== other) return weight(one) < weight(other) ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}

/** A unit of a surrogate pair stands for a code point above all that fit in one unit. */
const weight = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
