import { equal, FairleadError } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { read } from './fields.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';
import type { ThreeWay } from './strategic/three-way.ts';

/** The patch kubectl apply sends for custom resources: a JSON merge patch, lists replaced whole. */
export function createThreeWayMergePatch({ original = {}, modified, current }: ThreeWay): JsonObject {
  const changes = keepSets(createMergePatch(current, modified) as JsonObject);
  const deletions = keepDeletions(createMergePatch(original, modified) as JsonObject);
  if (collide(changes, deletions)) {
    throw new FairleadError(
      'InvalidSpec',
      'the new configuration both sets and deletes a field: the last applied one gave it another shape',
    );
  }
  return applyMergePatch(deletions, changes) as JsonObject;
}

/** A patch without its deletions. An empty object a user wrote is a value; one that became empty is not. */
function keepSets(patch: JsonObject): JsonObject {
  return filterFields(patch, (value) => {
    if (!isObject(value)) return value === null ? undefined : value;
    return Object.keys(value).length === 0 ? value : filled(keepSets(value));
  });
}

function keepDeletions(patch: JsonObject): JsonObject {
  return filterFields(patch, (value) => {
    if (value === null) return null;
    return isObject(value) ? filled(keepDeletions(value)) : undefined;
  });
}

const filled = (value: JsonObject): JsonObject | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

function filterFields(fields: JsonObject, keep: (value: unknown) => unknown): JsonObject {
  const kept = Object.entries(fields).map(([name, value]) => [name, keep(value)] as const);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

function collide(left: unknown, right: unknown): boolean {
  if (!isObject(left)) return !equal(left, right);
  if (!isObject(right)) return true;
  return Object.keys(left).some(
    (name) => Object.hasOwn(right, name) && collide(left[name], read(right, name)),
  );
}
