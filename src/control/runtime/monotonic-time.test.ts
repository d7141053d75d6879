import { expect, test } from 'vitest';
import { SteadyTime } from './monotonic-time.ts';

const never = new AbortController().signal;

function wall(start: number) {
  const clock = { at: start, now: () => new Date(clock.at), sleep: async (_ms: number) => {} };
  return clock;
}

test('time goes on from where it was when the wall clock is set back', () => {
  const clock = wall(10_000);
  const time = new SteadyTime(clock);
  expect(time.now()).toBe(10_000);
  clock.at = 4_000;
  expect(time.now()).toBe(10_000);
  clock.at = 4_500;
  expect(time.now()).toBe(10_500);
});

test('a sleep that ended counts in full even if the wall clock jumped back or the timer was early', async () => {
  const clock = wall(10_000);
  const time = new SteadyTime(clock);
  clock.sleep = async (ms) => {
    clock.at += ms - 3_600_000;
  };
  await time.sleepUntil(15_000, never);
  expect(time.now()).toBe(15_000);
  clock.at += 5;
  expect(time.now()).toBe(15_005);
});
