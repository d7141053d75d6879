import { FairleadError } from '#base/std';

/** The bytes as text, without a byte order mark. Malformed UTF-8 throws RenderFailed with the byte's position. */
export function decodeUtf8(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const at = firstMalformed(bytes);
    throw new FairleadError('RenderFailed', `${label}malformed utf-8 at byte ${at}: save the file as utf-8`);
  }
}

/** Like decodeUtf8, but a malformed byte becomes U+FFFD, as in Go's JSON. */
export const decodeUtf8Loosely = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: false }).decode(bytes);

/** Whether the first `length` bytes are well formed, but for a character that may yet be completed. */
function isPrefix(bytes: Uint8Array, length: number): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Offset of the first byte that cannot follow those before it; the length when the last character is cut short. */
function firstMalformed(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isPrefix(bytes, middle)) good = middle;
    else bad = middle;
  }
  return good;
}
