const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Int16Array(128).fill(-1);
for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at;

/** Bytes as standard base64, padded. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const held = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text += alphabet.charAt((held >> shift) & 63);
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - missing) + '='.repeat(missing);
}

/** The bytes of base64 digits without their padding, which each dialect treats its own way; undefined for other characters. */
export function fromBase64(digits: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let [held, bits, length] = [0, 0, 0];
  for (let at = 0; at < digits.length; at++) {
    const value = values[digits.charCodeAt(at)] ?? -1;
    if (value < 0) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return bytes;
}
