import type { JsonObject, TypeNode } from '#kubernetes/schema';
import { difference } from './create.ts';
import { merge } from './merge.ts';

/** The last applied object, the object to apply, and the live object. */
export type ThreeWay = {
  readonly original: JsonObject | undefined;
  readonly modified: JsonObject;
  readonly current: JsonObject;
};

/** The patch kubectl apply sends for built-in kinds: additions and changes against current, deletions against original. */
export function createThreeWayStrategicPatch(sides: ThreeWay, type: TypeNode): JsonObject {
  const { original = {}, modified, current } = sides;
  const changes = difference(current, modified, { type, half: 'without-deletions', retainKeys: false });
  const deletions = difference(original, modified, { type, half: 'deletions-only', retainKeys: false });
  return merge(deletions, changes, type, 'patch');
}
