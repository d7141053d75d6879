type Appointment = { readonly at: number; readonly key: string };

/** When each key is due. A heap: appointments that were moved or cancelled are skipped when they reach the top. */
export class DueQueue {
  readonly #heap: Appointment[] = [];
  readonly #valid = new Map<string, Appointment>();

  set(key: string, at: number): void {
    if (this.#valid.get(key)?.at === at) return;
    const appointment = { at, key };
    this.#valid.set(key, appointment);
    this.#heap.push(appointment);
    this.#rise(this.#heap.length - 1);
  }

  drop(key: string): void {
    this.#valid.delete(key);
  }

  get first(): Appointment | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (this.#valid.get(top.key) === top) return top;
      this.#pop();
    }
    return undefined;
  }

  /** Removes and returns a key that is due. */
  due(now: number): string | undefined {
    const { first } = this;
    if (!first || first.at > now) return undefined;
    this.#pop();
    this.#valid.delete(first.key);
    return first.key;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(start: number): void {
    let child = start;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (this.#at(parent) <= this.#at(child)) return;
      this.#swap(parent, child);
      child = parent;
    }
  }

  #sink(start: number): void {
    let parent = start;
    for (;;) {
      const left = 2 * parent + 1;
      const least = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(least) >= this.#at(parent)) return;
      this.#swap(parent, least);
      parent = least;
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (!first || !second) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}
