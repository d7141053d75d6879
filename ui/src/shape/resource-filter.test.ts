import { expect, test } from 'vitest';
import type { ResourceNode } from '#serve/api';
import {
  filterForest,
  resourceFacets,
  resourceFilterOf,
  resourceRows,
  resourceSortFor,
  resourceSortOf,
  withField,
} from './resource-filter.ts';
import { forestOf, type TreeItem } from './resource-forest.ts';
import { sampleApplication } from './sample-application.ts';

const node = (kind: string, name: string, rest: Partial<ResourceNode> = {}): ResourceNode => ({
  kind,
  name,
  namespace: 'shop',
  uid: `${kind}-${name}`,
  ...rest,
});
const below = (uid: string) => ({ parentRefs: [{ kind: '', name: '', uid }] });
const items = forestOf(
  sampleApplication({
    resources: [
      { kind: 'Service', namespace: 'shop', name: 'web', status: 'OutOfSync', health: { status: 'Healthy' } },
    ],
  }),
  {
    nodes: [
      node('Service', 'web', { health: { status: 'Healthy' } }),
      node('Deployment', 'api', { health: { status: 'Degraded' }, createdAt: '2026-03-18T14:00:00Z' }),
      node('Pod', 'api-1', { ...below('Deployment-api'), health: { status: 'Degraded' } }),
      node('Pod', 'api-2', { ...below('Deployment-api'), health: { status: 'Healthy' } }),
      node('ConfigMap', 'web', { namespace: 'other', createdAt: '2026-03-18T15:00:00Z' }),
    ],
  },
);
const query = (text: string) => new URLSearchParams(text);
const outline = (list: readonly TreeItem[]): unknown =>
  list.map(({ kind, name, children }) =>
    children.length > 0 ? [`${kind} ${name}`, outline(children)] : `${kind} ${name}`,
  );

test.each([
  ['kind:Pod', [['Deployment api', ['Pod api-1', 'Pod api-2']]]],
  ['kind:Pod,health:Degraded', [['Deployment api', ['Pod api-1']]]],
  ['kind:Pod,kind:Service', ['Service web', ['Deployment api', ['Pod api-1', 'Pod api-2']]]],
  ['sync:OutOfSync', ['Service web']],
  ['namespace:other', ['ConfigMap web']],
  ['name:-2', [['Deployment api', ['Pod api-2']]]],
  ['health:Missing', []],
])('resource=%s leaves %j in the tree, each below its owners', (text, left) => {
  expect(outline(filterForest(items, resourceFilterOf(query(`resource=${text}`))))).toEqual(left);
});

test('nothing is filtered by an address that names no field', () => {
  for (const text of ['', 'resource=', 'resource=web', 'resource=ownership:Owners'])
    expect(filterForest(items, resourceFilterOf(query(text)))).toBe(items);
});

test('the facets count every resource, states worst first, and offer no field with one value', () => {
  const facets = resourceFacets(items, new Map());
  expect(
    facets.map(({ field, values }) => [field, values.map((one) => `${one.value} ${one.count}`)]),
  ).toEqual([
    ['kind', ['ConfigMap 1', 'Deployment 1', 'Pod 2', 'Service 1']],
    ['health', ['Degraded 2', 'Healthy 2']],
    ['namespace', ['other 1', 'shop 4']],
  ]);
  const wanted = resourceFilterOf(query('resource=sync:Synced'));
  expect(resourceFacets(items, wanted).find(({ field }) => field === 'sync')?.values).toEqual([
    { value: 'OutOfSync', count: 1 },
    { value: 'Synced', count: 0 },
  ]);
});

test('a choice changes its field in the address and keeps the others', () => {
  const filter = resourceFilterOf(query('resource=health:Degraded,kind:Pod'));
  expect(withField(filter, 'kind', 'Service')).toBe('kind:Service,health:Degraded');
  expect(withField(filter, 'kind', '')).toBe('health:Degraded');
  expect(withField(resourceFilterOf(query('resource=kind:Pod')), 'kind', '')).toBeUndefined();
});

const rows = (text: string) => {
  const wanted = query(text);
  return resourceRows(items, resourceFilterOf(wanted), resourceSortOf(wanted)).map(
    ({ kind, name }) => `${kind} ${name}`,
  );
};

test.each([
  ['', ['ConfigMap web', 'Service web', 'Deployment api']],
  ['sort=name', ['Deployment api', 'ConfigMap web', 'Service web']],
  ['sort=-kind', ['Service web', 'Deployment api', 'ConfigMap web']],
  ['sort=health', ['Deployment api', 'Service web', 'ConfigMap web']],
  ['sort=age', ['ConfigMap web', 'Deployment api', 'Service web']],
  ['resource=kind:Pod&sort=-name', ['Pod api-2', 'Pod api-1']],
])('the list of "%s" is %j', (text, names) => {
  expect(rows(text)).toEqual(names);
});

test('a column sorts, turns round, and gives way to the order of the tree', () => {
  expect(resourceSortFor('kind', resourceSortOf(query('sort=name')))).toBe('kind');
  expect(resourceSortFor('kind', resourceSortOf(query('sort=kind')))).toBe('-kind');
  expect(resourceSortFor('kind', resourceSortOf(query('sort=-kind')))).toBeUndefined();
});
