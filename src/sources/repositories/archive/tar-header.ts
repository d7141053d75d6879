import { decodeText } from '#base/model';
import { FairleadError } from '#base/std';

export const blockSize = 512;

/** The header of one entry, parsed from its 512 bytes. */
export type Header = {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly executable: boolean;
  readonly link: string;
};

/** Undefined: a block of zeros, of which two end an archive. Throws InvalidSpec for data that is not tar. */
export function readHeader(block: Uint8Array): Header | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (numberAt(block, 148, 8) !== checksum(block)) throw damaged();
  const isUstar = textAt(block, 257, 5) === 'ustar';
  // GNU tar stores other data where the standard stores the beginning of a long name
  const prefix = isUstar && block[262] === 0 ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    size: numberAt(block, 124, 12),
    executable: (numberAt(block, 100, 8) & 0o111) !== 0,
    link: textAt(block, 157, 100),
  };
}

export const damaged = (): FairleadError =>
  new FairleadError('InvalidSpec', 'it is no tar archive, or a damaged one: pack it again');

/** The records of a pax header: `length key=value\n`, the length counting itself. */
export function readPax(bytes: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at);
    const length = Number(decodeText(bytes.subarray(at, blank)));
    if (blank < 0 || !Number.isSafeInteger(length) || length < 5 || at + length > bytes.length)
      throw damaged();
    const record = decodeText(bytes.subarray(blank + 1, at + length - 1));
    const equals = record.indexOf('=');
    if (equals < 0) throw damaged();
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

export function textAt(bytes: Uint8Array, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return decodeText(end < 0 ? field : field.subarray(0, end));
}

/** Octal digits, or the bytes of a larger number, marked by the highest bit. */
function numberAt(block: Uint8Array, from: number, length: number): number {
  const first = block[from] ?? 0;
  if (first === 0x80) {
    const value = block.subarray(from + 1, from + length).reduce((sum, byte) => sum * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw damaged();
    return value;
  }
  const digits = textAt(block, from, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw damaged();
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** The sum of all bytes, those of the sum itself counted as blanks. */
function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}
