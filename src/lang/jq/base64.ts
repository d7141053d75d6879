const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digits = new Map([...alphabet].map((character, index) => [character, index]));

const digitOf = (bits: number): string => alphabet.charAt(bits & 63);

export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let result = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    result += digitOf(bits >> 18) + digitOf(bits >> 12) + digitOf(bits >> 6) + digitOf(bits);
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return result.slice(0, result.length - missing) + '='.repeat(missing);
}

/** Undefined when it is not base64. compat gojq: padding may be missing, and what follows it is ignored. */
export function decodeBase64(text: string): string | undefined {
  const [packed = ''] = text.split('=', 1);
  // compat: Go's decoder skips line breaks
  const clean = packed.replace(/[\r\n]/g, '');
  if (clean.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((clean.length * 3) / 4));
  let held = 0;
  let length = 0;
  for (const [index, character] of [...clean].entries()) {
    const digit = digits.get(character);
    if (digit === undefined) return undefined;
    held = ((held << 6) | digit) & 0xffffff;
    if (index % 4 > 0) bytes[length++] = (held >> (6 - 2 * (index % 4))) & 0xff;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
