import type { Logger } from '#std';

/** One thing the cluster does by itself, later. Asking again before it has begun changes nothing. */
export type Chore = () => void;

/**
 * The cluster's own work: what has to follow a write without being part of it. Chores run one after another, each
 * in one go, and only when there are any.
 */
export class Chores {
  readonly #queue = new Map<string, Chore>();
  readonly #log: Logger;
  /** Awaited now and then, so that a long row of chores waits for the disk and lets requests in. */
  readonly #breathe: () => Promise<void>;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(log: Logger, breathe: () => Promise<void>) {
    this.#log = log;
    this.#breathe = breathe;
  }

  add(name: string, chore: Chore): void {
    if (this.#closed) return;
    if (!this.#queue.has(name)) this.#queue.set(name, chore);
    this.#running ??= this.#run();
  }

  /** Resolves when there is nothing left to do. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Finishes what has begun and forgets the rest; it will be found again after a restart. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    await this.settled();
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // never inside the write that asked for it
    let done = 0;
    for (const [name, chore] of this.#queue) {
      this.#queue.delete(name);
      try {
        chore();
      } catch (error) {
        this.#log.warn('a chore of the embedded cluster failed', { chore: name, error });
      }
      if (++done % 64 === 0) await this.#breathe().catch(() => this.#queue.clear());
    }
    this.#running = undefined;
  }
}
