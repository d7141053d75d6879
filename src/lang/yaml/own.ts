/**
 * Sets a field as an own property, whatever its name. Kubernetes has no special names: `__proto__` is a legal
 * ConfigMap key like any other. So it becomes an ordinary own field here too, exactly as JSON.parse makes it,
 * and never touches a prototype.
 */
export function setKey(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    fields[key] = value;
  }
}

export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A deep copy, so that no two parts of a result share an object that one of them may change. */
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isFields(value)) return value;
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setKey(fields, key, copy(value[key]));
  return fields;
}
