import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';

/** The merge patch that turns `before` into `after`; undefined when they are equal. */
export function difference(before: unknown, after: JsonObject): JsonObject | undefined {
  const old = isObject(before) ? before : {};
  const patch: JsonObject = {};
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const change = fieldChange(old[name], value);
    if (change !== undefined) patch[name] = change;
  }
  for (const name of Object.keys(old)) {
    if (after[name] === undefined && old[name] !== undefined && old[name] !== null) patch[name] = null;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function fieldChange(old: unknown, value: unknown): unknown {
  if (isObject(value) && isObject(old)) return difference(old, value);
  return equal(old, value) ? undefined : value;
}
