import { fromBase64, toBase64 } from '#base/std';

export const encodeBase64 = (text: string): string => toBase64(new TextEncoder().encode(text));

/** Undefined when it is not base64. compat gojq: padding may be missing, and what follows it is ignored. */
export function decodeBase64(text: string): string | undefined {
  const [packed = ''] = text.split('=', 1);
  // compat: Go's decoder skips line breaks
  const digits = packed.replace(/[\r\n]/g, '');
  const bytes = digits.length % 4 === 1 ? undefined : fromBase64(digits);
  return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
