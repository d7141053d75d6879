import { expect, test } from 'vitest';
import { HookBackoff } from './hook-backoff.ts';

const at = (ms: number): Date => new Date(1_000_000 + ms);

test('each failure lets the next attempt wait twice as long, up to three minutes', () => {
  const setbacks = new HookBackoff();
  expect([setbacks.has('a'), setbacks.leftMs('a', at(0))]).toEqual([false, 0]);
  const waits = Array.from({ length: 8 }, () => {
    setbacks.note('a', at(0));
    return setbacks.leftMs('a', at(0));
  });
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 180_000, 180_000]);
  expect(setbacks.leftMs('b', at(0))).toBe(0);
});

test('a change that may help ends the wait, and success forgets the failures', () => {
  const setbacks = new HookBackoff();
  setbacks.note('a', at(0));
  setbacks.retryNow('a');
  expect([setbacks.has('a'), setbacks.leftMs('a', at(0))]).toEqual([true, 0]);
  setbacks.note('a', at(0));
  expect(setbacks.leftMs('a', at(4_000))).toBe(6_000);
  setbacks.clear('a');
  setbacks.note('a', at(0));
  expect(setbacks.leftMs('a', at(0))).toBe(5_000);
});
