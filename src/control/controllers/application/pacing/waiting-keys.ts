/**
 * Keys in a queue that gives out the oldest and the newest in turn: whatever came last is not behind hundreds that came at once, as
 * after a start, and whatever came first is not overtaken for ever. A key is in it once. Every method takes constant time on average.
 */
export class WaitingKeys {
  readonly #keys = new Set<string>();
  /** In the order of their arrival, with keys that were deleted meanwhile. */
  #order: string[] = [];
  #first = 0;
  #isNewestNext = false;

  add(key: string): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#order.push(key);
  }

  delete(key: string): void {
    this.#keys.delete(key);
    if (this.#order.length - this.#first > 2 * this.#keys.size + 64) this.#compact();
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** Removes and returns a key; undefined when there is none. */
  next(): string | undefined {
    const fromEnd = this.#isNewestNext;
    while (this.#first < this.#order.length) {
      const key = fromEnd ? this.#order.pop() : this.#order[this.#first++];
      if (key === undefined || !this.#keys.has(key)) continue;
      this.#isNewestNext = !fromEnd;
      this.delete(key);
      return key;
    }
    return undefined;
  }

  #compact(): void {
    // of a key that left and came back, the last place counts
    const last = this.#order.slice(this.#first).filter((key) => this.#keys.has(key));
    this.#order = [...new Set(last.reverse())].reverse();
    this.#first = 0;
  }
}
