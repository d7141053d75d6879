/** Exact amounts of bytes from chunks of any size. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly `length` bytes; undefined when fewer are left. */
  async take(length: number): Promise<Uint8Array | undefined> {
    const whole = await this.upTo(length);
    return whole.length === length ? whole : undefined;
  }

  /** `length` bytes, or as many as are left. */
  async upTo(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this.parts(length)) parts.push(part);
    const [first] = parts;
    return parts.length === 1 && first ? first : Buffer.concat(parts);
  }

  /** The next `length` bytes in chunks as they arrive; fewer at the end of the stream. */
  async *parts(length: number): AsyncGenerator<Uint8Array> {
    for (let wanted = length; wanted > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return;
      const part = this.#rest.subarray(0, wanted);
      this.#rest = this.#rest.subarray(part.length);
      wanted -= part.length;
      yield part;
    }
  }

  /** Ends the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#rest = next.value;
    return true;
  }
}
