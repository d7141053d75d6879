import { isObject, type JsonObject } from '#base/std';

/**
 * Undoes what the conversion to Lua and back does to the parts of an object that the script did not change:
 * an empty object comes back as an empty list (engine H-36), a null does not come back at all, and an integer beyond
 * 2^53 loses its last digits. Descends into lists as well. Values that the script added stay as they are.
 */
export function restore(returned: unknown, original: unknown): unknown {
  if (isObject(original)) return restoreObject(returned, original);
  if (Array.isArray(original) && Array.isArray(returned)) {
    return returned.map((item, index) => (index < original.length ? restore(item, original[index]) : item));
  }
  if (typeof original === 'bigint' && isSameDouble(returned, original)) return original;
  return returned;
}

const isSameDouble = (returned: unknown, original: bigint): boolean =>
  (typeof returned === 'number' || typeof returned === 'bigint') && Number(returned) === Number(original);

function restoreObject(returned: unknown, original: JsonObject): unknown {
  // compat engine H-36: only where the original was an object; an empty list elsewhere stays one
  const found = Array.isArray(returned) && returned.length === 0 ? {} : returned;
  if (!isObject(found)) return returned;
  const restored: JsonObject = {};
  for (const [key, value] of Object.entries(found)) {
    define(restored, key, Object.hasOwn(original, key) ? restore(value, original[key]) : value);
  }
  for (const [key, value] of Object.entries(original)) {
    if (value === null && !Object.hasOwn(found, key)) define(restored, key, null);
  }
  return restored;
}

/** `__proto__` is an ordinary key. */
function define(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
