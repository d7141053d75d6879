const utf8 = new TextDecoder('utf-8');
const encoder = new TextEncoder();

export const encodeText = (text: string): Uint8Array => encoder.encode(text);

/** UTF-8 without its byte order mark; what is not UTF-8 becomes replacement characters. */
export const decodeText = (bytes: Uint8Array): string => utf8.decode(bytes);

/** As decodeText, and UTF-16 of either order after a byte order mark. compat sources VFT-7: directory sources. */
export function decodeMarkedText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16le').decode(swapped(bytes));
  return decodeText(bytes);
}

// not every runtime ships the big-endian decoder
function swapped(bytes: Uint8Array): Uint8Array {
  const even = bytes.length - (bytes.length % 2);
  const turned = new Uint8Array(even);
  for (let at = 0; at < even; at += 2) {
    turned[at] = bytes[at + 1] ?? 0;
    turned[at + 1] = bytes[at] ?? 0;
  }
  return turned;
}
