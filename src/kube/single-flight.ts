import type { Ctx } from '#std';
import { onAbort } from './on-abort.ts';

type Flight<T> = { readonly result: Promise<T>; readonly stop: AbortController; waiting: number };

/**
 * Many ask, one works, all get its answer. A caller that gives up leaves the others undisturbed; the work itself is
 * stopped only when nobody waits for it any more.
 */
export class SingleFlight<T> {
  #flight: Flight<T> | undefined;

  async run(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
    ctx.signal.throwIfAborted();
    this.#flight ??= this.#start(ctx, work);
    const flight = this.#flight;
    flight.waiting += 1;
    try {
      return await untilAborted(flight.result, ctx.signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        flight.stop.abort(new Error('nobody waits for this any more'));
        this.#land(flight);
      }
    }
  }

  #start(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Flight<T> {
    const stop = new AbortController();
    const flight: Flight<T> = { result: work({ ...ctx, signal: stop.signal }), stop, waiting: 0 };
    const land = (): void => this.#land(flight);
    flight.result.then(land, land);
    return flight;
  }

  #land(flight: Flight<T>): void {
    if (this.#flight === flight) this.#flight = undefined;
  }
}

function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    result.then(resolve, reject).finally(forget);
  });
}
