import { FairleadError } from '#base/std';

/** The longest packet that Git writes, its own four digits included. */
const longest = 65_520;
const digits = 4;

/** A packet of Git's protocol: its length in four digits, then its content. */
export const packet = (text: string): string =>
  (Buffer.byteLength(text) + digits).toString(16).padStart(digits, '0') + text;

/** Ends a list of packets, and separates two of one request. */
export const flush = '0000';
export const delimiter = '0001';

/**
 * Splits packets into lines, in whatever chunks they arrive. A line is without its line end; undefined is a flush.
 * Throws Unavailable for an invalid list of packets: the responses we read contain no other marker than a flush.
 */
export class Packets {
  #pieces: Uint8Array[] = [];
  #held = 0;
  #wanted = digits;

  read(piece: Uint8Array, take: (line: string | undefined) => void): void {
    this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#held < this.#wanted) return; // however small the chunks are, they are joined once
    const bytes = asBuffer(this.#pieces);
    let at = 0;
    for (this.#wanted = digits; at + this.#wanted <= bytes.length; this.#wanted = digits) {
      const length = lengthAt(bytes, at);
      if (length > bytes.length - at) {
        this.#wanted = length;
        break;
      }
      take(length === 0 ? undefined : lineAt(bytes, at + digits, at + length));
      at += length || digits;
    }
    this.#pieces = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#held = bytes.length - at;
  }

  /** Whether the last packet is complete. */
  get isWhole(): boolean {
    return this.#held === 0;
  }
}

function asBuffer(pieces: readonly Uint8Array[]): Buffer {
  const [first] = pieces;
  if (!first || pieces.length > 1) return Buffer.concat(pieces);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

function lengthAt(bytes: Buffer, at: number): number {
  let length = 0;
  for (let digit = at; digit < at + digits; digit++) length = length * 16 + hexValue(bytes[digit] ?? 0);
  if (length > longest || (length !== 0 && length < digits)) throw odd('a packet of no possible length');
  return length;
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x57;
  throw odd('no packets');
}

function lineAt(bytes: Buffer, start: number, end: number): string {
  const ends = end > start && bytes[end - 1] === 0x0a;
  return bytes.toString('utf8', start, ends ? end - 1 : end);
}

/** The error in a host's response; for a log, since git then reports the error to the user. */
export const odd = (what: string): FairleadError =>
  new FairleadError('Unavailable', `an answer that is not understood: ${what}`);
