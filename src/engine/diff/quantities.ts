import { compareQuantities, quantityOf } from '#base/model';
import { anyType, isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';

/**
 * engine D-27: the predicted value with the live spelling wherever both are the same quantity, so that `1Gi` equals
 * `1073741824` in every kind. Without a type, the entries of `resources.requests` and its siblings count as
 * quantities.
 */
export function alignQuantities<T>(predicted: T, live: unknown, type: TypeNode): T {
  return align(predicted, live, type, []) as T;
}

/**
 * The same below one path, including every item of a list on the way: for fields whose type the settings
 * name.
 */
export function alignAt<T>(predicted: T, live: unknown, path: readonly string[], type: TypeNode): T {
  return alignBelow(predicted, live, path, type) as T;
}

function alignBelow(predicted: unknown, live: unknown, path: readonly string[], type: TypeNode): unknown {
  if (Array.isArray(predicted) && Array.isArray(live)) {
    return predicted.map((item, at) => alignBelow(item, live[at], path, type));
  }
  const [step, ...rest] = path;
  if (step === undefined) return align(predicted, live, type, []);
  if (!isObject(predicted) || !isObject(live) || !Object.hasOwn(predicted, step)) return predicted;
  return { ...predicted, [step]: alignBelow(predicted[step], live[step], rest, type) };
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
    const aligned = align(value, live[key], typeOfField(type, key), [...trail.slice(-2), key]);
    if (aligned !== value) next = { ...next, [key]: aligned };
  }
  return next;
}

function typeOfField(type: TypeNode, key: string): TypeNode {
  if (type.kind === 'struct') return type.fields.get(key)?.type ?? anyType;
  return type.kind === 'map' ? type.values : anyType;
}

/**
 * Without a type, the last three names decide: an entry of `limits` has the trail [resources, limits, cpu].
 */
function isQuantityPlace(type: TypeNode, [holder, list]: Trail): boolean {
  if (type.kind === 'scalar' && type.scalar === 'quantity') return true;
  return holder === 'resources' && list !== undefined && resourceLists.has(list);
}

const resourceLists: ReadonlySet<string> = new Set(['requests', 'limits', 'claims']);

type Leaf = string | number | bigint;
const isLeaf = (value: unknown): value is Leaf =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';

/** A value that is no quantity is compared as text. */
function isSameQuantity(a: Leaf, b: Leaf): boolean {
  const [left, right] = [quantityOf(a), quantityOf(b)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}
