import { FairleadError } from '#std';
import { decodeText, encodeText } from './text.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Int16Array(128).fill(-1);
for (let at = 0; at < 64; at++) values[alphabet.charCodeAt(at)] = at;

/** Standard base64 to bytes; line breaks are ignored. Throws InvalidSpec on anything that is not base64. */
export function decodeBase64(text: string): Uint8Array {
  const digits = text.replace(/[\r\n]/g, '');
  const length = digits.replace(/={1,2}$/, '').length;
  if (digits.length % 4 !== 0) throw invalid();
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let [held, bits, out] = [0, 0, 0];
  for (let at = 0; at < length; at++) {
    const value = values[digits.charCodeAt(at)] ?? -1;
    if (value < 0) throw invalid();
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[out++] = (held >> bits) & 0xff;
    }
  }
  return bytes;
}

// the text itself may be a secret, so it is not shown
const invalid = (): FairleadError => new FairleadError('InvalidSpec', 'illegal base64 data');

/** Bytes to standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const held = (a << 16) | (b << 8) | c;
    const four = [18, 12, 6, 0].map((shift) => alphabet[(held >> shift) & 63]).join('');
    text += at + 3 <= bytes.length ? four : four.slice(0, bytes.length - at + 1).padEnd(4, '=');
  }
  return text;
}

export const decodeBase64Text = (text: string): string => decodeText(decodeBase64(text));
export const encodeBase64Text = (text: string): string => encodeBase64(encodeText(text));
