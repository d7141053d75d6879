export type LruOptions<V> = {
  /** The maximum total weight of the entries; `weigh` returns the weight of one (1 each by default). */
  readonly capacity: number;
  readonly weigh?: (value: V) => number;
  readonly onEvict?: (key: string, value: V) => void;
};

/**
 * A bounded cache that evicts the least recently used entry. An entry heavier than the capacity is not kept.
 */
export class Lru<V> {
  readonly #entries = new Map<string, { value: V; weight: number }>();
  readonly #options: LruOptions<V>;
  #weight = 0;

  constructor(options: LruOptions<V>) {
    this.#options = options;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    this.delete(key);
    const weight = this.#options.weigh?.(value) ?? 1;
    if (weight > this.#options.capacity) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    this.#shrink();
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#weight -= entry.weight;
    return this.#entries.delete(key);
  }

  /** From the least to the most recently used. */
  *entries(): Generator<[key: string, value: V]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#weight;
  }

  #shrink(): void {
    for (const [key, { value, weight }] of this.#entries) {
      if (this.#weight <= this.#options.capacity) return;
      this.#entries.delete(key);
      this.#weight -= weight;
      this.#options.onEvict?.(key, value);
    }
  }
}
