import { expect, test } from 'vitest';
import type { Rollout, RolloutPlan } from '#engine/rollouts';
import { Standstill } from './standstill.ts';

const rollout = (resourceVersion: string, phase = 'Progressing'): Rollout => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', resourceVersion },
  status: { phase: phase as 'Progressing' },
});
const nothing: RolloutPlan = { writes: [], status: undefined, events: [], wakeAt: undefined };

test('RQ-3: the counts of a Rollout that waits without progress are read again after a minute, and every minute', () => {
  const standstill = new Standstill();
  const at = (seconds: number, version = '1', plan = nothing) =>
    standstill.after('a/web', rollout(version), { plan, now: seconds * 1000 });
  expect(at(0)).toEqual({ isDue: false, nextMs: 60_000 });
  expect(at(40)).toEqual({ isDue: false, nextMs: 20_000 });
  expect(at(60)).toEqual({ isDue: true, nextMs: 60_000 });
  expect(at(61)).toEqual({ isDue: false, nextMs: 59_000 });
  expect(at(100, '2')).toEqual({ isDue: false, nextMs: 60_000 });
  expect(at(120, '2', { ...nothing, status: {} })).toBeUndefined();
  expect(at(130, '2')).toEqual({ isDue: false, nextMs: 60_000 });
});

test('RQ-3: a Rollout at rest is not read again', () => {
  const standstill = new Standstill();
  for (const phase of ['Healthy', 'Paused', 'Degraded'])
    expect(standstill.after('a/web', rollout('1', phase), { plan: nothing, now: 0 })).toBeUndefined();
});

test('RQ-13: an error is reported once it has lasted thirty seconds without a good pass', () => {
  const standstill = new Standstill();
  expect([0, 29_999, 30_000].map((now) => standstill.hasFailedLong('a/web', now))).toEqual([
    false,
    false,
    true,
  ]);
  standstill.after('a/web', rollout('1', 'Healthy'), { plan: nothing, now: 31_000 });
  expect(standstill.hasFailedLong('a/web', 32_000)).toBe(false);
});
