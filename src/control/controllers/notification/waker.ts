import { type Ctx, joined } from '#base/std';

/** Lets a loop sleep until it is woken, its time is over, or `ctx` stops. A wake before the sleep ends that sleep. */
export class Waker {
  #woken = new AbortController();

  wake(): void {
    this.#woken.abort();
  }

  async sleep(ctx: Ctx, ms?: number): Promise<void> {
    const { signal, release } = joined(ctx.signal, this.#woken.signal);
    if (ms === undefined) await untilAborted(signal);
    else await ctx.clock.sleep(ms, signal).catch(() => {});
    release();
    if (this.#woken.signal.aborted) this.#woken = new AbortController();
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
