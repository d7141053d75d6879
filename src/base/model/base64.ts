import { FairleadError, fromBase64, toBase64 } from '#base/std';
import { decodeText, encodeText } from './text.ts';

/** Standard base64 to bytes; line breaks are ignored. Throws InvalidSpec on anything that is not base64. */
export function decodeBase64(text: string): Uint8Array {
  const digits = text.replace(/[\r\n]/g, '');
  const bytes = digits.length % 4 === 0 ? fromBase64(digits.replace(/={1,2}$/, '')) : undefined;
  if (!bytes) throw invalid();
  return bytes;
}

// the text itself may be a secret, so it is not shown
const invalid = (): FairleadError => new FairleadError('InvalidSpec', 'illegal base64 data');

/** Bytes to standard base64 with padding. */
export const encodeBase64 = (bytes: Uint8Array): string => toBase64(bytes);

export const decodeBase64Text = (text: string): string => decodeText(decodeBase64(text));
export const encodeBase64Text = (text: string): string => encodeBase64(encodeText(text));
