import type { Logger } from '#base/std';

/** One background task of the cluster. Adding it again before it has started changes nothing. */
export type BackgroundTask = () => void;

type Disk = {
  /** Awaited now and then, so that a long queue of tasks waits for the disk and lets requests be served. */
  breathe(): Promise<void>;
  /** Whether the store refuses writes at present. */
  isBlocked(): boolean;
};

/**
 * The background tasks of the cluster: work that follows a write without being part of it. Tasks run one after
 * another, each synchronously, and only when there are any.
 */
export class BackgroundTasks {
  readonly #queue = new Map<string, BackgroundTask>();
  readonly #log: Logger;
  readonly #disk: Disk;
  /** Chores whose writes may not be on disk yet. */
  readonly #unconfirmed = new Set<ReadonlyMap<string, BackgroundTask>>();
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(log: Logger, disk: Disk) {
    this.#log = log;
    this.#disk = disk;
  }

  add(name: string, chore: BackgroundTask): void {
    if (this.#closed) return;
    if (!this.#queue.has(name)) this.#queue.set(name, chore);
    this.#running ??= this.#run();
  }

  /** Continues after the store refused writes: runs the tasks that failed then, or whose writes were undone. */
  resume(): void {
    for (const done of this.#unconfirmed) {
      for (const [name, chore] of done) if (!this.#queue.has(name)) this.#queue.set(name, chore);
    }
    this.#unconfirmed.clear();
    if (!this.#closed && this.#queue.size > 0) this.#running ??= this.#run();
  }

  /** Resolves when no chore is left, or none that can run now. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Finishes the chore in progress and drops the rest; the cluster finds them again after a restart. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    await this.settled();
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // never inside the write that added it
    const done = new Map<string, BackgroundTask>();
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
      () => {}, // its writes are undone: resume() runs it again
    );
    this.#running = undefined;
  }

  #do(name: string, chore: BackgroundTask): void {
    try {
      chore();
    } catch (error) {
      // resume() runs a chore again that the store refused
      if (!this.#disk.isBlocked())
        this.#log.warn('a chore of the embedded cluster failed', { chore: name, error });
    }
  }
}
