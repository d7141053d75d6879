import { sha256 } from '#std';
import { Fault } from '../fault.ts';
import { force, isList, typeOf, type Value, type Vm } from '../value.ts';
import { asInteger, asList, asText, type Native } from './define.ts';
import { md5, sha1, sha512 } from './digests.ts';
import { sha3 } from './sha3.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The bytes of a text in UTF-8. */
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const fromUtf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function toBase64(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const four = [word >> 18, (word >> 12) & 63, (word >> 6) & 63, word & 63].map(
      (six) => letters[six] ?? '',
    );
    out += four
      .slice(0, Math.min(left, 3) + 1)
      .join('')
      .padEnd(4, '=');
  }
  return out;
}

function fromBase64(text: string): Uint8Array {
  const clean = text.replace(/[\r\n]/g, '');
  if (text.length % 4 !== 0 || clean.length % 4 !== 0)
    throw new Fault(`this is not base64: ${text.length} characters are no multiple of four`);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(clean)) throw new Fault('this is not base64: it has other characters');
  const body = clean.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let word = 0;
  let at = 0;
  for (let i = 0; i < body.length; i++) {
    word = ((word << 6) | letters.indexOf(body[i] ?? '')) & 0xffffff;
    const held = (i % 4) * 6 + 6;
    if (held >= 8 && i % 4 > 0) bytes[at++] = (word >> (held % 8)) & 0xff;
  }
  return bytes;
}

function byteOf(value: Value): number {
  const byte = asInteger(value, 'a byte');
  if (byte < 0 || byte > 255) throw new Fault(`a byte is between 0 and 255, got ${byte}`);
  return byte;
}

function bytesOf(vm: Vm, list: Value): Uint8Array {
  const items = asList(list, 'bytes');
  vm.meter.step(items.length);
  return Uint8Array.from(items, (item) => byteOf(force(item)));
}

function base64(vm: Vm, input: Value): string {
  if (typeof input !== 'string' && !isList(input)) {
    throw new Fault(`base64 takes a string or an array of bytes, got ${typeOf(input)}`);
  }
  if (typeof input !== 'string') return toBase64(bytesOf(vm, input));
  vm.meter.text(input.length);
  for (const char of input) byteOf(char.codePointAt(0) ?? 0);
  return toBase64(utf8(input)); // compat JSN-4: checked as bytes, encoded as UTF-8
}

const digest = (name: string, run: (bytes: Uint8Array) => string): Native => [
  `${name}(s)`,
  (vm, text = null) => {
    const bytes = utf8(asText(text, 'what is hashed'));
    vm.meter.step(bytes.length);
    return run(bytes);
  },
];

const decoded = (vm: Vm, value: Value): Uint8Array => {
  const text = asText(value, 'base64');
  vm.meter.step(text.length);
  return fromBase64(text);
};

export const encodings: readonly Native[] = [
  ['base64(input)', (vm, input = null) => base64(vm, input)],
  ['base64Decode(str)', (vm, text = null) => fromUtf8(decoded(vm, text))],
  ['base64DecodeBytes(str)', (vm, text = null) => [...decoded(vm, text)]],
  [
    'encodeUTF8(str)',
    (vm, text = null) => {
      const bytes = utf8(asText(text, 'what is encoded'));
      vm.meter.step(bytes.length);
      return [...bytes];
    },
  ],
  ['decodeUTF8(arr)', (vm, arr = null) => fromUtf8(bytesOf(vm, arr))],
  digest('md5', md5),
  digest('sha1', sha1),
  [
    'sha256(s)',
    (vm, text = null) => {
      vm.meter.step(asText(text, 'what is hashed').length);
      return sha256(asText(text, 'what is hashed'));
    },
  ],
  digest('sha512', sha512),
  digest('sha3', sha3),
];
