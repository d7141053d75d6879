import { expect, test } from 'vitest';
import { runMany } from './run-many.ts';

const items = Array.from({ length: 20 }, (_, at) => `app-${at}`);

test('several run at the same time, never more than eight, and each failure keeps its reason', async () => {
  let [running, highest] = [0, 0];
  const seen: number[] = [];
  const { failed, done } = await runMany(items, {
    signal: new AbortController().signal,
    onProgress: (count) => seen.push(count),
    act: async (item) => {
      running += 1;
      highest = Math.max(highest, running);
      await Promise.resolve();
      running -= 1;
      if (item === 'app-3') throw new Error('it is locked');
    },
  });
  expect([highest, done]).toEqual([8, 20]);
  expect([...failed]).toEqual([['app-3', 'it is locked']]);
  expect(seen).toEqual(items.map((_, at) => at + 1));
});

test('a stop lets what runs end, and starts nothing more', async () => {
  const stop = new AbortController();
  const started: string[] = [];
  const { done } = await runMany(items, {
    signal: stop.signal,
    onProgress: () => {},
    act: async (item) => {
      started.push(item);
      if (started.length === 8) stop.abort();
      await Promise.resolve();
    },
  });
  expect([started.length, done]).toEqual([8, 8]);
});
