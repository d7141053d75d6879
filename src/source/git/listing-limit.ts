import { type Clock, type Ctx, FairleadError, joined, onAbort, realClock } from '#std';
import { mayPass } from './retry.ts';

type Limits = {
  /** Programs under way that have not been waited for long. */
  readonly quick: number;
  /** Programs that have been; one more ends the oldest of them. */
  readonly slow: number;
  /** How long a program is quick. */
  readonly slowMs: number;
};

type Waiting = { readonly host: string; admit(): void };
type Running = { readonly host: string; began: number; readonly stop: AbortController };

/** A program is two processes. Most hosts answer within half a second. */
const defaults: Limits = { quick: 64, slow: 128, slowMs: 500 };

/**
 * Limits the programs that ask hosts for their refs, so that hosts which accept a connection and never answer cost neither
 * the machine's processes nor the others' time. A program that has waited for half a second makes room for another; where
 * too many have, the one that waited longest is ended. Of those in the queue the next is one of the host with the fewest
 * programs under way.
 */
export class ListingLimit {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #queue: Waiting[] = [];
  readonly #quick = new Set<Running>();
  readonly #slow = new Set<Running>();

  /** The network keeps real time, whatever clock its callers live by; a test has its own. */
  constructor(limits: Partial<Limits> = {}, clock: Clock = realClock) {
    this.#limits = { ...defaults, ...limits };
    this.#clock = clock;
  }

  /** Runs the work when there is room for it. Throws Unavailable when it was ended to make room for others. */
  async run<Value>(ctx: Ctx, host: string, work: (ctx: Ctx) => Promise<Value>): Promise<Value> {
    const stop = new AbortController();
    const done = new AbortController();
    const running: Running = { host, began: this.#clock.now().getTime(), stop };
    await this.#admitted(ctx, running);
    this.#clock.sleep(this.#limits.slowMs, done.signal).then(
      () => this.#becomesSlow(running),
      () => {},
    );
    const { signal, release } = joined(ctx.signal, stop.signal);
    try {
      return await work({ ...ctx, signal });
    } finally {
      release();
      done.abort();
      this.#slow.delete(running);
      if (this.#quick.delete(running)) this.#admitNext();
    }
  }

  /** A place is taken at the moment it is given: whoever comes next finds one less. */
  async #admitted(ctx: Ctx, running: Running): Promise<void> {
    ctx.signal.throwIfAborted();
    if (this.#quick.size < this.#limits.quick && this.#queue.length === 0) {
      this.#quick.add(running);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        host: running.host,
        admit: () => {
          forget();
          running.began = this.#clock.now().getTime();
          this.#quick.add(running);
          resolve();
        },
      };
      this.#queue.push(waiting);
      const forget = onAbort(ctx.signal, () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(ctx.signal.reason);
      });
    });
  }

  #becomesSlow(running: Running): void {
    if (!this.#quick.delete(running)) return;
    this.#slow.add(running);
    const [oldest] = this.#slow;
    if (oldest && this.#slow.size > this.#limits.slow) {
      this.#slow.delete(oldest);
      const seconds = Math.round((this.#clock.now().getTime() - oldest.began) / 1000);
      const why = `${oldest.host} did not answer for ${seconds} s while many others were waited for`;
      oldest.stop.abort(mayPass(new FairleadError('Unavailable', why)));
    }
    this.#admitNext();
  }

  #admitNext(): void {
    let next: Waiting | undefined;
    for (const waiting of this.#queue) {
      if (!next || this.#countOf(waiting.host) < this.#countOf(next.host)) next = waiting;
    }
    if (!next) return;
    this.#queue.splice(this.#queue.indexOf(next), 1);
    next.admit();
  }

  #countOf(host: string): number {
    let count = 0;
    for (const running of [...this.#quick, ...this.#slow]) if (running.host === host) count += 1;
    return count;
  }
}
