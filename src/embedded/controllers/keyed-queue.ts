import type { Clock } from '#base/std';
import { DueQueue } from './due-queue.ts';

/**
 * A work queue of keys. One worker at a time gets a key; a key that is added while it is worked on is handed out
 * once more. Each key has at most one appointment for later, and the latest one counts.
 */
export class KeyedQueue {
  readonly #ready = new Set<string>();
  readonly #working = new Set<string>();
  readonly #again = new Set<string>();
  readonly #dueQueue = new DueQueue();
  readonly #idle: ((key: string | undefined) => void)[] = [];
  #nap: AbortController | undefined;
  #closed = false;

  /** No key is queued and none is worked on. */
  get isIdle(): boolean {
    return this.#ready.size === 0 && this.#working.size === 0;
  }

  /** When the first appointment is; undefined when there is none. */
  get nextAt(): number | undefined {
    return this.#dueQueue.first?.at;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#dueQueue.drop(key);
    if (this.#working.has(key)) this.#again.add(key);
    else this.#serve(key);
  }

  /** The next key; undefined once the queue is closed. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    for (const key of this.#ready) {
      this.#ready.delete(key);
      this.#working.add(key);
      return Promise.resolve(key);
    }
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Ends the work on a key. The queue hands it out again at that time if it is not added before. */
  done(key: string, at?: number): void {
    this.#working.delete(key);
    if (this.#closed) return;
    if (this.#again.delete(key)) this.#serve(key);
    else if (at !== undefined) this.#appoint(key, at);
  }

  /** Hands out no more keys. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#idle.splice(0)) resolve(undefined);
    this.#nap?.abort();
  }

  /** Adds keys at their appointments until the queue is closed; sleeps only while there are any. */
  async keepTime(clock: Clock): Promise<void> {
    while (!this.#closed) {
      for (
        let due = this.#dueQueue.due(clock.now().getTime());
        due;
        due = this.#dueQueue.due(clock.now().getTime())
      ) {
        this.add(due);
      }
      this.#nap = new AbortController();
      await this.#sleep(clock, this.#nap.signal);
    }
  }

  #sleep(clock: Clock, signal: AbortSignal): Promise<void> {
    const first = this.#dueQueue.first;
    if (!first) return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    // an aborted sleep means that an earlier appointment was added
    return clock.sleep(Math.max(0, first.at - clock.now().getTime()), signal).catch(() => {});
  }

  #appoint(key: string, at: number): void {
    this.#dueQueue.set(key, at);
    if (this.#dueQueue.first?.key === key) this.#nap?.abort();
  }

  #serve(key: string): void {
    const worker = this.#ready.has(key) ? undefined : this.#idle.shift();
    if (worker) {
      this.#working.add(key);
      worker(key);
    } else {
      this.#ready.add(key);
    }
  }
}
