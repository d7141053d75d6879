import type { Ctx } from '#std';

/** Lets a bounded number of things happen at once; the rest wait in line. */
export class Turns {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** Leaving the line when `ctx` ends costs nobody else a turn. */
  async take<Value>(ctx: Ctx, work: () => Promise<Value>): Promise<Value> {
    await this.#admitted(ctx);
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  async #admitted(ctx: Ctx): Promise<void> {
    ctx.signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const signal = AbortSignal.any([ctx.signal]);
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#line.splice(this.#line.indexOf(enter), 1);
        reject(signal.reason);
      };
      this.#line.push(enter);
      signal.addEventListener('abort', leave);
    });
  }
}
