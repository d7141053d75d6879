import type { WorkerProcess } from './worker-process.ts';

/** A slot for one worker. It may be empty, or hold one that has died since. */
export type WorkerSlot = { worker: WorkerProcess | undefined };

type Waiter = { sit(seat: WorkerSlot): void; leave(reason: unknown): void };

/** A fixed number of slots, and a queue for them: first come, first served. */
export class WorkerSlots {
  readonly all: readonly WorkerSlot[];
  readonly #free: Set<WorkerSlot>;
  readonly #line = new Set<Waiter>();

  constructor(size: number) {
    this.all = Array.from({ length: size }, () => ({ worker: undefined }));
    this.#free = new Set(this.all);
  }

  /** Rejects with the signal's reason if it aborts first. `liking` chooses among free slots: the higher, the better. */
  take(signal: AbortSignal, liking: (seat: WorkerSlot) => number): Promise<WorkerSlot> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const seat = this.#best(liking);
      if (seat) {
        this.#free.delete(seat);
        resolve(seat);
        return;
      }
      const stop = () => waiter.leave(signal.reason);
      const out = () => {
        this.#line.delete(waiter);
        signal.removeEventListener('abort', stop);
      };
      const waiter = {
        sit: (free: WorkerSlot) => {
          out();
          resolve(free);
        },
        leave: (reason: unknown) => {
          out();
          reject(reason);
        },
      };
      this.#line.add(waiter);
      signal.addEventListener('abort', stop);
    });
  }

  free(seat: WorkerSlot): void {
    const [waiter] = this.#line;
    if (waiter) waiter.sit(seat);
    else this.#free.add(seat);
  }

  sendAway(reason: unknown): void {
    for (const waiter of this.#line) waiter.leave(reason);
  }

  #best(liking: (seat: WorkerSlot) => number): WorkerSlot | undefined {
    return [...this.#free].sort((a, b) => liking(b) - liking(a))[0];
  }
}
