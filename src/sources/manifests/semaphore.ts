import { type Ctx, onAbort } from '#base/std';

/** Called with the time that a caller waited for the semaphore, also when it was cancelled first; for metrics. */
export type OnAcquire = (waitedMs: number) => void;

/** Limits how many callers work concurrently; the rest wait in a queue. */
export class Semaphore {
  readonly #onTurn: OnAcquire | undefined;
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(size: number, onTurn?: OnAcquire) {
    this.#free = size;
    this.#onTurn = onTurn;
  }

  /** A caller whose `ctx` ends leaves the queue without using a slot. */
  async take<Value>(ctx: Ctx, work: () => Promise<Value>): Promise<Value> {
    await this.#told(ctx);
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  async #told(ctx: Ctx): Promise<void> {
    const began = performance.now();
    try {
      await this.#admitted(ctx);
    } finally {
      this.#onTurn?.(performance.now() - began);
    }
  }

  async #admitted(ctx: Ctx): Promise<void> {
    ctx.signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        forget();
        resolve();
      };
      this.#line.push(enter);
      const forget = onAbort(ctx.signal, () => {
        this.#line.splice(this.#line.indexOf(enter), 1);
        reject(ctx.signal.reason);
      });
    });
  }
}
