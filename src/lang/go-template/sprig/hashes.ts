import { fromBase64, toBase64 } from '#base/std';
import { fn } from '../functions.ts';
import { fromBytes, toBytes } from '../text.ts';
import type { GoFunction } from '../value.ts';
import { sha1, sha256, sha512 } from './sha.ts';

/** sprig's encodings and checksums. A text that cannot be decoded gives the error as its result. */
export const hashFunctions: [string, GoFunction][] = [
  ['b64enc', fn('string', (_run, value) => toBase64(toBytes(value)))],
  ['b64dec', fn('string', (_run, value) => decode64(value))],
  ['b32enc', fn('string', (_run, value) => encode32(toBytes(value)))],
  ['b32dec', fn('string', (_run, value) => decode32(value))],
  ['sha1sum', fn('string', (run, value) => charged(run, value, sha1))],
  ['sha256sum', fn('string', (run, value) => charged(run, value, sha256))],
  ['sha512sum', fn('string', (run, value) => charged(run, value, sha512))],
  ['adler32sum', fn('string', (_run, value) => adler32(toBytes(value)))],
];

/** A checksum costs about a step for every eight bytes. */
function charged(
  run: { step(count: number): void },
  value: string,
  hash: (bytes: Uint8Array) => string,
): string {
  const bytes = toBytes(value);
  run.step(Math.ceil(bytes.length / 8));
  return hash(bytes);
}

function adler32(bytes: Uint8Array): string {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

const decode64 = (value: string): string => problemIn64(value) ?? decoded64(value);

/** Go skips line breaks, demands padding and names the byte at which it gave up; undefined: it is base64. */
export function problemIn64(value: string): string | undefined {
  const bad = (at: number): string =>
    `illegal base64 data at input byte ${toBytes(value.slice(0, at)).length}`;
  const found = /^(?:(?:[A-Za-z0-9+/][\r\n]*){4})*/.exec(value)?.[0] ?? '';
  const [last = ''] = /^(?:[A-Za-z0-9+/][\r\n]*){0,3}/.exec(value.slice(found.length)) ?? [];
  const figures = last.replace(/[\r\n]/g, '').length;
  const end = found.length + last.length;
  const [padding = ''] = /^(?:=[\r\n]*){0,2}/.exec(value.slice(end)) ?? [];
  const signs = padding.replace(/[^=]/g, '').length;
  const wrong = wrongPadding(figures, signs, value.length === end);
  if (wrong) return bad({ start: value.length - figures, end, padding: end + padding.length }[wrong]);
  const used = end + (figures === 3 ? padding.indexOf('=') + 1 : figures === 0 ? 0 : padding.length);
  const rest = value.slice(used).search(/[^\r\n]/);
  return rest < 0 ? undefined : bad(used + rest);
}

/** Where a last group without four figures is wrong: two or three figures need two or one signs. */
function wrongPadding(
  figures: number,
  signs: number,
  isEnd: boolean,
): 'start' | 'end' | 'padding' | undefined {
  if (figures === 0) return signs > 0 ? 'end' : undefined;
  if (isEnd) return 'start';
  if (signs === 0 || figures < 2) return 'end';
  return figures + signs < 4 ? 'padding' : undefined;
}

const decoded64 = (value: string): string =>
  fromBytes(fromBase64(value.replace(/[\r\n=]/g, '')) ?? new Uint8Array());

const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function encode32(bytes: Uint8Array): string {
  let [text, held, bits] = ['', 0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet32.charAt((held >> (bits - 5)) & 31);
    held &= 31;
  }
  if (bits > 0) text += alphabet32.charAt((held << (5 - bits)) & 31);
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

function decode32(value: string): string {
  const input = toBytes(value.replace(/[\r\n]/g, ''));
  const end = endOfDigits(input);
  return typeof end === 'string' ? end : fromBytes(unpack32(input.subarray(0, end)));
}

const digitOf = (byte: number): number => alphabet32.indexOf(String.fromCharCode(byte));

/** Go reads groups of eight; padding may begin at the third place of the last one, and what follows it is not read. */
function endOfDigits(input: Uint8Array): number | string {
  for (const [at, byte] of input.entries()) {
    if (byte === padding && at % 8 >= 2 && input.length - at <= 8) {
      const wrong = paddingProblem(input, at);
      return wrong === undefined ? at : illegal32(wrong);
    }
    if (digitOf(byte) < 0) return illegal32(at);
  }
  const rest = input.length % 8;
  return rest === 0 ? input.length : illegal32(input.length - rest);
}

function unpack32(digits: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const digit of digits) {
    held = ((held << 5) | digitOf(digit)) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  return Uint8Array.from(bytes);
}

const padding = '='.charCodeAt(0);
const illegal32 = (at: number): string => `illegal base32 data at input byte ${at}`;

/** Where padding that begins at `at` is wrong; undefined: it is complete. */
function paddingProblem(input: Uint8Array, at: number): number | undefined {
  const place = at % 8;
  const after = input.length - at - 1;
  if (after + place < 7) return input.length;
  for (let k = 0; k < 7 - place; k++) if (k < after && input[at + 1 + k] !== padding) return at + k;
  return place === 3 || place === 6 ? at : undefined;
}
