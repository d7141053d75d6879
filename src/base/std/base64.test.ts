import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from './base64.ts';

test('bytes are written as everybody writes them, and read back', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = toBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(text.replace(/=+$/, ''))).toEqual(bytes);
    }),
  );
});

test.each(['a-b_', 'ab c', 'ab==', 'äb', '😀'])('%s holds what is no digit', (text) => {
  expect(fromBase64(text)).toBeUndefined();
});
