import type { Ctx } from './ctx.ts';
import { onAbort } from './on-abort.ts';

type Flight<Value> = {
  readonly result: Promise<Value>;
  readonly stop: AbortController;
  waiting: number;
  landed: boolean;
};

/**
 * Deduplicates concurrent calls: one run at a time for each key, whose result all its callers share. The run
 * outlives any one caller and is aborted when none is left.
 */
export class SingleFlight<Value> {
  readonly #flights = new Map<string, Flight<Value>>();

  /** Joins the running work for this key, or starts it. Failures are shared and not cached. */
  async run(ctx: Ctx, key: string, work: (ctx: Ctx) => Promise<Value>): Promise<Value> {
    ctx.signal.throwIfAborted();
    let flight = this.#flights.get(key);
    if (!flight || flight.stop.signal.aborted) {
      flight = this.#start(ctx, key, work);
    }
    flight.waiting += 1;
    try {
      return await untilAborted(ctx, flight.result);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0 && !flight.landed)
        flight.stop.abort(new Error('every caller has stopped waiting'));
    }
  }

  /** Resolves when the work under way for this key has ended, well or badly; at once when there is none. */
  async settled(ctx: Ctx, key: string): Promise<void> {
    const flight = this.#flights.get(key);
    if (flight) await untilAborted(ctx, flight.result.then(ignore, ignore));
  }

  #start(ctx: Ctx, key: string, work: (ctx: Ctx) => Promise<Value>): Flight<Value> {
    const stop = new AbortController();
    const result = work({ ...ctx, signal: stop.signal });
    const flight = { result, stop, waiting: 0, landed: false };
    this.#flights.set(key, flight);
    const land = (): void => {
      flight.landed = true;
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    result.then(land, land);
    return flight;
  }
}

const ignore = (): void => {};

function untilAborted<Value>({ signal }: Ctx, result: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    const over = (settle: () => void): void => {
      forget();
      settle();
    };
    result.then(
      (value) => over(() => resolve(value)),
      (error) => over(() => reject(error)),
    );
  });
}
