import { expect, test } from 'vitest';
import type { ResourceResult, ResourceStatus } from '#base/model';
import { isRunning, stageName, timelineOf } from './operation-timeline.ts';
import { sampleOperation, sampleRun } from './sample-application.ts';

const result = (kind: string, name: string, rest: Partial<ResourceResult> = {}): ResourceResult => ({
  group: '',
  version: 'v1',
  kind,
  namespace: 'shop',
  name,
  syncPhase: 'Sync',
  status: 'Synced',
  hookPhase: 'Succeeded',
  ...rest,
});
const resource = (kind: string, name: string, rest: Partial<ResourceStatus> = {}): ResourceStatus => ({
  kind,
  namespace: 'shop',
  name,
  status: 'OutOfSync',
  ...rest,
});

test('phases are lanes and waves are columns, each in the order it runs', () => {
  const state = sampleOperation({
    syncResult: {
      resources: [
        result('Job', 'migrate', { syncPhase: 'PreSync', hookType: 'PreSync' }),
        result('Service', 'web'),
        result('ConfigMap', 'first'),
        result('Job', 'smoke', { syncPhase: 'PostSync', hookType: 'PostSync', hookPhase: 'Failed' }),
      ],
    },
  });
  const { lanes, done, total } = timelineOf(state, [
    resource('Service', 'web', { syncWave: 5 }),
    resource('ConfigMap', 'first', { syncWave: -1 }),
  ]);
  expect(lanes.map(({ phase, columns }) => [phase, columns.map(({ wave }) => wave)])).toEqual([
    ['PreSync', [0]],
    ['Sync', [-1, 5]],
    ['PostSync', [0]],
  ]);
  expect(lanes[2]?.columns[0]?.bars[0]).toMatchObject({ state: 'failed', word: 'failed', isHook: true });
  expect([done, total]).toEqual([4, 4]);
});

test('while it runs, what has no result yet waits, and says for what', () => {
  const state = sampleRun({
    syncResult: {
      resources: [
        result('ConfigMap', 'settings'),
        result('Deployment', 'api', { hookPhase: 'Running', message: '1 of 3 pods ready' }),
      ],
    },
  });
  const timeline = timelineOf(state, [
    resource('ConfigMap', 'settings'),
    resource('Deployment', 'api'),
    resource('Service', 'web', { syncWave: 1 }),
  ]);
  const { blocker, lanes } = timeline;
  expect(lanes[0]?.columns[1]?.bars[0]).toMatchObject({
    name: 'web',
    state: 'waiting',
    waitsFor: 'Deployment api',
  });
  expect(blocker).toMatchObject({ wave: 0, bars: [{ name: 'api', message: '1 of 3 pods ready' }] });
  expect(blocker && stageName(timeline, blocker)).toBe('wave 0');
  expect([timeline.done, timeline.total]).toEqual([1, 3]);
});

test('hooks to come count, and what was counted once is not counted twice', () => {
  const message = 'applying wave 0 of Sync; 0 of 3 done';
  const resources = [resource('ConfigMap', 'settings')];
  expect(timelineOf(sampleRun({ message }), resources)).toMatchObject({ done: 0, total: 3 });
  const many = ['a', 'b', 'c', 'd'].map((name) => resource('ConfigMap', name));
  expect(timelineOf(sampleRun({ message }), many).total).toBe(4);
});

test('a selective sync waits only for what was chosen, and prunes only when asked', () => {
  const sync = { resources: [{ kind: 'Service', name: 'web', namespace: 'shop' }] };
  const chosen = timelineOf(sampleRun({ operation: { sync }, syncResult: {} }), [
    resource('Service', 'web'),
    resource('Service', 'other'),
  ]);
  expect(chosen.total).toBe(1);
  const kept = timelineOf(sampleRun({ syncResult: {} }), [
    resource('Service', 'old', { requiresPruning: true }),
  ]);
  expect(kept.lanes).toEqual([]);
});

test('compat S-20: a finished operation has nothing that runs, whatever its last results say', () => {
  const state = sampleOperation({
    syncResult: { resources: [result('Deployment', 'api', { hookPhase: 'Running' })] },
  });
  expect(timelineOf(state).lanes[0]?.columns[0]?.bars[0]?.state).toBe('done');
});

test.each([
  ['Pruned', 'pruned', 'pruned'],
  ['PruneSkipped', 'kept', 'not pruned'],
  ['SyncFailed', 'failed', 'failed'],
  ['Synced', 'done', 'synced'],
] as const)('a result %s is %s', (status, state, word) => {
  const timeline = timelineOf(
    sampleOperation({ syncResult: { resources: [result('Service', 'a', { status })] } }),
  );
  expect(timeline.lanes[0]?.columns[0]?.bars[0]).toMatchObject({ state, word });
});

test('a single wave is named by its phase', () => {
  const hook = result('Job', 'migrate', { syncPhase: 'PreSync', hookType: 'PreSync', hookPhase: 'Running' });
  const timeline = timelineOf(sampleRun({ syncResult: { resources: [hook] } }));
  expect(timeline.blocker && stageName(timeline, timeline.blocker)).toBe('PreSync');
});

test('an operation runs until it has an end', () => {
  expect(isRunning(undefined)).toBe(false);
  expect(isRunning(sampleOperation())).toBe(false);
  expect(isRunning(sampleRun())).toBe(true);
  expect(isRunning(sampleRun({ phase: 'Terminating' }))).toBe(true);
});
