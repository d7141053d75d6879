import { toBase64 } from '#base/std';
import { fn } from '../functions.ts';
import { runesOf } from '../text.ts';
import { type CallContext, GoError, type GoFunction } from '../value.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const ascii = Array.from({ length: 95 }, (_none, at) => String.fromCharCode(32 + at)).join('');

/** What needs randomness, which the host of the template has, or the function fails. */
export const randomFunctions: [string, GoFunction][] = [
  ['randAlphaNum', fn('int', (run, count) => pick(run, count, letters + digits))],
  ['randAlpha', fn('int', (run, count) => pick(run, count, letters))],
  ['randNumeric', fn('int', (run, count) => pick(run, count, digits))],
  ['randAscii', fn('int', (run, count) => pick(run, count, ascii))],
  ['randBytes', fn('int', (run, count) => toBase64(randomBytes(run, sizeOf(run, count))))],
  ['randInt', fn('int int', (run, least, most) => between(run, least, most))],
  ['shuffle', fn('string', (run, value) => shuffle(run, value))],
  ['uuidv4', fn('', (run) => uuid(randomBytes(run, 16)))],
];

/** Random bytes. */
export function randomBytes(run: CallContext, count: number): Uint8Array {
  if (!run.host.randomBytes) throw new GoError('randomness is not available to this template');
  run.alloc(count);
  return run.host.randomBytes(count);
}

function sizeOf(run: CallContext, count: bigint): number {
  if (count < 0n) throw new GoError('runtime error: makeslice: len out of range');
  const size = Number(count);
  run.alloc(size * 2);
  return size;
}

/** Characters of the set, each as likely as the others: bytes beyond the last whole multiple are drawn again. */
function pick(run: CallContext, count: bigint, set: string): string {
  if (count <= 0n) return '';
  const size = sizeOf(run, count);
  const limit = 256 - (256 % set.length);
  let text = '';
  while (text.length < size) {
    run.step();
    for (const byte of randomBytes(run, size - text.length))
      if (byte < limit) text += set.charAt(byte % set.length);
  }
  return text;
}

/** A whole number below the limit. */
function below(run: CallContext, limit: bigint): bigint {
  const drawn = randomBytes(run, 16).reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  return drawn % limit; // of 128 bits: the bias is below 2^-64
}

function between(run: CallContext, least: bigint, most: bigint): bigint {
  const width = BigInt.asIntN(64, most - least);
  if (width <= 0n) throw new GoError('invalid argument to Intn');
  return BigInt.asIntN(64, below(run, width) + least);
}

function shuffle(run: CallContext, value: string): string {
  const runes = runesOf(value);
  for (let at = runes.length - 1; at > 0; at--) {
    const other = Number(below(run, BigInt(at + 1)));
    const held = runes[at] ?? '';
    runes[at] = runes[other] ?? '';
    runes[other] = held;
  }
  return runes.join('');
}

function uuid(random: Uint8Array): string {
  random[6] = ((random[6] ?? 0) & 0x0f) | 0x40;
  random[8] = ((random[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
