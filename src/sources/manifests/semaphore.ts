import { type Ctx, onAbort } from '#base/std';

/** Told how long somebody waited for their turn, also when they left without it; for metrics. */
export type OnAcquire = (waitedMs: number) => void;

/** Lets a bounded number of things happen at once; the rest wait in line. */
export class Semaphore {
  readonly #onTurn: OnAcquire | undefined;
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(size: number, onTurn?: OnAcquire) {
    this.#free = size;
    this.#onTurn = onTurn;
  }

  /** Leaving the line when `ctx` ends costs nobody else a turn. */
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
