import { fromBase64, sha256, toBase64 } from '#base/std';
import { JsonnetError } from '../fault.ts';
import { force, isList, type JsonnetValue, typeOf, type Vm } from '../value.ts';
import { asInteger, asList, asText, type JsonnetBuiltin } from './define.ts';
import { md5, sha1, sha512 } from './digests.ts';
import { sha3 } from './sha3.ts';

/** The bytes of a text in UTF-8. */
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const fromUtf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function unpacked(text: string): Uint8Array {
  const clean = text.replace(/[\r\n]/g, '');
  if (text.length % 4 !== 0 || clean.length % 4 !== 0)
    throw new JsonnetError(`this is not base64: ${text.length} characters are no multiple of four`);
  const bytes = fromBase64(clean.replace(/={1,2}$/, ''));
  if (!bytes) throw new JsonnetError('this is not base64: it has other characters');
  return bytes;
}

function byteOf(value: JsonnetValue): number {
  const byte = asInteger(value, 'a byte');
  if (byte < 0 || byte > 255) throw new JsonnetError(`a byte is between 0 and 255, got ${byte}`);
  return byte;
}

function bytesOf(vm: Vm, list: JsonnetValue): Uint8Array {
  const items = asList(list, 'bytes');
  vm.meter.step(items.length);
  return Uint8Array.from(items, (item) => byteOf(force(item)));
}

function base64(vm: Vm, input: JsonnetValue): string {
  if (typeof input !== 'string' && !isList(input)) {
    throw new JsonnetError(`base64 takes a string or an array of bytes, got ${typeOf(input)}`);
  }
  if (typeof input !== 'string') return toBase64(bytesOf(vm, input));
  vm.meter.text(input.length);
  for (const char of input) byteOf(char.codePointAt(0) ?? 0);
  return toBase64(utf8(input)); // compat sources JSN-4: checked as bytes, encoded as UTF-8
}

const digest = (name: string, run: (bytes: Uint8Array) => string): JsonnetBuiltin => [
  `${name}(s)`,
  (vm, text = null) => {
    const bytes = utf8(asText(text, 'what is hashed'));
    vm.meter.step(bytes.length);
    return run(bytes);
  },
];

const decoded = (vm: Vm, value: JsonnetValue): Uint8Array => {
  const text = asText(value, 'base64');
  vm.meter.step(text.length);
  return unpacked(text);
};

export const encodings: readonly JsonnetBuiltin[] = [
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
