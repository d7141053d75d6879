import type { KubeObject } from '#base/model';
import { atOnce, type Ctx } from '#base/std';
import type { ClusterCache } from '#control/live';

/** compat §2.1: writes to one cluster at a time. */
const width = 20;
/** A small API server that is sent more than this at a time keeps everybody waiting. */
const mostBytes = 1_000_000;
/** What is smaller than this keeps nobody waiting who is told of after it. */
const largeBytes = 10_000;
const askMs = 10;
/** A watch that has nothing to tell for so long is broken, and not waited for. */
const patienceMs = 2_000;

/**
 * Writes or deletes one object after the other, many at a time where they are small: what is sent is bounded as well as their
 * number, and so is what the watches have yet to tell of, where the work ends with `untilTold`.
 */
export function writeEach<Item, Result>(
  items: readonly Item[],
  objectOf: (item: Item) => KubeObject | undefined,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return atOnce({ width, most: mostBytes, weigh: (item) => heft(objectOf(item)) }, items, work);
}

/**
 * Waits until the watches have told of something large that was written or deleted. They tell one thing after the other: what
 * somebody else's object has become comes after all that we did before, and with megabytes of that, after seconds.
 */
export async function untilObserved(
  ctx: Ctx,
  cache: Pick<ClusterCache, 'owes'>,
  object: KubeObject,
  isGone = false,
): Promise<void> {
  if (!cache.owes(object, isGone) || heft(object) < largeBytes) return;
  for (let ms = 0; ms < patienceMs && cache.owes(object, isGone); ms += askMs)
    await ctx.clock.sleep(askMs, ctx.signal);
}

/** About how many bytes a value is when it is sent. */
function heft(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + heft(one), 0);
  let sum = 0;
  for (const key in value) sum += key.length + heft((value as Record<string, unknown>)[key]);
  return sum;
}
