/** A deep copy of a JSON-like value. A key named `__proto__` stays an ordinary key. */
export function clone<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) items[i] = copy(value[i]);
    return items;
  }
  const fields: Record<string, unknown> = {};
  for (const key in value) {
    const field = copy((value as Record<string, unknown>)[key]);
    if (key === '__proto__') setOwn(fields, key, field);
    else fields[key] = field;
  }
  return fields;
}

function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
