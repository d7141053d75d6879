import { compareQuantities, quantityOf } from '#model';
import { anyType, isObject, type JsonObject, type TypeNode } from '#schema';

/**
 * D-27: the predicted value with the live spelling wherever both mean the same quantity, so that `1Gi` is
 * `1073741824` in every kind. Where a type is unknown, `resources.requests` and `resources.limits` tell.
 */
export function alignQuantities<T>(predicted: T, live: unknown, type: TypeNode): T {
  return align(predicted, live, type, []) as T;
}

type Trail = readonly string[];

function align(predicted: unknown, live: unknown, type: TypeNode, trail: Trail): unknown {
  if (predicted === live) return predicted;
  if (isLeaf(predicted) && isLeaf(live)) {
    return isQuantityPlace(type, trail) && isSameQuantity(predicted, live) ? live : predicted;
  }
  if (Array.isArray(predicted) && Array.isArray(live)) return alignItems(predicted, live, type, trail);
  if (isObject(predicted) && isObject(live)) return alignFields(predicted, live, type, trail);
  return predicted;
}

function alignItems(predicted: unknown[], live: unknown[], type: TypeNode, trail: Trail): unknown[] {
  const items = type.kind === 'list' ? type.items : anyType;
  const next = predicted.map((item, at) => align(item, live[at], items, trail));
  return next.some((item, at) => item !== predicted[at]) ? next : predicted;
}

function alignFields(predicted: JsonObject, live: JsonObject, type: TypeNode, trail: Trail): JsonObject {
  let next = predicted;
  for (const [key, value] of Object.entries(predicted)) {
    if (!Object.hasOwn(live, key)) continue;
    const aligned = align(value, live[key], typeOfField(type, key), [...trail.slice(-1), key]);
    if (aligned !== value) next = { ...next, [key]: aligned };
  }
  return next;
}

function typeOfField(type: TypeNode, key: string): TypeNode {
  if (type.kind === 'struct') return type.fields.get(key)?.type ?? anyType;
  return type.kind === 'map' ? type.values : anyType;
}

/** In what nobody described, the last two names decide: an entry of `limits` is seen with the trail [limits, cpu]. */
function isQuantityPlace(type: TypeNode, trail: Trail): boolean {
  if (type.kind === 'scalar') {
    return type.scalar === 'quantity' || (type.scalar === 'int-or-string' && isResourceList(trail));
  }
  return type.kind === 'any' && isResourceList(trail);
}

const isResourceList = ([parent]: Trail): boolean => parent === 'requests' || parent === 'limits';

type Leaf = string | number | bigint;
const isLeaf = (value: unknown): value is Leaf =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';

/** What is no quantity is compared as the text it is. */
function isSameQuantity(a: Leaf, b: Leaf): boolean {
  const [left, right] = [quantityOf(a), quantityOf(b)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}
