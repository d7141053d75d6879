import { expect, test } from 'vitest';
import { virtualClock } from './virtual-clock.ts';

const never = new AbortController().signal;

test('sleepers wake in the order of their time, ties in the order they lay down', async () => {
  const clock = virtualClock();
  const woke: string[] = [];
  const nap = async (name: string, ms: number) => {
    await clock.sleep(ms, never);
    woke.push(`${name}@${clock.now().getTime() - begin}`);
  };
  const begin = clock.now().getTime();
  const all = Promise.all([nap('late', 20), nap('early', 10), nap('tie', 10)]);
  await clock.advance(15);
  expect(woke).toEqual(['early@10', 'tie@10']);
  expect(clock.now().getTime() - begin).toBe(15);
  await clock.advance(5);
  await all;
  expect(woke.at(-1)).toBe('late@20');
});

test('an aborted sleeper leaves with the reason and no longer counts', async () => {
  const clock = virtualClock();
  const stop = new AbortController();
  const nap = clock.sleep(1000, stop.signal);
  expect(clock.sleepers).toBe(1);
  stop.abort(new Error('enough'));
  await expect(nap).rejects.toThrow('enough');
  expect(clock.sleepers).toBe(0);
  await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough');
});

test('work that sleeps again and again takes no real time', async () => {
  const clock = virtualClock();
  const begin = clock.now().getTime();
  const work = async () => {
    for (let i = 0; i < 1000; i++) await clock.sleep(60_000, never);
    return 'done';
  };
  await expect(clock.autoAdvance(work())).resolves.toBe('done');
  expect(clock.now().getTime() - begin).toBe(1000 * 60_000);
});

test('auto-advance ends with the failure of what it waits for', async () => {
  const clock = virtualClock();
  const work = async () => {
    await clock.sleep(1, never);
    throw new Error('boom');
  };
  await expect(clock.autoAdvance(work())).rejects.toThrow('boom');
});

test('with nobody asleep there is no next moment', async () => {
  expect(await virtualClock().advanceToNext()).toBe(false);
});
