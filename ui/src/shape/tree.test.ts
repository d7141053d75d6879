import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HealthCode } from '#base/model';
import type { ResourceNode } from '#serve/api';
import { cpuNow } from '../../../test/cpu-time.ts';
import { forestOf, orphansOf, type TreeItem, walkForest } from './resource-forest.ts';
import { factsOf, imageTag } from './resource-line.ts';
import { sampleApplication } from './sample-application.ts';
import { foldTree, type TreeBox } from './tree-fold.ts';
import { layoutTree, neighbourOf, placedWithin } from './tree-layout.ts';

const node = (kind: string, name: string, rest: Partial<ResourceNode> = {}): ResourceNode => ({
  kind,
  name,
  namespace: 'shop',
  uid: `${kind}-${name}`,
  ...rest,
});
const owned = (kind: string, name: string, parent: string, rest: Partial<ResourceNode> = {}): ResourceNode =>
  node(kind, name, { parentRefs: [{ kind: parent.split('-')[0] ?? '', name: 'x', uid: parent }], ...rest });

const app = sampleApplication({
  resources: [
    { kind: 'Deployment', group: 'apps', namespace: 'shop', name: 'api', status: 'OutOfSync', syncWave: 1 },
    { kind: 'Service', namespace: 'shop', name: 'web', status: 'Synced' },
    { kind: 'ConfigMap', namespace: 'shop', name: 'gone', status: 'OutOfSync' },
  ],
});
const tree = {
  nodes: [
    owned('Pod', 'api-1', 'ReplicaSet-api', { health: { status: 'Degraded', message: 'exit 1' } }),
    owned('ReplicaSet', 'api', 'Deployment-api'),
    node('Deployment', 'api', { group: 'apps', health: { status: 'Progressing' } }),
    node('Service', 'web', { health: { status: 'Healthy' } }),
  ],
};

const names = (items: readonly TreeItem[]): unknown[] =>
  items.map(({ name, children }) => (children.length > 0 ? [name, names(children)] : name));
const nothing = { closed: new Set<string>(), open: new Set<string>() };

test('live nodes are joined with what Git says, under their owners, by wave and kind', () => {
  const forest = forestOf(app, tree);
  expect(names(forest)).toEqual(['gone', 'web', ['api', [['api', ['api-1']]]]]);
  expect(forest[2]).toMatchObject({ sync: 'OutOfSync', health: 'Progressing', wave: 1 });
});

test('a resource that Git wants and the cluster lacks is shown as Missing', () => {
  expect(forestOf(app, tree)[0]).toMatchObject({ name: 'gone', health: 'Missing', sync: 'OutOfSync' });
  expect(forestOf(app, undefined).map(({ health }) => health)).toEqual(['Missing', 'Missing', 'Missing']);
});

test('orphans are resources of their own, and say what they are', () => {
  const orphans = orphansOf(app, {
    ...tree,
    orphanedNodes: [node('ConfigMap', 'left'), owned('Pod', 'x', 'ConfigMap-left')],
  });
  expect(names(orphans)).toEqual([['left', ['x']]]);
  expect(orphans[0] && factsOf(orphans[0]).map(({ text }) => text)).toEqual(['orphan']);
  expect(orphansOf(app, tree)).toEqual([]);
});

test('owners that form a ring are shown once each', () => {
  const ring = { nodes: [owned('A', 'a', 'B-b'), owned('B', 'b', 'A-a')] };
  const forest = forestOf(sampleApplication({ resources: [] }), ring);
  expect([...walkForest(forest)].map(({ name }) => name).sort()).toEqual(['a', 'b']);
});

test('only web addresses become links', () => {
  const externalURLs = ['javascript:alert(1)', 'https://shop.example.com'];
  const [item] = forestOf(sampleApplication({ resources: [] }), {
    nodes: [node('Ingress', 'web', { networkingInfo: { externalURLs } })],
  });
  expect(item?.urls).toEqual(['https://shop.example.com']);
});

