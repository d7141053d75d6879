import { type Backoff, type Ctx, delayOf, FairleadError } from '#base/std';

const backoff: Backoff = { initialMs: 200, factor: 2, maxMs: 2_000, jitter: 0.5 };
const tries = 5;
const hangMs = 10_000;

/**
 * Repeats what failed for a passing reason: a broken connection, an overloaded server, somebody who was quicker. Only for
 * work that is safe to repeat. One hiccup of an API server in a thousand writes is no reason to fail a sync. `onHang` is told
 * of a try that nobody answered for long: whoever waits for five of them wants to know why.
 */
export async function withRetries<T>(
  ctx: Ctx,
  work: () => Promise<T>,
  onHang: (why: string) => void = () => {},
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const began = ctx.clock.now().getTime();
    try {
      return await work();
    } catch (error) {
      if (ctx.signal.aborted || attempt + 1 === tries || !isPassing(error)) throw error;
      if (ctx.clock.now().getTime() - began >= hangMs) onHang(FairleadError.from(error).message);
      await ctx.clock.sleep(delayOf(backoff, attempt, Math.random()), ctx.signal);
    }
  }
}

const isPassing = (error: unknown): boolean => FairleadError.from(error).code === 'Unavailable';
