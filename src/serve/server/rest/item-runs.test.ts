import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ItemRuns } from './item-runs.ts';
import { PrintedItems } from './printed-items.ts';

const itemsOf = (count: number, size = 10) =>
  Array.from({ length: count }, (_, name) => ({ name, text: 'x'.repeat(size) }));
const ground = (maxBytes = 1_000_000) =>
  new ItemRuns(new PrintedItems<string>(1_000_000), JSON.stringify, maxBytes);
const lengthsOf = (runs: ItemRuns, items: object[]): number[] =>
  [...runs.runsOf(items)].map((run) => run.items.length);

test('a list is cut into runs, which hold all of it in order', async () => {
  const [runs, items] = [ground(), itemsOf(40)];
  const cut = [...runs.runsOf(items)];
  expect(cut.map((run) => run.items.length)).toEqual([16, 16, 8]);
  expect(cut.flatMap((run) => run.items)).toEqual(items);
  const [first] = cut;
  const text = inflateRawSync((await runs.partOf(first as never)).bytes, { finishFlush: 2 }).toString();
  expect(JSON.parse(`[${text}]`)).toEqual(items.slice(0, 16));
});

test('a run that is listed again is not compressed again, whatever precedes it', async () => {
  const [runs, items] = [ground(), itemsOf(48)];
  const before = await Promise.all([...runs.runsOf(items)].map((run) => runs.partOf(run)));
  const shifted = [{ name: 'new' }, ...items];
  const after = await Promise.all([...runs.runsOf(shifted)].map((run) => runs.partOf(run)));
  expect(after).toHaveLength(3);
  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect(after[2]).toBe(before[2]);
});

test('large items are not held together', () => {
  expect(lengthsOf(ground(), itemsOf(5, 200_000))).toEqual([2, 2, 1]);
});

test('no more than twice the limit is kept', async () => {
  const [runs, items] = [ground(400), itemsOf(160)];
  const parts = async () => Promise.all([...runs.runsOf(items)].map((run) => runs.partOf(run)));
  const [first, again] = [await parts(), await parts()];
  expect(first.some((part, i) => part !== again[i])).toBe(true);
  expect(again.map((part) => part.checksum)).toEqual(first.map((part) => part.checksum));
});
