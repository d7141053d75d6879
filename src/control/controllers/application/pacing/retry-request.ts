import { type Backoff, type Ctx, delayOf, FairleadError } from '#base/std';

const backoff: Backoff = { initialMs: 200, factor: 2, maxMs: 2_000, jitter: 0.5 };
const tries = 5;
const hangMs = 10_000;

/**
 * Retries single API requests after transient errors: a broken connection, an overloaded server, a write conflict. (The retry of
 * a failed sync is decided in engine/operation.) Only for work that is safe to repeat. One transient error of an API server in a
 * thousand writes must not fail a sync. Calls `onHang` for an attempt that failed after a long wait, so that the user sees why
 * five of them take so long.
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
