import { type Ctx, FairleadError } from '#base/std';

type Reader<T> = { waiting: T[]; wake: (() => void) | undefined; lost: boolean };

/**
 * One writer, many readers. A reader that falls behind by more than `limit` gets an error and ends, rather than a history
 * with holes.
 */
export class Feed<T> {
  readonly #readers = new Set<Reader<T>>();
  readonly #limit: number;

  constructor(limit = 1000) {
    this.#limit = limit;
  }

  publish(item: T): void {
    for (const reader of this.#readers) {
      if (reader.waiting.length >= this.#limit) {
        reader.lost = true;
        this.#readers.delete(reader);
      } else reader.waiting.push(item);
      reader.wake?.();
    }
  }

  /**
   * Everything published from this call on, until `ctx` stops. Throws LimitExceeded when the reader is too slow: read
   * the state again and follow from there.
   */
  follow(ctx: Ctx): AsyncGenerator<T> {
    const reader: Reader<T> = { waiting: [], wake: undefined, lost: false };
    this.#readers.add(reader);
    return this.#read(ctx, reader);
  }

  async *#read(ctx: Ctx, reader: Reader<T>): AsyncGenerator<T> {
    const wake = () => reader.wake?.();
    ctx.signal.addEventListener('abort', wake);
    try {
      while (!ctx.signal.aborted) {
        const items = reader.waiting;
        reader.waiting = [];
        yield* items;
        if (reader.lost && reader.waiting.length === 0) throw new FairleadError('LimitExceeded', tooSlow);
        if (reader.waiting.length === 0 && !ctx.signal.aborted) await rest(reader);
      }
    } finally {
      ctx.signal.removeEventListener('abort', wake);
      this.#readers.delete(reader);
    }
  }
}

const tooSlow = 'reader too slow: changes were dropped, read the state again';

function rest<T>(reader: Reader<T>): Promise<void> {
  return new Promise((resolve) => {
    reader.wake = () => {
      reader.wake = undefined;
      resolve();
    };
  });
}
