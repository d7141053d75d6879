import { FairleadError } from '#base/std';

/** What a field of the wire format holds: a varint, or the bytes of a text or of a message. */
export type WireValue = number | bigint | Uint8Array;

export const malformed = (why: string): FairleadError => new FairleadError('InvalidSpec', `protobuf: ${why}`);

const firstSize = 64 * 1024;
const largestKept = 1024 * 1024;
/** A shorter text is written by us: the call into Node takes longer. */
const shortText = 24;

/**
 * Writes the wire format from its end to its beginning: the length of a message stands before it and is known when all of it is
 * written.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(firstSize);
  #at = firstSize;

  /** Empties it for the next message. One that was very large leaves no memory behind. */
  begin(): void {
    if (this.#bytes.length > largestKept) this.#bytes = Buffer.allocUnsafe(firstSize);
    this.#at = this.#bytes.length;
  }

  /** How many bytes are written; two of these give the length of what was written in between. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** A whole number of at most 64 bits; negative ones take ten bytes, as in Go. */
  varint(value: number | bigint): void {
    if (typeof value === 'bigint' || value < 0 || value > Number.MAX_SAFE_INTEGER) {
      this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
      return;
    }
    if (value < 0x80) {
      const at = this.#make(1); // may replace the buffer
      this.#bytes[at] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
    let at = this.#make(size);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80;
    this.#bytes[at] = rest;
  }

  #bigVarint(value: bigint): void {
    const groups: number[] = [];
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(rest));
    const at = this.#make(groups.length); // may replace the buffer
    this.#bytes.set(groups, at);
  }

  /** After the value of a field; `wire` 0 for a varint, 2 for bytes. */
  tag(number: number, wire: 0 | 2): void {
    this.varint(number * 8 + wire);
  }

  bytes(value: Uint8Array): void {
    const at = this.#make(value.length);
    this.#bytes.set(value, at);
    this.varint(value.length);
  }

  text(value: string): void {
    if (value.length <= shortText && this.#plainText(value)) return;
    const size = Buffer.byteLength(value);
    const at = this.#make(size);
    this.#bytes.write(value, at, size, 'utf8');
    this.varint(size);
  }

  /** Writes a text of ASCII; false: it is none, and nothing is written. */
  #plainText(value: string): boolean {
    const size = value.length;
    const at = this.#make(size);
    for (let i = 0; i < size; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) {
        this.#at += size;
        return false;
      }
      this.#bytes[at + i] = code;
    }
    this.varint(size);
    return true;
  }

  /** A copy of what was written. */
  end(): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#at));
  }

  #make(size: number): number {
    if (size > this.#at) {
      const length = Math.max(this.#bytes.length * 2, this.length + size);
      const larger = Buffer.allocUnsafe(length);
      this.#bytes.copy(larger, length - this.length, this.#at);
      [this.#bytes, this.#at] = [larger, length - this.length];
    }
    this.#at -= size;
    return this.#at;
  }
}

/** Reads the wire format. Throws InvalidSpec where the bytes are no message. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next field. Undefined value: of a type that no message of ours has, already skipped. */
  field(): { readonly number: number; readonly value: WireValue | undefined } {
    const tag = Number(this.varint());
    const number = Math.floor(tag / 8);
    if (number < 1 || number > 0x1fff_ffff) throw malformed(`field number ${number} is invalid`);
    return { number, value: this.#value(tag % 8) };
  }

  /** Signed, as Go reads an int64. */
  varint(): number | bigint {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    return this.#long(BigInt(value));
  }

  #long(low: bigint): number | bigint {
    let value = low;
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      const signed = BigInt.asIntN(64, value);
      const number = Number(signed);
      return Number.isSafeInteger(number) ? number : signed;
    }
    throw malformed('a number is longer than ten bytes');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw malformed('unexpected end of the message');
    this.#at += 1;
    return byte;
  }

  #value(wire: number): WireValue | undefined {
    if (wire === 0) return this.varint();
    if (wire === 2) return this.#take(Number(this.varint()));
    if (wire !== 1 && wire !== 5) throw malformed(`wire type ${wire} is not supported`);
    this.#take(wire === 1 ? 8 : 4);
    return undefined;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw malformed('unexpected end of the message');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
