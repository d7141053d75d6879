import { expect, test } from 'vitest';
import type { HealthCode } from '#base/model';
import { minimapShapes } from './minimap-shapes.ts';
import type { TreeBox } from './tree-fold.ts';
import { layoutTree } from './tree-layout.ts';

const measures = { widthOf: () => 200, height: 52, gapX: 24, gapY: 8 };
const box = (health: HealthCode, children: readonly TreeBox[] = []): TreeBox => ({
  id: '',
  crowd: { key: '', kind: '', count: 1, counts: [{ health, count: 1 }] },
  children,
});
const drawn = (root: TreeBox): ReadonlyMap<string, number> => {
  const layout = layoutTree(root, measures);
  const shapes = minimapShapes(layout, { x: 168 / layout.width, y: 108 / layout.height });
  return new Map([...shapes].map(([tone, path]) => [tone, path.split('M').length - 1]));
};

test('a small tree has a shape for each box', () => {
  const root = box('Degraded', [box('Healthy'), box('Degraded'), box('Healthy')]);
  expect(drawn(root)).toEqual(
    new Map([
      ['bad', 2],
      ['good', 2],
    ]),
  );
});

test('a large tree has one for a pixel, with the worst of the boxes there', () => {
  const leaves = Array.from({ length: 14_000 }, (_, at) => box(at === 7000 ? 'Degraded' : 'Healthy'));
  expect(drawn(box('Healthy', leaves))).toEqual(
    new Map([
      ['good', 1 + 107],
      ['bad', 1],
    ]),
  );
});
