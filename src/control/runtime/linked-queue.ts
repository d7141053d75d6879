/** The links of an item in a lane, written by the lane alone. */
export type Linked<T> = { ahead: T | undefined; behind: T | undefined };

/** First in, first out; removing from the middle costs no more than from the front. */
export class LinkedQueue<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    item.ahead = this.#last;
    item.behind = undefined;
    if (this.#last) this.#last.behind = item;
    else this.#first = item;
    this.#last = item;
    this.#size += 1;
  }

  shift(): T | undefined {
    const item = this.#first;
    if (item) this.remove(item);
    return item;
  }

  /** The item must be in this lane. */
  remove(item: T): void {
    if (item.ahead) item.ahead.behind = item.behind;
    else this.#first = item.behind;
    if (item.behind) item.behind.ahead = item.ahead;
    else this.#last = item.ahead;
    item.ahead = undefined;
    item.behind = undefined;
    this.#size -= 1;
  }
}
