import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

/** Told of changes that came together: how many there were, and how long it took to take them in. */
export type OnBatch = (changes: number, ms: number) => void;

/** Adds up what is taken in during one turn of the event loop, which is what came in together, and tells when it is over. */
export class Batches {
  readonly #tell: OnBatch | undefined;
  #changes = 0;
  #ms = 0;

  constructor(tell: OnBatch | undefined) {
    this.#tell = tell;
  }

  take(isChange: boolean, work: () => void): void {
    const began = performance.now();
    try {
      work();
    } finally {
      if (isChange && this.#tell) this.#add(performance.now() - began);
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
    this.#tell?.(changes, ms);
  }
}
