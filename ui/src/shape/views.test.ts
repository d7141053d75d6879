import { expect, test } from 'vitest';
import type { ResourceNode } from '#serve/api';
import { activityOf } from './activity.ts';
import { networkOf } from './network.ts';
import { podsByNode } from './pods-by-node.ts';
import { forestOf, type TreeItem } from './resource-forest.ts';
import { sampleApplication, sampleOperation } from './sample-application.ts';

const node = (kind: string, name: string, rest: Partial<ResourceNode> = {}): ResourceNode => ({
  kind,
  name,
  namespace: 'shop',
  uid: `${kind} ${name}`,
  ...rest,
});
const pod = (name: string, on: string): ResourceNode =>
  node('Pod', name, {
    info: on ? [{ name: 'Node', value: on }] : [],
    networkingInfo: { labels: { app: 'web', pod: name } },
  });
const nodes = [
  node('Ingress', 'front', {
    networkingInfo: { targetRefs: [{ kind: 'Service', namespace: 'shop', name: 'web' }] },
  }),
  node('Service', 'web', { networkingInfo: { targetLabels: { app: 'web' } } }),
  node('Service', 'other', { networkingInfo: { targetLabels: { app: 'none' } } }),
  pod('a', 'node-2'),
  pod('b', 'node-1'),
  pod('c', ''),
];
const items = forestOf(sampleApplication(), { nodes });
const outline = (list: readonly TreeItem[]): unknown =>
  list.map(({ name, children }) => (children.length > 0 ? [name, outline(children)] : name));

test('a request goes from the Ingress through the Service to the pods that it selects', () => {
  expect(outline(networkOf(items, { nodes }))).toEqual([['front', [['web', ['a', 'b', 'c']]]]]);
  expect(networkOf(items, undefined)).toEqual([]);
});

test('a ring of references ends', () => {
  const ring = ['a', 'b'].map((name) =>
    node('Route', name, {
      networkingInfo: { targetRefs: [{ kind: 'Route', namespace: 'shop', name: name === 'a' ? 'b' : 'a' }] },
    }),
  );
  const entry = node('Ingress', 'in', {
    networkingInfo: { targetRefs: [{ kind: 'Route', namespace: 'shop', name: 'a' }] },
  });
  const all = [entry, ...ring];
  expect(outline(networkOf(forestOf(sampleApplication(), { nodes: all }), { nodes: all }))).toEqual([
    ['in', [['a', ['b']]]],
  ]);
});

test('pods stand by machine, with what is requested there, and those without one last', () => {
  const hosts = [
    {
      name: 'node-1',
      resourcesInfo: [
        { resourceName: 'cpu', requestedByApp: 500, requestedByNeighbors: 250, capacity: 1000 },
      ],
    },
  ];
  expect(podsByNode(items, hosts).map(({ name, pods, uses }) => [name, pods.length, uses[0]?.text])).toEqual([
    ['node-1', 1, '50 % by this application, 25 % by others'],
    ['node-2', 1, undefined],
    ['not on a node yet', 1, undefined],
  ]);
});

test('the activity is made of the history and the events', () => {
  const now = Date.parse('2026-03-18T14:30:00Z');
  const event = (message: string, lastTimestamp: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: message },
    message,
    lastTimestamp,
  });
  const app = sampleApplication({
    history: [{ id: 0, revision: 'abcdef012', deployedAt: '2026-03-18T14:00:00Z' }],
  });
  const activity = activityOf(
    app,
    [
      event('health went from Healthy to Degraded, because of Deployment web', '2026-03-18T14:10:00Z'),
      event('health went from Degraded to Healthy', '2026-03-18T14:20:00Z'),
      event('a sync to abc ended as Failed: no', '2026-03-18T14:15:00Z'),
    ],
    now,
  );
  expect(activity?.health.map(({ state, tone }) => `${state} ${tone}`)).toEqual([
    'Healthy good',
    'Degraded bad',
    'Healthy good',
  ]);
  expect(activity?.sync.map(({ state }) => state)).toEqual(['Synced']);
  expect(activity?.syncs.map(({ tone }) => tone)).toEqual(['good', 'bad']);
  expect(activityOf(sampleApplication(), [], now)).toBeUndefined();
  const often = { ...event('sync status went from OutOfSync to Synced', '2026-03-18T14:20:00Z'), count: 2 };
  const drifted = [
    { ...often, firstTimestamp: '2026-03-18T14:05:00Z' },
    event('sync status went from Synced to OutOfSync', '2026-03-18T14:15:00Z'),
  ];
  expect(activityOf(app, drifted, now)?.sync.map(({ state, from }) => [state, from])).toEqual([
    ['OutOfSync', Date.parse('2026-03-18T14:00:00Z')],
    ['Synced', Date.parse('2026-03-18T14:05:00Z')],
    ['OutOfSync', Date.parse('2026-03-18T14:15:00Z')],
    ['Synced', Date.parse('2026-03-18T14:20:00Z')],
  ]);
  const retried = sampleOperation({ phase: 'Running', retryCount: 3, finishedAt: '2026-03-18T14:25:00Z' });
  expect(activityOf(sampleApplication({ operationState: retried }), [], now)?.syncs).toEqual([
    { at: Date.parse('2026-03-18T14:25:00Z'), text: 'attempt 3 failed', tone: 'bad' },
  ]);
  const second = '2026-03-18T14:10:00Z';
  const quick = [
    event('health went from Progressing to Healthy', second),
    event('health went from Missing to Progressing', second),
  ];
  expect(activityOf(app, quick, now)?.health.map(({ state }) => state)).toEqual(['Missing', 'Healthy']);
  expect(activityOf(app, quick.toReversed(), now)?.health.map(({ state }) => state)).toEqual([
    'Missing',
    'Healthy',
  ]);
});
