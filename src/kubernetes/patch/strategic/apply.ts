import type { JsonObject, TypeNode } from '#kubernetes/schema';
import { merge } from './merge.ts';

/** The target after a strategic merge patch. Throws InvalidSpec for a patch that contradicts itself or the type. */
export function applyStrategicPatch(target: JsonObject, patch: JsonObject, type: TypeNode): JsonObject {
  return merge(target, patch, type, 'object');
}
