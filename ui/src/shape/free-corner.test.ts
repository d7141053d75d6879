import { expect, test } from 'vitest';
import { freeCorner, showsAll } from './free-corner.ts';
import { layoutTree } from './tree-layout.ts';

type Box = { readonly children: readonly Box[] };
const leaf: Box = { children: [] };
const many = (count: number, child: Box = leaf): Box => ({
  children: Array.from({ length: count }, () => child),
});
const laidOut = (root: Box) => layoutTree(root, { widthOf: () => 200, height: 52, gapX: 28, gapY: 8 });
const piece = { width: 168, height: 108, zoom: 1 };
const view = { left: 0, top: 0, width: 1000, height: 600 };

test.each<[string, Box, Partial<typeof view>, string | undefined]>([
  ['below everything both are free, and the right one is taken', many(3), {}, 'right'],
  ['one column leaves the right', many(40), {}, 'right'],
  ['where the right has boxes, the left', many(1, many(1, many(1, many(40)))), {}, 'left'],
  ['where both have boxes, none', many(40, many(1)), { width: 428, left: 228 }, undefined],
  ['scrolled to where only the left has boxes', many(40), { top: 1000 }, 'right'],
])('%s', (_, root, more, corner) => {
  expect(freeCorner(laidOut(root), { ...view, ...more }, piece)).toBe(corner);
});

test('a picture that begins below the head of the page is not all in view where its end is below the fold', () => {
  const picture = { width: 900, height: 500 };
  expect(showsAll(picture, { ...view, top: -400 })).toBe(false);
  expect(showsAll(picture, { ...view, top: -100 })).toBe(true);
  expect(showsAll(picture, { ...view, top: 40 })).toBe(false);
  expect(showsAll({ ...picture, width: 1200 }, view)).toBe(false);
});
