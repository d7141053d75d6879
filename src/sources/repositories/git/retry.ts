import { type Backoff, type Ctx, delayOf, FairleadError } from '#base/std';

const backoff: Backoff = { initialMs: 250, factor: 2, maxMs: 5_000 }; // compat sources GIT-7

const passing = new WeakSet<FairleadError>();

/** Marks a failure as transient. */
export function mayPass(failure: FairleadError): FairleadError {
  passing.add(failure);
  return failure;
}

/** Retries, with growing pauses, while the failure is marked as transient. */
export async function retried<Value>(ctx: Ctx, attempts: number, work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const again = error instanceof FairleadError && passing.has(error);
      if (!again || attempt + 1 >= attempts || ctx.signal.aborted) throw error;
      await ctx.clock.sleep(delayOf(backoff, attempt, 0), ctx.signal);
    }
  }
}
