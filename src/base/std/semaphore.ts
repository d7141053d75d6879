import { onAbort } from './on-abort.ts';

type Waiter = { admit(): void; reject(reason: unknown): void };

/** Limits how many callers work concurrently; the rest wait in a queue, first come, first served. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(size: number) {
    this.#free = size;
  }

  /** Runs the work as soon as there is capacity. Rejects with the signal's reason if it aborts before that. */
  async run<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    await this.acquire(signal);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Resolves when capacity is acquired; call `release` once for it. Rejects with the signal's reason if it aborts first. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          this.#drop(waiter, stopListening);
          resolve();
        },
        reject: (reason) => {
          this.#drop(waiter, stopListening);
          reject(reason);
        },
      };
      this.#waiting.add(waiter);
      const stopListening = onAbort(signal, () => waiter.reject(signal.reason));
    });
  }

  /** Hands the capacity to the caller that has waited longest. */
  release(): void {
    const [waiter] = this.#waiting;
    if (waiter) waiter.admit();
    else this.#free += 1;
  }

  /** Rejects every caller that waits. */
  rejectWaiting(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
  }

  #drop(waiter: Waiter, stopListening: () => void): void {
    this.#waiting.delete(waiter);
    stopListening();
  }
}
