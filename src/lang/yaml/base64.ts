import { fromBase64 } from '#base/std';
import { decodeUtf8Loosely } from './utf8.ts';

const well = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The text that a `!!binary` scalar encodes; undefined when it is not base64. */
export function decodeBase64(source: string): string | undefined {
  const packed = source.replace(/[\r\n]/g, ''); // compat: Go's decoder skips line breaks and nothing else
  const bytes = well.test(packed) ? fromBase64(packed.replace(/=+$/, '')) : undefined;
  return bytes && decodeUtf8Loosely(bytes);
}
