import { type Ctx, onAbort } from '#base/std';

/** Limits how many sets write applications at the same time. The limit is read again for each. */
export class WriteLimit {
  readonly #most: () => number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(most: () => number) {
    this.#most = most;
  }

  async run<Result>(ctx: Ctx, work: () => Promise<Result>): Promise<Result> {
    while (this.#busy >= Math.max(1, this.#most())) await this.#freed(ctx);
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  #freed({ signal }: Ctx): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        release();
        resolve();
      };
      this.#waiting.push(wake);
      const release = onAbort(signal, () => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        reject(signal.reason);
      });
    });
  }
}
