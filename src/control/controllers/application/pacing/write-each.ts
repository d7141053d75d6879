import type { KubeObject } from '#base/model';
import { atOnce, type Ctx } from '#base/std';
import type { ClusterCache } from '#control/live';

/** compat engine §2.1: concurrent writes to one cluster. */
const width = 20;
/** A small API server that gets more than this at once delays all its clients. */
const mostBytes = 1_000_000;
/** Watch events of objects smaller than this do not delay later ones noticeably. */
const largeBytes = 10_000;
const pollMs = 10;
/** A watch without an event for this long is broken: stop waiting for it. */
const watchTimeoutMs = 2_000;

/**
 * Writes or deletes objects, many concurrently where they are small: bounds their number, the bytes in flight, and, where the
 * work ends with `untilObserved`, the bytes of watch events still to come.
 */
export function writeEach<Item, Result>(
  items: readonly Item[],
  objectOf: (item: Item) => KubeObject | undefined,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return atOnce({ width, most: mostBytes, weigh: (item) => sizeOf(objectOf(item)) }, items, work);
}

/**
 * Waits until the watches have delivered the event of a large object that was written or deleted. Events arrive in order:
 * those of other objects come after ours, and after megabytes of ours, seconds late.
 */
export async function untilObserved(
  ctx: Ctx,
  cache: Pick<ClusterCache, 'owes'>,
  object: KubeObject,
  isGone = false,
): Promise<void> {
  if (!cache.owes(object, isGone) || sizeOf(object) < largeBytes) return;
  for (let ms = 0; ms < watchTimeoutMs && cache.owes(object, isGone); ms += pollMs)
    await ctx.clock.sleep(pollMs, ctx.signal);
}

/** The approximate size in bytes of a value when it is sent. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + sizeOf(one), 0);
  let sum = 0;
  for (const key in value) sum += key.length + sizeOf((value as Record<string, unknown>)[key]);
  return sum;
}
