import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { KeyedQueue } from './keyed-queue.ts';

test('a key waits once however often it is added, and first come is first served', async () => {
  const queue = new KeyedQueue();
  for (const key of ['a', 'b', 'a']) queue.add(key);
  expect([await queue.take(), await queue.take()]).toEqual(['a', 'b']);
  const next = queue.take();
  queue.add('c');
  expect(await next).toBe('c');
});

test('a key added while it is worked on comes again when it is done', async () => {
  const queue = new KeyedQueue();
  queue.add('a');
  await queue.take();
  queue.add('a');
  const next = queue.take();
  queue.done('a');
  expect(await next).toBe('a');
});

test('an appointment is kept, moved by the next pass, and dropped when something comes before it', async () => {
  const clock = virtualClock();
  const queue = new KeyedQueue();
  const keeping = queue.keepTime(clock);
  const now = clock.now().getTime();
  queue.add('a');
  await queue.take();
  queue.done('a', now + 100);
  const taken: string[] = [];
  const taking = (async () => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      taken.push(`${key}@${clock.now().getTime() - now}`);
      queue.done(key, taken.length === 1 ? now + 250 : undefined);
    }
  })();
  await clock.advance(99);
  expect(taken).toEqual([]);
  await clock.advance(1);
  expect(taken).toEqual(['a@100']);
  await clock.advance(50);
  queue.add('a');
  await clock.advance(500);
  expect(taken).toEqual(['a@100', 'a@150']);
  expect(clock.sleepers).toBe(0);
  queue.close();
  await Promise.all([keeping, taking]);
});

test('a closed queue hands out nothing', async () => {
  const queue = new KeyedQueue();
  const waiting = queue.take();
  queue.close();
  queue.add('a');
  expect([await waiting, await queue.take()]).toEqual([undefined, undefined]);
});
