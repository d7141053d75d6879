import { WaitingKeys } from './waiting-keys.ts';

type SemaphoreOptions = {
  most(thing: string): number;
  requeue(key: string): void;
  /** Left out: `stillSince` is not used. */
  now?(): number;
};

/**
 * A counting semaphore for each cluster, repository, host and project. Work that finds no capacity does not wait in a worker: its key
 * is requeued when there is some. No key waits for a thing that has capacity.
 */
export class KeyedSemaphore {
  readonly #most: (thing: string) => number;
  readonly #requeue: (key: string) => void;
  readonly #now: () => number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, WaitingKeys>();
  readonly #moved = new Map<string, number>();

  constructor({ most, requeue, now = () => 0 }: SemaphoreOptions) {
    this.#most = most;
    this.#requeue = requeue;
    this.#now = now;
  }

  /**
   * False: no capacity, `requeue` will be called with the key. True: all of them are acquired until `leave`. Of what a key does not take
   * because it has to wait for another thing, the next in line is requeued: 100 applications of a host that hangs, each requeued for
   * a slot of the cluster that it could not use, delayed all others on the cluster until the host timed out.
   */
  enter(key: string, on: readonly string[]): boolean {
    const full = on.find((thing) => this.#isFull(thing));
    if (full === undefined) {
      for (const thing of on) this.#take(key, thing);
      return true;
    }
    const waiting = this.#waiting.get(full) ?? new WaitingKeys();
    waiting.add(key);
    this.#waiting.set(full, waiting);
    for (const thing of on) if (!this.#isFull(thing)) this.#requeueNext(thing);
    return false;
  }

  /** Acquires a thing again for work that had released it, over the limit if need be: the work was admitted before. */
  retake(thing: string): void {
    this.#take('', thing);
  }

  leave(on: readonly string[]): void {
    for (const thing of on) {
      const left = (this.#taken.get(thing) ?? 1) - 1;
      this.#taken.set(thing, left);
      this.#moved.set(thing, this.#now());
      if (left === 0) this.#forget(thing);
      this.#requeueNext(thing);
    }
  }

  /** Since when no work released a thing that has no capacity; undefined: it has capacity. */
  stillSince(thing: string): number | undefined {
    return this.#isFull(thing) ? this.#moved.get(thing) : undefined;
  }

  #isFull(thing: string): boolean {
    return (this.#taken.get(thing) ?? 0) >= this.#most(thing);
  }

  #take(key: string, thing: string): void {
    this.#taken.set(thing, (this.#taken.get(thing) ?? 0) + 1);
    this.#moved.set(thing, this.#now());
    this.#waiting.get(thing)?.delete(key);
  }

  #forget(thing: string): void {
    this.#taken.delete(thing);
    this.#moved.delete(thing);
  }

  #requeueNext(thing: string): void {
    const waiting = this.#waiting.get(thing);
    const next = waiting?.next();
    if (waiting?.isEmpty) this.#waiting.delete(thing);
    if (next !== undefined) this.#requeue(next);
  }
}
