/** A reader whose program runs from its first read until it is closed. */
type Pooled = { close(): Promise<void> };

type Member = {
  /** Reads in flight; while there are any, the program is not ended. */
  reads: number;
  /** Whether there was no read since the last call of `endIdle`. */
  isIdle: boolean;
  /** Resolves when the program whose slot this one takes has ended. */
  readonly room: Promise<void> | undefined;
};

/**
 * Limits the programs that read objects, over all repositories. Without a free slot, the least recently used program is
 * ended; while all of them are in use, the next reader waits for the first idle one.
 */
export class ReaderPool {
  readonly #most: number;
  /** In the order of their last use. */
  readonly #members = new Map<Pooled, Member>();
  readonly #queue = new Map<Pooled, { reads: number; readonly admitted: Promise<void>; admit(): void }>();
  readonly #closing = new Set<Promise<void>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a read of this reader when there is a slot for its program. */
  async use<Value>(reader: Pooled, work: () => Promise<Value>): Promise<Value> {
    await this.#enter(reader);
    try {
      return await work();
    } finally {
      this.#leave(reader);
    }
  }

  /** Ends the idle programs: those without a read since the last call. */
  async endIdle(): Promise<void> {
    const ended: Promise<void>[] = [];
    for (const [reader, member] of [...this.#members]) {
      if (member.reads > 0) continue;
      if (member.isIdle) ended.push(this.#end(reader));
      member.isIdle = true;
    }
    await Promise.all(ended);
  }

  /** Resolves when the programs that were ended are gone. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing);
  }

  #enter(reader: Pooled): Promise<void> | undefined {
    const member = this.#members.get(reader);
    if (member) {
      member.reads += 1;
      member.isIdle = false;
      return member.room;
    }
    const queued = this.#queue.get(reader);
    if (queued) {
      queued.reads += 1;
      return queued.admitted;
    }
    const isFull = this.#members.size >= this.#most;
    const unused = isFull ? this.#longestUnused() : undefined;
    if (isFull && !unused) return this.#wait(reader);
    const room = unused && this.#end(unused);
    this.#members.set(reader, { reads: 1, isIdle: false, room });
    return room;
  }

  #wait(reader: Pooled): Promise<void> {
    let admit = (): void => {};
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    this.#queue.set(reader, { reads: 1, admitted, admit });
    return admitted;
  }

  #leave(reader: Pooled): void {
    const member = this.#members.get(reader);
    if (!member) return;
    member.reads -= 1;
    if (member.reads > 0) return;
    const [next] = this.#queue;
    if (!next) {
      // the last in the order is the last that was used
      this.#members.delete(reader);
      this.#members.set(reader, member);
      return;
    }
    const [waiting, { reads, admit }] = next;
    this.#queue.delete(waiting);
    this.#members.set(waiting, { reads, isIdle: false, room: this.#end(reader).then(admit) });
  }

  #longestUnused(): Pooled | undefined {
    for (const [reader, { reads }] of this.#members) if (reads === 0) return reader;
    return undefined;
  }

  #end(reader: Pooled): Promise<void> {
    this.#members.delete(reader);
    const closing = reader
      .close()
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    return closing;
  }
}
