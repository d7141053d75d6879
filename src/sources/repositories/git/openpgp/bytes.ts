import { FairleadError } from '#base/std';

/** Reads a byte array from its start to its end. Reading past the end throws InvalidSpec. */
export class Bytes {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw new FairleadError('InvalidSpec', 'a key or signature ends too early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  rest(): Uint8Array {
    return this.take(this.left);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** A number of one to four bytes, the highest first. */
  number(size: number): number {
    return this.take(size).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  /** A large number as OpenPGP writes it: its bits, then its bytes. */
  integer(): Uint8Array {
    return this.take(Math.ceil(this.number(2) / 8));
  }
}

/** A number as four bytes, the highest first. */
export const fourBytes = (value: number): Uint8Array =>
  Uint8Array.of((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);

/** The bytes as a number of exactly that length: leading zeros are added or removed. */
export function padded(bytes: Uint8Array, length: number): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? new Uint8Array() : bytes.subarray(start);
  if (digits.length > length) throw new FairleadError('InvalidSpec', 'a number in a signature is too large');
  const out = new Uint8Array(length);
  out.set(digits, length - digits.length);
  return out;
}
