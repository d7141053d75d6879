/**
 * Whose turn it is: so many pieces of work at a time for each thing they depend on, a cluster or a repository. What finds
 * no room does not wait in a worker, which others need, but is called again when there is some.
 */
export class Turns {
  readonly #most: (thing: string) => number;
  readonly #again: (key: string) => void;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, Set<string>>();

  constructor(options: { most(thing: string): number; again(key: string): void }) {
    this.#most = (thing) => options.most(thing);
    this.#again = options.again;
  }

  /** False: not now, `again` will be called with the key. True: all of them are taken until `leave`. */
  enter(key: string, on: readonly string[]): boolean {
    const full = on.find((thing) => (this.#taken.get(thing) ?? 0) >= this.#most(thing));
    if (full === undefined) {
      for (const thing of on) this.#taken.set(thing, (this.#taken.get(thing) ?? 0) + 1);
      return true;
    }
    const waiting = this.#waiting.get(full);
    if (waiting) waiting.add(key);
    else this.#waiting.set(full, new Set([key]));
    return false;
  }

  leave(on: readonly string[]): void {
    for (const thing of on) {
      const left = (this.#taken.get(thing) ?? 1) - 1;
      if (left > 0) this.#taken.set(thing, left);
      else this.#taken.delete(thing);
      this.#call(thing);
    }
  }

  #call(thing: string): void {
    const waiting = this.#waiting.get(thing);
    const [first] = waiting ?? [];
    if (!waiting || first === undefined) return;
    waiting.delete(first);
    if (waiting.size === 0) this.#waiting.delete(thing);
    this.#again(first);
  }
}
