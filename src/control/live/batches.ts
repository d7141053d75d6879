import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

/** Called with changes that arrived together: their number, and how long it took to process them. */
export type OnBatch = (changes: number, ms: number) => void;

/** Sums up the changes processed in one iteration of the event loop, which arrived together, and reports them at its end. */
export class Batches {
  readonly #onBatch: OnBatch | undefined;
  #changes = 0;
  #ms = 0;

  constructor(onBatch: OnBatch | undefined) {
    this.#onBatch = onBatch;
  }

  take(isChange: boolean, work: () => void): void {
    const began = performance.now();
    try {
      work();
    } finally {
      if (isChange && this.#onBatch) this.#add(performance.now() - began);
    }
  }

  #add(ms: number): void {
    if (this.#changes === 0) setImmediate(() => this.#end());
    this.#changes += 1;
    this.#ms += ms;
  }

  #end(): void {
    const [changes, ms] = [this.#changes, this.#ms];
    this.#changes = 0;
    this.#ms = 0;
    this.#onBatch?.(changes, ms);
  }
}
