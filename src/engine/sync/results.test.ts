import { expect, test } from 'vitest';
import type { KubeObject, ResourceResult } from '#base/model';
import { intendedPrune, known, merge, record } from './results.ts';
import { type SyncPlan, type SyncStep, type SyncTask, taskId } from './task.ts';

const object = (name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'd' },
  spec: { template: { spec: { initContainers: [{ image: 'init:1' }], containers: [{ image: 'web:1' }] } } },
});
const task = (name: string, more: Partial<SyncTask> = {}): SyncTask => ({
  id: `apps/Deployment/d/${name}:Sync`,
  key: `apps/Deployment/d/${name}` as SyncTask['key'],
  phase: 'Sync',
  wave: 0,
  target: object(name),
  mode: { verb: 'apply', force: false, validate: true },
  prune: { do: 'delete' },
  skipDryRun: false,
  unchanged: false,
  state: 'pending',
  ...more,
});
const step: SyncStep = {
  do: 'apply',
  phase: 'Sync',
  wave: 0,
  prune: [],
  groups: [],
  pauseMs: 0,
  message: '',
  results: [],
};

test('what was applied is recorded as Synced and Running, with its images (§4.5, S-27)', () => {
  expect(record(step, [{ task: task('web'), ok: true, message: 'configured' }])).toEqual([
    {
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      namespace: 'd',
      name: 'web',
      syncPhase: 'Sync',
      images: ['web:1'],
      status: 'Synced',
      hookPhase: 'Running',
      message: 'configured',
    },
  ]);
});

test('what could not be applied is SyncFailed and Failed', () => {
  expect(record(step, [{ task: task('web'), ok: false, message: 'denied' }])).toMatchObject([
    { status: 'SyncFailed', hookPhase: 'Failed', message: 'denied' },
  ]);
});

test('what was pruned is Pruned and Succeeded', () => {
  const { target, ...rest } = task('web');
  expect(
    record(step, [{ task: { ...rest, live: target ?? object('web') }, ok: true, message: 'pruned' }]),
  ).toMatchObject([{ status: 'Pruned', hookPhase: 'Succeeded' }]);
});

test('a hook that could not be removed keeps its result and becomes an Error', () => {
  const result: ResourceResult = {
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    namespace: 'd',
    name: 'h',
    syncPhase: 'PreSync',
    hookType: 'PreSync',
    status: 'Synced',
    hookPhase: 'Succeeded',
  };
  const hook = task('h', { phase: 'PreSync', hook: 'PreSync', result });
  const removal: SyncStep = {
    do: 'delete-hooks',
    hooks: [{ task: hook, release: true, remove: true }],
    message: '',
    results: [result],
  };
  expect(record(removal, [{ task: hook, ok: false, message: 'forbidden' }])).toEqual([
    { ...result, hookPhase: 'Error', message: 'the hook could not be removed: forbidden' },
  ]);
  expect(record(removal, [{ task: hook, ok: true, message: 'deleted' }])).toEqual([result]);
});

test('newer results replace older ones in place, so that the order of execution stays', () => {
  const row = (name: string, message: string): ResourceResult => ({
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    namespace: 'd',
    name,
    syncPhase: 'Sync',
    message,
  });
  expect(
    merge([row('a', '1'), row('b', '1')], [row('c', '2'), row('a', '2')]).map(
      ({ name, message }) => `${name}${message}`,
    ),
  ).toEqual(['a2', 'b1', 'c2']);
});

test('R-43: who died over a prune leaves a row: of what is gone that it was pruned, of what is there nothing', () => {
  const { target, ...rest } = task('web');
  const prune = (name: string): SyncTask => {
    const key = `apps/Deployment/d/${name}` as SyncTask['key'];
    return { ...rest, key, id: taskId(key, 'Sync'), live: object(name) };
  };
  const recorded = [prune('gone'), prune('there')].map(intendedPrune);
  const plan = { tasks: [prune('there')], recorded } as unknown as SyncPlan;
  expect(known(plan)).toMatchObject([{ name: 'gone', status: 'Pruned', hookPhase: 'Succeeded' }]);
});
