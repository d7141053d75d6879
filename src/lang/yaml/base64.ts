import { decodeUtf8Loosely } from './utf8.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const well = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The text that a `!!binary` scalar encodes; undefined when it is not base64. */
export function decodeBase64(source: string): string | undefined {
  const packed = source.replace(/[\r\n]/g, ''); // compat: Go's decoder skips line breaks and nothing else
  if (!well.test(packed)) return undefined;
  const digits = packed.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let length = 0;
  for (const digit of digits) {
    held = ((held << 6) | alphabet.indexOf(digit)) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return decodeUtf8Loosely(bytes);
}
