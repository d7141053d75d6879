import { expect, test } from 'vitest';
import type { ManagedResource } from '#serve/api';
import { sampleApplication, sampleOperation, sampleRun } from './sample-application.ts';
import { syncOutlook } from './sync-outlook.ts';

const object = (name: string, value = '') =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'd' },
    data: { value },
  });
const item = (
  name: string,
  target: string,
  live: string,
  more: Partial<ManagedResource> = {},
): ManagedResource => ({
  kind: 'ConfigMap',
  namespace: 'd',
  name,
  targetState: target,
  liveState: live,
  normalizedLiveState: live,
  predictedLiveState: target,
  modified: target !== live,
  ...more,
});
const changed = item('a', object('a', '1'), object('a', '2'));
const created = item('b', object('b'), 'null');
const gone = item('c', 'null', object('c'));
const hook = item('h', object('h'), 'null', { hook: true });
const pruning = { syncPolicy: { automated: { prune: true } } };

test.each([
  ['one resource is named', sampleApplication(), [changed], 'Sync would change ConfigMap a.'],
  [
    'one field is named with its value',
    sampleApplication(),
    [{ ...changed, fields: [{ path: '/data/value', target: '1', live: '2' }] }],
    'Sync would set data.value of ConfigMap a to 1.',
  ],
  [
    'one that is not in Git is removed',
    sampleApplication(),
    [{ ...changed, fields: [{ path: '/data/value', live: '2' }] }],
    'Sync would remove data.value of ConfigMap a.',
  ],
  [
    'several are counted, and what is not pruned is told apart',
    sampleApplication(),
    [changed, item('x', object('x', '1'), object('x')), created, gone],
    'Sync would create ConfigMap b, change 2 resources; 1 no longer in Git stays without Prune.',
  ],
  ['pruning deletes', sampleApplication({}, pruning), [gone], 'Sync would delete ConfigMap c.'],
  [
    'hooks run first',
    sampleApplication(),
    [hook, changed],
    'Sync would run its hook and change ConfigMap a.',
  ],
  [
    'a sync that failed would fail again',
    sampleApplication({ operationState: sampleOperation({ phase: 'Failed' }) }),
    [changed],
    'Sync would change ConfigMap a, and fail again unless its cause is gone.',
  ],
  [
    'a sync that failed and has nothing to change',
    sampleApplication({ operationState: sampleOperation({ phase: 'Failed' }) }),
    [],
    'Sync would try the same again.',
  ],
  [
    'what cannot be rendered is not applied',
    sampleApplication({ conditions: [{ type: 'ComparisonError', message: 'no' }] }),
    [],
    'Sync would change nothing: it fails as long as the error is there.',
  ],
  ['nothing to do is not worth a sentence', sampleApplication(), [], undefined],
  [
    'what runs as Git has it, and is not healthy, is not mended by a sync',
    sampleApplication({ health: { status: 'Degraded', message: 'Deployment web (no image)' } }),
    [item('a', object('a'), object('a'))],
    'Sync would change nothing: the cluster already has what Git has.',
  ],
  [
    'hooks run all the same',
    sampleApplication({ health: { status: 'Degraded' } }),
    [hook],
    'Sync would run its hook and change nothing else: the cluster already has what Git has.',
  ],
  [
    'what is only left over stays',
    sampleApplication(),
    [gone],
    'Sync would change nothing; 1 no longer in Git stays without Prune.',
  ],
  [
    'a sync that runs is its own outlook',
    sampleApplication({ operationState: sampleRun() }),
    [changed],
    undefined,
  ],
])('%s', (_, app, items, words) => {
  expect(syncOutlook(app, items)).toBe(words);
});

test('before the differences are there nothing is said', () => {
  expect(syncOutlook(sampleApplication(), undefined)).toBeUndefined();
});
