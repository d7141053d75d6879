import { type Ctx, Semaphore } from '#base/std';

/** Called with the time that a caller waited for a slot, also when it was cancelled first; for metrics. */
export type OnAcquire = (waitedMs: number) => void;

/** Limits how many engines run concurrently, and reports how long each caller waited. */
export class RenderSlots {
  readonly #slots: Semaphore;
  readonly #onAcquire: OnAcquire | undefined;

  constructor(size: number, onAcquire?: OnAcquire) {
    this.#slots = new Semaphore(size);
    this.#onAcquire = onAcquire;
  }

  /** A caller whose `ctx` ends leaves the queue without using a slot. */
  async run<Value>({ signal }: Ctx, work: () => Promise<Value>): Promise<Value> {
    const began = performance.now();
    try {
      await this.#slots.acquire(signal);
    } finally {
      this.#onAcquire?.(performance.now() - began);
    }
    try {
      return await work();
    } finally {
      this.#slots.release();
    }
  }
}
