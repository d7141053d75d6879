import { expect, test } from 'vitest';
import { edgePath } from './tree-edges.ts';
import { layoutTree } from './tree-layout.ts';

type Box = { readonly children: readonly Box[] };
const leaf: Box = { children: [] };
const rows = (count: number): Box => ({ children: Array.from({ length: count }, () => leaf) });
const measures = { widthOf: () => 200, height: 52, gapX: 24, gapY: 8 };
const linesIn = (path: string): string[] => path.split(/(?=M)/);
/** Every height at which a line of the path begins, turns or ends. */
const heightsIn = (path: string): number[] =>
  [...path.matchAll(/M\S+ (-?\d+)|V(-?\d+)/g)].map(([, begin, turn]) => Number(begin ?? turn));

test('a picture that is all in view has a line for each edge', () => {
  const { edges, height } = layoutTree(rows(3), measures);
  expect(linesIn(edgePath(edges, { top: 0, bottom: height }))).toEqual([
    'M200 26H224',
    'M200 26H204q8 0 8 8V78q0 8 8 8H224',
    'M200 26H204q8 0 8 8V138q0 8 8 8H224',
  ]);
});

test('a band of a large picture has the lines of its own rows, and one for those that go past its end', () => {
  const { edges } = layoutTree(rows(14_000), measures);
  const path = edgePath(edges, { top: 60_000, bottom: 60_600 });
  expect(linesIn(path)).toHaveLength(10 + 1);
  expect(Math.min(...heightsIn(path))).toBeGreaterThanOrEqual(60_000);
  expect(Math.max(...heightsIn(path))).toBeLessThanOrEqual(60_600);
});

test('what an owner in the band sends past its end begins at the owner', () => {
  const { edges } = layoutTree(rows(40), measures);
  expect(linesIn(edgePath(edges, { top: 0, bottom: 100 })).at(-1)).toBe('M200 26H204q8 0 8 8V100');
});

test('edges that end above the band are not drawn', () => {
  const { edges } = layoutTree(rows(40), measures);
  expect(edgePath(edges, { top: 3000, bottom: 4000 })).toBe('');
});
