import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { GzipFile, type GzipPart, gzipPart, storedPart } from './gzip-parts.ts';

function unpacked(parts: readonly GzipPart[]): string {
  const file = new GzipFile();
  const bytes = [file.head, ...parts.map((part) => file.add(part)), file.end()];
  return gunzipSync(Buffer.concat(bytes)).toString('utf8'); // which checks size and checksum
}

test.each([
  ['nothing', []],
  ['an empty text', ['']],
  ['one text', ['abc']],
  ['umlauts', ['äöü', '€', '😀']],
  ['long and short ones', ['x'.repeat(300_000), ',', JSON.stringify({ a: 1 }), ',', 'y'.repeat(70_000)]],
  ['one that another thread compresses', ['before', 'z'.repeat(600_000), 'after']],
])('parts of %s are one file', async (_, texts) => {
  expect(unpacked(await Promise.all(texts.map(gzipPart)))).toBe(texts.join(''));
});

test('stored parts stand between compressed ones, and a part serves any number of files', async () => {
  const [a, b, comma] = [await gzipPart('a'.repeat(5_000)), await gzipPart('b'.repeat(9)), storedPart(',')];
  expect(unpacked([storedPart('['), a, comma, b, storedPart(']')])).toBe(
    `[${'a'.repeat(5_000)},${'b'.repeat(9)}]`,
  );
  expect(unpacked([b, comma, a])).toBe(`${'b'.repeat(9)},${'a'.repeat(5_000)}`);
});

test('a stored part is short', () => {
  expect(unpacked([storedPart('x'.repeat(65_535))])).toHaveLength(65_535);
  expect(() => storedPart('x'.repeat(65_536))).toThrow('64 KB');
});
