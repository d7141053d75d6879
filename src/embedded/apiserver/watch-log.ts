import type { Stored } from './stored.ts';

/** One change of one object. `previous` is the replaced version; a deletion's `stored` is the last state. */
export type LogEvent = {
  readonly rv: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly stored: Stored;
  readonly previous: Stored | undefined;
};

/** When an event was appended, and the bytes that only this log keeps in memory because of it. */
type Entry = { readonly event: LogEvent; readonly at: number; readonly bytes: number };

type Options = {
  readonly keep: number;
  readonly startsAt: number;
  readonly now: () => number;
  /** Called with every change of `bytes`. */
  readonly resized: (bytes: number) => void;
};

/** A watch over the network, whose client may read slower than events arrive. */
export type Reader = { readonly cursor: number; lost(): void };

/**
 * The texts of so many events, or of so many bytes, are cached: the last published ones, which watches are
 * sending.
 */
const mostNews = 64;
const mostNewsBytes = 4 * 1024 * 1024;

/** One read returns at most so much: a watch whose client does not read keeps it in memory. */
const batch = { events: 512, bytes: 256 * 1024 };

/** The bytes of an event besides the replaced object. */
const overhead = 256;

/**
 * The changes of one kind's objects, in order, as far back as the history goes. Readers keep a cursor of their own
 * into the one list, so a thousand watches cost a thousand numbers; a reader that falls behind the history gets
 * undefined.
 */
export class WatchLog {
  readonly #options: Options;
  readonly #waiting = new Set<() => void>();
  readonly #readers = new Set<Reader>();
  #entries: Entry[] = [];
  #dropped = 0;
  /** All events up to here are dropped. */
  #oldest: number;
  #published = 0;
  /** Events before this one keep no texts. */
  #old = 0;
  #newsBytes = 0;
  #bytes = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#oldest = options.startsAt;
  }

  /** The oldest resourceVersion whose successors are all still in the log. */
  get oldest(): number {
    return this.#oldest;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Bytes of objects that exist only because this log refers to them. */
  get bytes(): number {
    return this.#bytes;
  }

  append(event: LogEvent): void {
    // the object itself is live, or the `previous` of a later event here: only the replaced object is kept by the
    // log alone
    const bytes = overhead + (event.previous?.bytes ?? 0);
    this.#entries.push({ event, at: this.#options.now(), bytes });
    this.#resize(bytes);
    if (this.#entries.length > this.#options.keep * 2) this.#drop(this.#entries.length - this.#options.keep);
  }

  /** Makes all events up to `rv` visible to readers: they are in the store now. */
  publish(rv: number): void {
    let end = this.#published;
    for (let event = this.#at(end); event && event.rv <= rv; event = this.#at(end)) {
      this.#newsBytes += event.stored.bytes;
      end += 1;
    }
    if (end === this.#published) return;
    this.#age(Math.min(this.#published, end - mostNews));
    this.#published = end;
    while (this.#newsBytes > mostNewsBytes && this.#old < end - 1) this.#age(this.#old + 1);
    this.wakeAll();
  }

  /** Removes the events after `rv`, which were never published: the store refused them. */
  retract(rv: number): void {
    while (this.#published < this.#end && (this.#entries.at(-1)?.event.rv ?? 0) > rv) {
      this.#resize(-(this.#entries.pop()?.bytes ?? 0));
    }
  }

  #age(end: number): void {
    while (this.#old < end) {
      const stored = this.#at(this.#old)?.stored;
      stored?.becomeOld();
      this.#newsBytes -= stored?.bytes ?? 0;
      this.#old += 1;
    }
  }

  wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** The start of reading for a client that has seen all events up to `rv`; undefined when they are dropped. */
  cursorAfter(rv: number): number | undefined {
    if (rv < this.#oldest) return undefined;
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.event.rv ?? 0) <= rv) low = middle + 1;
      else high = middle;
    }
    return this.#dropped + low;
  }

  /** All events after `rv`, published or not; undefined when some are dropped. */
  after(rv: number): readonly LogEvent[] | undefined {
    const cursor = this.cursorAfter(rv);
    if (cursor === undefined) return undefined;
    return this.#entries.slice(cursor - this.#dropped).map(({ event }) => event);
  }

  /**
   * The next published events from the cursor on, a bounded number of them; undefined when some of them were
   * dropped.
   */
  read(cursor: number): readonly LogEvent[] | undefined {
    if (cursor < this.#dropped) return undefined;
    const events: LogEvent[] = [];
    const end = Math.min(this.#published, cursor + batch.events);
    for (let bytes = 0; cursor + events.length < end && bytes < batch.bytes; ) {
      const event = this.#at(cursor + events.length);
      if (!event) break;
      events.push(event);
      bytes += event.stored.bytes;
    }
    return events;
  }

  /** Whether all published events are before the cursor. */
  isAtEnd(cursor: number): boolean {
    return cursor >= this.#published;
  }

  /** Calls `lost` once the events at the reader's cursor are dropped. Returns the function that stops that. */
  attach(reader: Reader): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Resolves when there may be a new event, or when the function passed to `onWaiting` is called. */
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

  /** Drops published events that were appended before `time`. */
  expire(time: number): void {
    let count = 0;
    while ((this.#entries[count]?.at ?? Number.POSITIVE_INFINITY) < time) count += 1;
    this.#drop(count);
  }

  /** Drops the oldest published events until so many bytes are free, or none is left: false when nothing was dropped. */
  free(bytes: number): boolean {
    let [count, freed] = [0, 0];
    for (const entry of this.#entries) {
      if (freed >= bytes) break;
      freed += entry.bytes;
      count += 1;
    }
    return this.#drop(count);
  }

  get #end(): number {
    return this.#dropped + this.#entries.length;
  }

  #at(index: number): LogEvent | undefined {
    return this.#entries[index - this.#dropped]?.event;
  }

  #resize(bytes: number): void {
    this.#bytes += bytes;
    this.#options.resized(bytes);
  }

  #drop(wanted: number): boolean {
    const count = Math.min(wanted, this.#published - this.#dropped);
    if (count <= 0) return false;
    this.#age(this.#dropped + count);
    const gone = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    this.#oldest = gone.at(-1)?.event.rv ?? this.#oldest;
    this.#dropped += count;
    this.#resize(-gone.reduce((sum, { bytes }) => sum + bytes, 0));
    for (const reader of [...this.#readers]) if (reader.cursor < this.#dropped) reader.lost();
    return true;
  }
}
