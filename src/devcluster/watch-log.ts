import type { Stored } from './stored.ts';

/** One thing that happened to one object. `previous` is what it replaced; a deletion's `stored` is the last state. */
export type LogEvent = {
  readonly rv: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly stored: Stored;
  readonly previous: Stored | undefined;
};

/** So many events, and those that were published last, are news: whoever watches is reading them. */
const mostNews = 64;

/**
 * What happened to the objects of one resource, in order, as far back as memory goes. Readers keep a cursor of
 * their own into the one list, so a thousand watchers cost a thousand numbers; one that falls behind the end
 * of memory is told so.
 */
export class WatchLog {
  readonly #keep: number;
  readonly #waiting = new Set<() => void>();
  #events: LogEvent[] = [];
  #dropped = 0;
  /** Everything up to here can no longer be told. */
  #forgotten: number;
  #published = 0;
  /** Events before this one are no longer news. */
  #old = 0;

  constructor(keep: number, startsAt: number) {
    this.#keep = keep;
    this.#forgotten = startsAt;
  }

  /** The newest resourceVersion whose successors are all still known. */
  get oldest(): number {
    return this.#forgotten;
  }

  append(event: LogEvent): void {
    this.#events.push(event);
    if (this.#events.length > this.#keep * 2) this.#forget(this.#events.length - this.#keep);
  }

  /** Lets readers see everything up to `rv`: it is in the store now. */
  publish(rv: number): void {
    let end = this.#published;
    for (let event = this.#at(end); event && event.rv <= rv; event = this.#at(end)) end += 1;
    if (end === this.#published) return;
    this.#age(Math.min(this.#published, end - mostNews));
    this.#published = end;
    this.wakeAll();
  }

  #age(end: number): void {
    while (this.#old < end) {
      this.#at(this.#old)?.stored.becomeOld();
      this.#old += 1;
    }
  }

  wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Where reading starts for someone who has seen everything up to `rv`; undefined when that is too long ago. */
  cursorAfter(rv: number): number | undefined {
    if (rv < this.#forgotten) return undefined;
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.rv ?? 0) <= rv) low = middle + 1;
      else high = middle;
    }
    return this.#dropped + low;
  }

  /** Everything that happened after `rv`, published or not; undefined when that is too long ago. */
  after(rv: number): readonly LogEvent[] | undefined {
    const cursor = this.cursorAfter(rv);
    return cursor === undefined ? undefined : this.#events.slice(cursor - this.#dropped);
  }

  /** Published events from the cursor on; undefined when the cursor has been overtaken by forgetting. */
  read(cursor: number): readonly LogEvent[] | undefined {
    if (cursor < this.#dropped) return undefined;
    if (cursor >= this.#published) return [];
    return this.#events.slice(cursor - this.#dropped, this.#published - this.#dropped);
  }

  /** Resolves when there may be something new, or when `wake` is called by whoever holds it. */
  wait(onWaiting: (wake: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      onWaiting(wake);
    });
  }

  /** Drops all history before now, as a real server does when it compacts. */
  forgetAll(): void {
    this.#forget(this.#published - this.#dropped);
    this.wakeAll();
  }

  #at(index: number): LogEvent | undefined {
    return this.#events[index - this.#dropped];
  }

  #forget(count: number): void {
    this.#age(this.#dropped + count);
    const kept = this.#events.slice(count);
    this.#forgotten = this.#events[count - 1]?.rv ?? this.#forgotten;
    this.#dropped += count;
    this.#events = kept;
    if (this.#published < this.#dropped) this.#published = this.#dropped;
  }
}
