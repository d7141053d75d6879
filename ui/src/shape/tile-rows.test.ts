import { expect, test } from 'vitest';
import { sampleApplication } from './sample-application.ts';
import { heightOf, rowsWithin, type TileRow, tileRowsOf } from './tile-rows.ts';

const group = (name: string, count: number) => ({
  name,
  apps: Array.from({ length: count }, (_, at) => sampleApplication({}, {}, `${name}-${at}`)),
});
const outline = (rows: readonly TileRow[]) =>
  rows.map((row) => [
    row.top,
    'group' in row ? row.group.name : row.apps.map(({ metadata }) => metadata.name),
  ]);

test('each group has its heading, and its tiles begin a row of their own', () => {
  const rows = tileRowsOf([group('bank', 4), group('shop', 1)], 3);
  expect(outline(rows)).toEqual([
    [0, 'bank'],
    [1, ['bank-0', 'bank-1', 'bank-2']],
    [5, ['bank-3']],
    [9, 'shop'],
    [10, ['shop-0']],
  ]);
  expect(heightOf(rows)).toBe(14);
  expect(outline(tileRowsOf([group('', 2)], 3))).toEqual([[0, ['-0', '-1']]]);
  expect(heightOf([])).toBe(0);
});

test.each([1, 3])('with %i side by side, every tile is in the rows that the window passes over', (perRow) => {
  const rows = tileRowsOf([group('a', 700)], perRow);
  const seen = new Set<string>();
  for (let first = 0; first < heightOf(rows); first += 20)
    for (const row of rowsWithin(rows, { first, last: first + 20 }))
      if ('apps' in row) for (const { metadata } of row.apps) seen.add(metadata.name);
  expect(seen.size).toBe(700);
});

test('a row is drawn as long as a part of it is in the window', () => {
  const rows = tileRowsOf([group('a', 4)], 1);
  expect(rowsWithin(rows, { first: 4, last: 6 }).map(({ top }) => top)).toEqual([1, 5]);
});
