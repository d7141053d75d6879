import type { KubeObject } from '#model';
import { atOnce } from '#std';

/** compat §2.1: writes to one cluster at a time. */
const width = 20;
/** A small API server that is sent more than this at a time keeps everybody waiting. */
const mostBytes = 1_000_000;

/**
 * Writes or deletes one object after the other, many at a time where they are small: what is sent, or told of by the watches
 * afterwards, is bounded as well as their number.
 */
export function writeEach<Item, Result>(
  items: readonly Item[],
  objectOf: (item: Item) => KubeObject | undefined,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return atOnce({ width, most: mostBytes, weigh: (item) => heft(objectOf(item)) }, items, work);
}

/** About how many bytes a value is when it is sent. */
function heft(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + heft(one), 0);
  let sum = 0;
  for (const [key, one] of Object.entries(value)) sum += key.length + heft(one);
  return sum;
}
