import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';

/**
 * A gzip file of parts that were compressed on their own, so that a part which is sent again is not compressed again. The parts are one
 * deflate stream: each ends at a byte, without being the last, and refers to nothing before it. The checksum of the file
 * follows from those of the parts.
 */
export type GzipPart = {
  readonly bytes: Uint8Array;
  /** Of the text, in bytes. */
  readonly size: number;
  readonly checksum: number;
  /** What a checksum of everything before is multiplied by. */
  readonly shift: number;
};

// measured on lists of applications: higher levels cost twice the time for a tenth of the size
const options: ZlibOptions = { level: 3, finishFlush: constants.Z_SYNC_FLUSH };
const deflated = promisify<Uint8Array, ZlibOptions, Buffer>(deflateRaw);

/** Up to here compressing takes a millisecond or two, and handing it to another thread costs more than it saves. */
const maxInPlace = 512 * 1024;

export async function gzipPart(text: string): Promise<GzipPart> {
  const bytes = Buffer.from(text);
  const isShort = bytes.length <= maxInPlace;
  return partOf(bytes, isShort ? deflateRawSync(bytes, options) : await deflated(bytes, options));
}

const maxStored = 65_535;

/** A short text, as it is. */
export function storedPart(text: string): GzipPart {
  const bytes = Buffer.from(text);
  if (bytes.length > maxStored) throw new RangeError('a stored part has at most 64 KB');
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(~bytes.length & 0xffff, 3);
  return partOf(bytes, Buffer.concat([head, bytes]));
}

const partOf = (text: Uint8Array, bytes: Uint8Array): GzipPart => ({
  bytes,
  size: text.length,
  checksum: crc32(text),
  shift: powerOf(8 * text.length),
});

/** A file with no name and no time. */
const fileHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const lastBlock = Buffer.from([3, 0]);

/** Joins parts in the order in which they are added. */
export class GzipFile {
  readonly head: Uint8Array = fileHead;
  #checksum = 0;
  #size = 0;

  /** The bytes to send. */
  add({ bytes, size, checksum, shift }: GzipPart): Uint8Array {
    this.#checksum = (multiply(shift, this.#checksum) ^ checksum) >>> 0;
    this.#size = (this.#size + size) % 2 ** 32;
    return bytes;
  }

  end(): Uint8Array {
    const tail = Buffer.alloc(8);
    tail.writeUInt32LE(this.#checksum, 0);
    tail.writeUInt32LE(this.#size, 4);
    return Buffer.concat([lastBlock, tail]);
  }
}

// Checksums are polynomials over the field of two elements modulo the one of RFC 1952, the highest bit being the constant.

const polynomial = 0xedb88320;
const one = 0x80000000;

function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product >>> 0;
}

/** The polynomial x to this power. */
function powerOf(exponent: number): number {
  let [power, square] = [one, one >>> 1];
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}
