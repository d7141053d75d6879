import type { Run } from './run.ts';
import { compareText, isMap, isNumber, type JsonMap, type JsonValue, sortedKeys } from './value.ts';

function rankOf(value: JsonValue): number {
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 2 : 1;
  if (isNumber(value)) return 3;
  if (typeof value === 'string') return 4;
  return Array.isArray(value) ? 5 : 6;
}

/**
 * jq's order of all values: null, false, true, numbers, strings, arrays, objects.
 * compat gojq: nan is less than every number, itself included, and every number is greater than nan.
 */
export function compare(run: Run, left: JsonValue, right: JsonValue): number {
  run.step();
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  const rank = rankOf(left);
  const otherRank = rankOf(right);
  if (rank !== otherRank) return rank < otherRank ? -1 : 1;
  if (typeof left === 'string') return compareTexts(run, left, right as string);
  if (Array.isArray(left)) return compareLists(run, left, right as JsonValue[]);
  return isMap(left) ? compareMaps(run, left, right as JsonMap) : 0;
}

function compareTexts(run: Run, left: string, right: string): number {
  run.step(Math.min(left.length, right.length) >> 5);
  return left === right ? 0 : compareText(left, right);
}

function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (left < right || Number.isNaN(left)) return -1;
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint of the same value are equal
  return left == right ? 0 : 1;
}

function compareLists(run: Run, left: readonly JsonValue[], right: readonly JsonValue[]): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const order = compare(run, left[at] ?? null, right[at] ?? null);
    if (order !== 0) return order;
  }
  return Math.sign(left.length - right.length);
}

function compareMaps(run: Run, left: JsonMap, right: JsonMap): number {
  const keys = sortedKeys(run, left);
  const order = compareLists(run, keys, sortedKeys(run, right));
  if (order !== 0) return order;
  for (const key of keys) {
    const inner = compare(run, left[key] ?? null, right[key] ?? null);
    if (inner !== 0) return inner;
  }
  return 0;
}

/** A stable sort of items by their keys. */
export function sortBy<T>(run: Run, items: readonly T[], keyOf: (item: T) => JsonValue): T[] {
  return [...items].sort((left, right) => compare(run, keyOf(left), keyOf(right)));
}
