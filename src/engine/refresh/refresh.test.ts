import { expect, test } from 'vitest';
import { cases } from '../../../test/cases.ts';
import { deeper, isReconciliation, neededRefresh, type Refresh, timerDelay } from './refresh.ts';

test.each(cases<Refresh | null>(new URL('./testdata/refresh/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { app, now, intervals, requested } = input[0];
    expect(
      neededRefresh(app, { now: new Date(now), intervals, ...(requested && { requested }) }) ?? null,
    ).toEqual(wanted);
  },
);

test('of two requests the deeper one is kept (R-5)', () => {
  expect(deeper('tree', 'tracked')).toBe('tracked');
  expect(deeper('resolved', 'recorded')).toBe('resolved');
});

test('only a look at the tracked revision is a reconciliation (R-6)', () => {
  expect(
    ['tree', 'recorded', 'tracked', 'resolved'].map((level) => isReconciliation(level as Refresh['level'])),
  ).toEqual([false, false, true, true]);
});

test('the timer is spread over the jitter, from the interval on, and off when the interval is (R-10, X-13)', () => {
  const seed = { intervalMs: 60_000, jitterMs: 30_000 };
  expect([0, 0.5, 0.999].map((random) => timerDelay(seed, random))).toEqual([60_000, 75_000, 89_970]);
  expect(timerDelay({ ...seed, intervalMs: 0 }, 0.5)).toBeUndefined();
});
