/**
 * Go strings are bytes, which need not be UTF-8; ours are JavaScript strings. A byte that belongs to no character is
 * held as a lone surrogate, U+DC80 to U+DCFF, so that cutting a character in two and putting it together again works.
 */
const loneByte = /[\udc80-\udcff]/u;
const lone = /\p{Surrogate}/gu;
const ascii = /^[\0-\x7f]*$/;

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const isAscii = (text: string): boolean => ascii.test(text);

/** Text from outside: half a surrogate pair becomes U+FFFD, as Go's JSON reader makes it. */
export const wellFormed = (text: string): string => text.replace(lone, '\ufffd');

/** The bytes of a Go string. */
export function toBytes(text: string): Uint8Array {
  if (!loneByte.test(text)) return encoder.encode(text);
  const parts: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) parts.push(code - 0xdc00);
    else parts.push(...encoder.encode(char));
  }
  return Uint8Array.from(parts);
}

/** The Go string with these bytes. */
export function fromBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeLoosely(bytes);
  }
}

function decodeLoosely(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const size = characterAt(bytes, at);
    text +=
      size > 0
        ? strict.decode(bytes.subarray(at, at + size))
        : String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += size || 1;
  }
  return text;
}

/** First bytes of characters, and between which bytes the second one must lie. */
const leads: readonly (readonly [from: number, to: number, size: number, low: number, high: number])[] = [
  [0x00, 0x7f, 1, 0x00, 0xff],
  [0xc2, 0xdf, 2, 0x80, 0xbf],
  [0xe0, 0xe0, 3, 0xa0, 0xbf],
  [0xe1, 0xec, 3, 0x80, 0xbf],
  [0xed, 0xed, 3, 0x80, 0x9f],
  [0xee, 0xef, 3, 0x80, 0xbf],
  [0xf0, 0xf0, 4, 0x90, 0xbf],
  [0xf1, 0xf3, 4, 0x80, 0xbf],
  [0xf4, 0xf4, 4, 0x80, 0x8f],
];

/** How many bytes the character at this position has; 0 when there is none. */
function characterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const lead = leads.find(([from, to]) => first >= from && first <= to);
  if (!lead) return 0;
  const [, , size, low, high] = lead;
  const tail = bytes.subarray(at + 1, at + size);
  if (tail.length < size - 1) return 0;
  const fits = tail.every((byte, i) => byte >= (i === 0 ? low : 0x80) && byte <= (i === 0 ? high : 0xbf));
  return fits ? size : 0;
}

/** Joins bytes that were apart to the characters that they are now; call it on the result of a concatenation. */
export const rejoined = (text: string): string => (loneByte.test(text) ? fromBytes(toBytes(text)) : text);

/** len(text) in Go. */
export const byteLength = (text: string): number => (isAscii(text) ? text.length : toBytes(text).length);

/** text[from:to] in Go. */
export function byteSlice(text: string, from: number, to?: number): string {
  return isAscii(text) ? text.slice(from, to) : fromBytes(toBytes(text).slice(from, to));
}

/** The characters of a text; a byte that belongs to none is one of its own. */
export const runesOf = (text: string): string[] => Array.from(text);

/** The code point of one of these characters; U+FFFD for a stray byte. */
export function codeOf(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
}

export const isStrayByte = (char: string): boolean => loneByte.test(char);

/** Text for the outside: bytes that are no characters become U+FFFD. */
export const printable = (text: string): string => rejoined(text).replace(lone, '\ufffd');

/** Go's order of strings, which is that of their bytes. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  if (isAscii(left) && isAscii(right)) return left < right ? -1 : 1;
  return compareBytes(toBytes(left), toBytes(right));
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
