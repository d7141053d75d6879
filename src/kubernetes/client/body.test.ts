import fc from 'fast-check';
import { expect, test } from 'vitest';
import { discard, readLines, readText } from './body.ts';

async function* stream(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* chunks;
}
async function lines(chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  const all: string[] = [];
  for await (const line of readLines(stream(chunks))) all.push(line);
  return all;
}
function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((n) => n % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

test('lines and text do not depend on where the bytes were cut, not even inside a character', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '日', '🚀', ' ', '"') });
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat(200), { maxLength: 8 }), async (wanted, places) => {
      const text = wanted.map((each) => `${each}\n`).join('');
      const chunks = cut(new TextEncoder().encode(text), places);
      expect(await lines(chunks)).toEqual(wanted);
      expect(await readText(stream(chunks))).toBe(text);
    }),
  );
});

test('a last line needs no end, and bodies of every form are read alike', async () => {
  expect(await lines(['a\n', 'b'])).toEqual(['a', 'b']);
  expect(await readText('plain')).toBe('plain');
  expect(await readText(new TextEncoder().encode('bytes ü'))).toBe('bytes ü');
  const whole: string[] = [];
  for await (const line of readLines('a\n\nb\n')) whole.push(line);
  expect(whole).toEqual(['a', '', 'b']);
});

test('a long line in many pieces is read in one pass', async () => {
  const piece = 'x'.repeat(1000);
  const [line] = await lines(Array.from({ length: 20_000 }, () => piece));
  expect(line?.length).toBe(20_000_000);
});

test('a body that is given up is returned to its sender', async () => {
  let returned = 0;
  const body: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: async () => {
        returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  await discard(body);
  await discard('text');
  expect(returned).toBe(1);
});
