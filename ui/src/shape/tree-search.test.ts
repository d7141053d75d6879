import { expect, test } from 'vitest';
import { forestOf, walkForest } from './resource-forest.ts';
import { sampleApplication } from './sample-application.ts';
import { foldTree, type TreeBox } from './tree-fold.ts';
import { nextMatch, searchTree } from './tree-search.ts';

const node = (kind: string, name: string, parent = '') => ({
  ...{ kind, name, namespace: 'shop', uid: `${kind}-${name}` },
  ...(parent && { parentRefs: [{ kind: '', name: '', uid: parent }] }),
});
const forest = (...nodes: ReturnType<typeof node>[]) =>
  forestOf(sampleApplication({ resources: [] }), { nodes });
const shop = forest(
  node('Deployment', 'api'),
  node('ReplicaSet', 'api-1', 'Deployment-api'),
  node('Pod', 'api-1-x', 'ReplicaSet-api-1'),
  node('Service', 'api'),
  node('ConfigMap', 'web'),
);
const found = (text: string) => searchTree(shop, text).items.map(({ kind, name }) => `${kind} ${name}`);

test.each<[string, string[]]>([
  ['API', ['Service api', 'Deployment api', 'ReplicaSet api-1', 'Pod api-1-x']],
  ['pod', ['Pod api-1-x']],
  ['api pod', ['Pod api-1-x']],
  ['  ', []],
  ['nothing like it', []],
])('a search for “%s” finds %j, in reading order', (text, names) => {
  expect(found(text)).toEqual(names);
});

const namesIn = (boxes: readonly TreeBox[]): string[] =>
  boxes.flatMap(({ item, crowd, children }) => [
    item ? item.name : `${crowd?.count} × ${crowd?.kind}`,
    ...namesIn(children),
  ]);

test('a match in a closed branch unfolds it', () => {
  const closed = new Set([...walkForest(shop)].map(({ key }) => key as string));
  const folded = { closed, open: new Set<string>() };
  expect(namesIn(foldTree(shop, folded))).toEqual(['web', 'api', 'api']);
  const unfolded = ['web', 'api', 'api', 'api-1', 'api-1-x'];
  expect(namesIn(foldTree(shop, { ...folded, found: searchTree(shop, 'pod') }))).toEqual(unfolded);
});

test('a match among many alike leaves the others folded', () => {
  const many = forest(...Array.from({ length: 30 }, (_, at) => node('Pod', `p-${at}`)));
  const folding = { closed: new Set<string>(), open: new Set<string>() };
  expect(namesIn(foldTree(many, folding))).toEqual(['30 × Pod']);
  expect(namesIn(foldTree(many, { ...folding, found: searchTree(many, 'p-7') }))).toEqual([
    'p-7',
    '29 × Pod',
  ]);
  expect(namesIn(foldTree(many, { ...folding, found: searchTree(many, 'pod') }))).toHaveLength(30);
});

test('the matches are walked round and round', () => {
  const all = searchTree(shop, 'api');
  expect([undefined, 0, 3].map((from) => nextMatch(all, from, 1))).toEqual([0, 1, 0]);
  expect([undefined, 0, 3].map((from) => nextMatch(all, from, -1))).toEqual([3, 3, 2]);
});
