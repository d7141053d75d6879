/** The scheduling fields of an item. `slot` is -1 while it is not scheduled; only the heap writes it. */
export type Timed = { due: number; order: number; slot: number };

/** A heap of items by due time, ties in the order they were scheduled. Every operation is logarithmic. */
export class DueHeap<T extends Timed> {
  readonly #heap: T[] = [];
  #orders = 0;

  get first(): T | undefined {
    return this.#heap[0];
  }

  /** True when the item is now the first. An item already scheduled keeps the earlier of both times. */
  add(item: T, due: number): boolean {
    if (item.slot >= 0 && item.due <= due) return false;
    item.due = due;
    item.order = this.#orders++;
    const slot = item.slot < 0 ? this.#heap.push(item) - 1 : item.slot;
    return this.#rise(item, slot) === 0;
  }

  /** Takes the first item out. */
  shift(): T | undefined {
    const item = this.#heap[0];
    const last = this.#heap.pop();
    if (item && last && item !== last) this.#sink(last, 0);
    if (item) item.slot = -1;
    return item;
  }

  #rise(item: T, from: number): number {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#heap[above];
      if (!parent || !isBefore(item, parent)) break;
      this.#put(parent, slot);
      slot = above;
    }
    this.#put(item, slot);
    return slot;
  }

  #sink(item: T, from: number): void {
    let slot = from;
    for (;;) {
      const child = this.#earlierChild(slot);
      if (!child || !isBefore(child, item)) break;
      const below = child.slot;
      this.#put(child, slot);
      slot = below;
    }
    this.#put(item, slot);
  }

  #earlierChild(slot: number): T | undefined {
    const left = this.#heap[2 * slot + 1];
    const right = this.#heap[2 * slot + 2];
    return left && right && isBefore(right, left) ? right : left;
  }

  #put(item: T, slot: number): void {
    this.#heap[slot] = item;
    item.slot = slot;
  }
}

const isBefore = (a: Timed, b: Timed): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);
