import type { Logger } from '#base/std';

/** One thing the cluster does by itself, later. Asking again before it has begun changes nothing. */
export type Chore = () => void;

type Disk = {
  /** Awaited now and then, so that a long row of chores waits for the disk and lets requests in. */
  breathe(): Promise<void>;
  /** Whether nothing can be written now. */
  isBlocked(): boolean;
};

/**
 * The cluster's own work: what has to follow a write without being part of it. Chores run one after another, each
 * in one go, and only when there are any.
 */
export class Chores {
  readonly #queue = new Map<string, Chore>();
  readonly #log: Logger;
  readonly #disk: Disk;
  /** Chores whose writes may not be on disk yet. */
  readonly #unconfirmed = new Set<ReadonlyMap<string, Chore>>();
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(log: Logger, disk: Disk) {
    this.#log = log;
    this.#disk = disk;
  }

  add(name: string, chore: Chore): void {
    if (this.#closed) return;
    if (!this.#queue.has(name)) this.#queue.set(name, chore);
    this.#running ??= this.#run();
  }

  /** Goes on after the disk refused writes: what could not be done then, or was undone, is done now. */
  resume(): void {
    for (const done of this.#unconfirmed) {
      for (const [name, chore] of done) if (!this.#queue.has(name)) this.#queue.set(name, chore);
    }
    this.#unconfirmed.clear();
    if (!this.#closed && this.#queue.size > 0) this.#running ??= this.#run();
  }

  /** Resolves when there is nothing left to do, or nothing that can be done now. */
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
    const done = new Map<string, Chore>();
    this.#unconfirmed.add(done);
    for (const [name, chore] of this.#queue) {
      if (this.#disk.isBlocked()) break;
      this.#queue.delete(name);
      done.set(name, chore);
      this.#do(name, chore);
      if (done.size % 64 === 0) await this.#disk.breathe().catch(() => {});
    }
    this.#disk.breathe().then(
      () => this.#unconfirmed.delete(done),
      () => {}, // what it wrote is undone: resume() does it again
    );
    this.#running = undefined;
  }

  #do(name: string, chore: Chore): void {
    try {
      chore();
    } catch (error) {
      // a chore that the disk refused is done again by resume()
      if (!this.#disk.isBlocked())
        this.#log.warn('a chore of the embedded cluster failed', { chore: name, error });
    }
  }
}
