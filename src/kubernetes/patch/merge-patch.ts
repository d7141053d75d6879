import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { put, read } from './fields.ts';

/** RFC 7386: objects merge, null deletes, everything else replaces. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  // compat cluster 3.6: Kubernetes also drops the null fields of objects in a list that the patch brings
  if (Array.isArray(patch)) return patch.map((item) => applyMergePatch(undefined, item));
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete merged[key];
    else put(merged, key, applyMergePatch(read(merged, key), change));
  }
  return merged;
}

/** The merge patch that turns `from` into `to`; `{}` when they are equal. Lists are replaced whole. */
export function createMergePatch(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return to;
  const patch: JsonObject = {};
  for (const [key, value] of Object.entries(to)) {
    const old = read(from, key);
    if (isObject(old) && isObject(value)) addDifference(patch, key, createMergePatch(old, value));
    else if (!equal(old, value)) put(patch, key, value);
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) put(patch, key, null);
  return patch;
}

function addDifference(patch: JsonObject, key: string, difference: unknown): void {
  if (isObject(difference) && Object.keys(difference).length > 0) put(patch, key, difference);
}
