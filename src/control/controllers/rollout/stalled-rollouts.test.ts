import { expect, test } from 'vitest';
import type { Rollout, RolloutPlan } from '#engine/rollouts';
import { StalledRollouts } from './stalled-rollouts.ts';

const rollout = (resourceVersion: string, phase = 'Progressing'): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', resourceVersion },
  status: { phase: phase as 'Progressing' },
});
const nothing: RolloutPlan = { writes: [], status: undefined, events: [], wakeAt: undefined };

test('RQ-3: the counts of a Rollout that waits without progress are read again after a minute, and every minute', () => {
  const stalled = new StalledRollouts();
  const at = (seconds: number, version = '1', plan = nothing) =>
    stalled.after('a/web', rollout(version), { plan, now: seconds * 1000 });
  expect(at(0)).toEqual({ isDue: false, nextMs: 60_000 });
  expect(at(40)).toEqual({ isDue: false, nextMs: 20_000 });
  expect(at(60)).toEqual({ isDue: true, nextMs: 60_000 });
  expect(at(61)).toEqual({ isDue: false, nextMs: 59_000 });
  expect(at(100, '2')).toEqual({ isDue: false, nextMs: 60_000 });
  expect(at(120, '2', { ...nothing, status: {} })).toBeUndefined();
  expect(at(130, '2')).toEqual({ isDue: false, nextMs: 60_000 });
});

test('RQ-3: a Rollout at rest is not read again', () => {
  const stalled = new StalledRollouts();
  for (const phase of ['Healthy', 'Paused', 'Degraded'])
    expect(stalled.after('a/web', rollout('1', phase), { plan: nothing, now: 0 })).toBeUndefined();
});

test('RQ-13: an error is reported once it has lasted thirty seconds without a good pass', () => {
  const stalled = new StalledRollouts();
  expect([0, 29_999, 30_000].map((now) => stalled.hasFailedLong('a/web', now))).toEqual([false, false, true]);
  stalled.after('a/web', rollout('1', 'Healthy'), { plan: nothing, now: 31_000 });
  expect(stalled.hasFailedLong('a/web', 32_000)).toBe(false);
});
