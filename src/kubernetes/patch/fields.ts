import type { JsonObject } from '#kubernetes/schema';

/** Sets a field; a key named `__proto__` is a key like any other. */
export function put(target: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

/** A field's own value, never something inherited; undefined when it is missing. */
export function read(source: JsonObject, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}
