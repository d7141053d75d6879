import { FairleadError, Semaphore } from '#base/std';
import type { WorkerProcess } from './worker-process.ts';

/** A slot for one worker. It may be empty, or hold one that has died since. */
export type WorkerSlot = { worker: WorkerProcess | undefined };

/** A fixed number of slots, and a queue for them: first come, first served. */
export class WorkerSlots {
  readonly all: readonly WorkerSlot[];
  readonly #free: Set<WorkerSlot>;
  readonly #semaphore: Semaphore;

  constructor(size: number) {
    this.all = Array.from({ length: size }, () => ({ worker: undefined }));
    this.#free = new Set(this.all);
    this.#semaphore = new Semaphore(size);
  }

  /** Rejects with the signal's reason if it aborts first. `fitness` chooses among free slots: the higher, the better. */
  async take(signal: AbortSignal, fitness: (slot: WorkerSlot) => number): Promise<WorkerSlot> {
    await this.#semaphore.acquire(signal);
    const [slot] = [...this.#free].sort((a, b) => fitness(b) - fitness(a));
    if (!slot) throw new FairleadError('Internal', 'a worker slot was promised and none is free');
    this.#free.delete(slot);
    return slot;
  }

  free(slot: WorkerSlot): void {
    this.#free.add(slot);
    this.#semaphore.release();
  }

  rejectWaiting(reason: unknown): void {
    this.#semaphore.rejectWaiting(reason);
  }
}