test('a node says what matters, trouble first', () => {
  const info = [
    { name: 'Node', value: 'worker-1' },
    { name: 'Restart Count', value: '4' },
    { name: 'cpu', value: '100' },
    { name: 'memory', value: '134217728000' },
    { name: 'Containers', value: '0/1' },
    { name: 'Status Reason', value: 'CrashLoopBackOff' },
    { name: 'Zone', value: 'b' },
  ];
  const [item] = forestOf(sampleApplication({ resources: [] }), {
    nodes: [node('Pod', 'p', { info, images: ['registry.example.com/shop/api:1.4.2'] })],
  });
  expect(item && factsOf(item).map(({ text }) => text)).toEqual([
    'CrashLoopBackOff',
    '0/1 ready',
    '4 restarts',
    'Zone b',
    'api:1.4.2',
  ]);
});

test('a pod that has done its work is completed, not unready', () => {
  const info = [
    { name: 'Status Reason', value: 'Completed' },
    { name: 'Containers', value: '0/1' },
  ];
  const [item] = forestOf(sampleApplication({ resources: [] }), {
    nodes: [node('Pod', 'migrate', { info })],
  });
  expect(item && factsOf(item).map(({ text, kind }) => `${kind} ${text}`)).toEqual(['plain completed']);
});

test('a Knative revision shows its share of the traffic, and a route its address', () => {
  const [item] = forestOf(sampleApplication({ resources: [] }), {
    nodes: [
      node('Route', 'hello', {
        info: [
          { name: 'URL', value: 'http://hello.shop.example.com' },
          { name: 'Traffic', value: '90%' },
        ],
        networkingInfo: { externalURLs: ['http://hello.shop.example.com'] },
      }),
    ],
  });
  expect(item && factsOf(item)).toEqual([
    { text: '90%', kind: 'traffic' },
    { text: 'hello.shop.example.com', kind: 'plain' },
  ]);
});

test.each([
  ['nginx', 'nginx'],
  ['registry.example.com:5000/shop/api:1.4.2', 'api:1.4.2'],
  ['shop/api@sha256:0123456789abcdef', 'api@0123456'],
])('the image %s is written %s', (image, short) => {
  expect(imageTag(image)).toBe(short);
});

const pods = (count: number, health: HealthCode = 'Healthy') =>
  Array.from({ length: count }, (_, at) =>
    node('Pod', `p-${at}`, { health: { status: at ? health : 'Degraded' } }),
  );

test('more than twenty alike siblings fold into one box with counts, worst first', () => {
  const items = forestOf(sampleApplication({ resources: [] }), {
    nodes: [...pods(21), node('Service', 'web')],
  });
  const [service, crowd] = foldTree(items, nothing);
  expect(service?.item?.name).toBe('web');
  expect(crowd?.crowd).toEqual({
    key: '*Pod',
    kind: 'Pod',
    count: 21,
    counts: [
      { health: 'Degraded', count: 1 },
      { health: 'Healthy', count: 20 },
    ],
  });
  expect(foldTree(items, { closed: new Set(), open: new Set([crowd?.crowd?.key ?? '']) })).toHaveLength(22);
  expect(foldTree(forestOf(sampleApplication({ resources: [] }), { nodes: pods(20) }), nothing)).toHaveLength(
    20,
  );
});

test('a closed box shows the worst state inside', () => {
  const forest = forestOf(app, tree);
  const boxes = foldTree(forest, { open: new Set(), closed: new Set(['apps/Deployment/shop/api']) });
  expect(boxes[2]).toMatchObject({ hidden: { count: 2, worst: 'Degraded' }, children: [] });
});

type Shape = { readonly children: readonly Shape[] };
const leaf: Shape = { children: [] };
const shapes = fc.letrec<{ box: Shape }>((tie) => ({
  box: fc.oneof(
    { maxDepth: 5 },
    fc.constant(leaf),
    fc.record({ children: fc.array(tie('box'), { maxLength: 4 }) }),
  ),
})).box;
const measures = { widthOf: () => 10, height: 4, gapX: 2, gapY: 1 };

