import { type Ctx, onAbort, realClock, silent } from '#base/std';
import { createPool, type Pool } from '#platform/workers';
import type { functions } from './hash-worker.ts';

/** Whether a password matches a hash. Rejects with the signal's reason when `ctx` stops before the check began. */
export type CheckPassword = (ctx: Ctx, given: string, hash: string) => Promise<boolean>;

/** Hashes computed concurrently, each in a process of its own. */
const width = 2;
/** An idle worker costs memory; starting one costs less than the delay of a login anyway. */
const idleMs = 60_000;
const limits = { ms: 30_000, memoryMb: 64 };
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/**
 * Checks passwords outside this process: libuv's thread pool, which files and DNS need, computes none of the hashes. At most two
 * run at a time. A client that disconnects leaves the queue; a check that has begun runs to its end, because ending and
 * starting a worker costs more than the hash.
 */
export class PasswordPool {
  readonly #queue = new Set<() => void>();
  #pool: Pool<typeof functions> | undefined;
  #running = 0;
  #idle = new AbortController();

  readonly check: CheckPassword = (ctx, given, hash) =>
    this.#use(ctx, (pool, inner) => pool.run(inner, 'verify', [given, hash], limits));

  /** The hash to store for a password. */
  readonly hash = (ctx: Ctx, password: string): Promise<string> =>
    this.#use(ctx, (pool, inner) => pool.run(inner, 'hash', [password], limits));

  async #use<T>(ctx: Ctx, work: (pool: Pool<typeof functions>, inner: Ctx) => Promise<T>): Promise<T> {
    await this.#enter(ctx.signal);
    try {
      this.#idle.abort();
      this.#pool ??= createPool({
        module: new URL(`./hash-worker${extension}`, import.meta.url),
        size: width,
      });
      return await work(this.#pool, {
        signal: new AbortController().signal,
        log: silent,
        clock: realClock,
      });
    } finally {
      this.#leave();
    }
  }

  /** Ends the workers. A check that runs rejects. */
  async close(): Promise<void> {
    this.#idle.abort();
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.close();
  }

  #enter(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#running < width) {
        this.#running += 1;
        resolve();
        return;
      }
      const begin = () => {
        stopListening();
        resolve();
      };
      this.#queue.add(begin);
      const stopListening = onAbort(signal, () => {
        this.#queue.delete(begin);
        reject(signal.reason);
      });
    });
  }

  /** Passes the slot to the first in the queue; without one, the workers end after a while. */
  #leave(): void {
    const [next] = this.#queue;
    if (next) {
      this.#queue.delete(next);
      next();
      return;
    }
    this.#running -= 1;
    if (this.#running > 0) return;
    this.#idle = new AbortController();
    realClock.sleep(idleMs, this.#idle.signal).then(
      () => this.close(),
      () => {}, // used again, or closed
    );
  }
}
