import { expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { Feed } from './change-feed.ts';

const ctxOf = (signal: AbortSignal) => ({ signal, log: silent, clock: realClock });

test('every reader gets everything published since it came, and stops with its ctx', async () => {
  const feed = new Feed<number>();
  const stop = new AbortController();
  feed.publish(0);
  const reader = feed.follow(ctxOf(stop.signal));
  feed.publish(1);
  feed.publish(2);
  expect([(await reader.next()).value, (await reader.next()).value]).toEqual([1, 2]);
  const waiting = reader.next();
  feed.publish(3);
  expect((await waiting).value).toBe(3);
  const last = reader.next();
  stop.abort();
  expect((await last).done).toBe(true);
});

test('a reader that falls behind gets what it has and is then told so', async () => {
  const feed = new Feed<number>(2);
  const reader = feed.follow(ctxOf(new AbortController().signal));
  for (const n of [1, 2, 3]) feed.publish(n);
  expect([(await reader.next()).value, (await reader.next()).value]).toEqual([1, 2]);
  await expect(reader.next()).rejects.toMatchObject({ code: 'LimitExceeded' });
});