test('boxes never overlap, children stand to the right, the root at the top left', () => {
  fc.assert(
    fc.property(shapes, (root) => {
      const { placed, width, height } = layoutTree(root, measures);
      expect(placed[0]).toMatchObject({ box: root, x: 0, y: 0 });
      expect(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size).toBe(placed.length);
      expect(placed.every((one, at) => at === 0 || one.y >= (placed[at - 1]?.y ?? 0))).toBe(true);
      expect(Math.max(...placed.map(({ x }) => x + 10))).toBe(width);
      expect(Math.max(...placed.map(({ y }) => y + 4))).toBe(height);
    }),
  );
});

test('a column is as wide as its widest box', () => {
  type Sized = { readonly size: number; readonly children: readonly Sized[] };
  const end = (size: number): Sized => ({ size, children: [] });
  const { placed, width } = layoutTree<Sized>(
    { size: 5, children: [end(7), { size: 3, children: [end(2)] }] },
    { widthOf: ({ size }) => size, height: 4, gapX: 2, gapY: 1 },
  );
  expect(placed.map(({ x, width: own }) => [x, own])).toEqual([
    [0, 5],
    [7, 7],
    [7, 7],
    [16, 2],
  ]);
  expect(width).toBe(18);
});

test('a band holds exactly the boxes that begin in it', () => {
  const layout = layoutTree<Shape>({ children: [leaf, leaf, leaf] }, measures);
  const heights = (top: number, bottom: number) => placedWithin(layout, top, bottom).map(({ y }) => y);
  expect(heights(5, 9)).toEqual([5]);
  expect(heights(0, 5)).toEqual([0, 0, 5]);
  expect(heights(-20, -1)).toEqual([]);
  expect(heights(6, 100)).toEqual([10]);
  expect(heights(11, 100)).toEqual([]);
});

test('the cost of a layout grows with the number of its boxes, no faster', () => {
  const box = (): TreeBox => ({ id: '', children: [] });
  const branch = (): TreeBox => ({ id: '', children: Array.from({ length: 9 }, box) });
  const least = (branches: number): number => {
    const root: TreeBox = { id: '', children: Array.from({ length: branches }, branch) };
    const runs = Array.from({ length: 10 }, () => {
      const before = cpuNow();
      expect(layoutTree(root, measures).placed).toHaveLength(10 * branches + 1);
      return cpuNow() - before;
    });
    return Math.min(...runs);
  };
  least(200); // compiles it
  expect(least(1600) / least(200)).toBeLessThan(8 * 4);
});

type Named = { readonly name: string; readonly children: readonly Named[] };
const named = (name: string, ...children: Named[]): Named => ({ name, children });
const small = { widthOf: () => 10, height: 4, gapX: 2, gapY: 1 };

test('a short branch moves up beside the depths of the one before', () => {
  const deep = named('configuration', named('revision', named('a'), named('b'), named('c')));
  const root = named('app', deep, named('route', named('ingress')), named('leaf'));
  const { placed, height } = layoutTree(root, small);
  const rows = Object.fromEntries(placed.map(({ box, y }) => [box.name, y / 5]));
  expect(rows).toEqual({
    app: 0,
    configuration: 0,
    revision: 0,
    a: 0,
    b: 1,
    c: 2,
    route: 1,
    ingress: 1,
    leaf: 2,
  });
  expect(height).toBe(3 * 5 - 1);
});

test('columns shrink to the page, none below the narrowest', () => {
  const root = named('a', named('b', named('c')));
  const width = (fit: number) =>
    layoutTree(root, { ...small, widthOf: () => 100, fit: { width: fit, narrowest: 60 } }).width;
  expect([width(400), width(250), width(50)]).toEqual([304, 250, 184]);
});

test('the arrows walk columns and branches', () => {
  const layout = layoutTree(named('app', named('x', named('pod')), named('y')), small);
  const at = (name: string) => layout.placed.find(({ box }) => box.name === name);
  const from = (name: string, key: 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight') => {
    const start = at(name);
    return start && neighbourOf(layout, start, key)?.box.name;
  };
  expect([from('app', 'ArrowRight'), from('x', 'ArrowDown'), from('y', 'ArrowUp')]).toEqual(['x', 'y', 'x']);
  expect([from('pod', 'ArrowLeft'), from('pod', 'ArrowDown'), from('y', 'ArrowRight')]).toEqual([
    'x',
    'y',
    undefined,
  ]);
});
