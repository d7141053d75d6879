import { expect, test } from 'vitest';
import { type Backoff, virtualClock } from '#base/std';
import { WorkQueue } from './work-queue.ts';

const backoff: Backoff = { initialMs: 100, factor: 2, maxMs: 1000 };

function setUp() {
  const clock = virtualClock();
  const stop = new AbortController();
  const events: string[] = [];
  const hooks = {
    onAdd: (key: string) => void events.push(`add ${key}`),
    onStart: (key: string, ms: number) => void events.push(`start ${key} ${ms}`),
    onDone: (key: string, ms: number) => void events.push(`done ${key} ${ms}`),
    onRetry: (key: string, ms: number) => void events.push(`retry ${key} ${ms}`),
  };
  const queue = new WorkQueue({ clock, backoff, hooks, random: () => 0 });
  const next = () => queue.next(stop);
  return { clock, stop, queue, events, next, kept: queue.keepTime(stop) };
}

test('compat R-1: a key added twice is handed out once', async () => {
  const { queue, next } = setUp();
  queue.add('a');
  queue.add('b');
  queue.add('a');
  expect(queue.length).toBe(2);
  expect([await next(), await next()]).toEqual(['a', 'b']);
  expect(queue.length).toBe(0);
});

test('compat R-1: a key being worked on is handed out again only after it is done, and only once', async () => {
  const { queue, next } = setUp();
  queue.add('a');
  await next();
  queue.add('a');
  queue.add('a', 'bulk');
  expect(queue.length).toBe(0);
  queue.done('a');
  expect(queue.length).toBe(1);
  expect(await next()).toBe('a');
  queue.done('a');
  expect(queue.length).toBe(0);
});

test('done without having been handed the key is refused', async () => {
  const { queue } = setUp();
  queue.add('a');
  expect(() => queue.done('a')).toThrow('no worker holds the key a');
  expect(() => queue.done('b')).toThrow('no worker holds the key b');
});

test('bulk keys wait for prompt ones, but get every eighth turn', async () => {
  const { queue, next } = setUp();
  for (const key of ['x', 'y']) queue.add(key, 'bulk');
  for (let i = 0; i < 20; i++) queue.add(`p${i}`);
  const order: (string | undefined)[] = [];
  while (queue.length > 0) order.push(await next());
  expect(order.indexOf('x')).toBe(7);
  expect(order.indexOf('y')).toBe(15);
  expect(order.filter((key) => key?.startsWith('p'))).toEqual(Array.from({ length: 20 }, (_, i) => `p${i}`));
});

test('a prompt add moves a bulk key over; a bulk add does not move a prompt key back', async () => {
  const { queue, next } = setUp();
  for (const key of ['a', 'b', 'c']) queue.add(key, 'bulk');
  queue.add('c');
  queue.add('c', 'bulk');
  expect([await next(), await next(), await next()]).toEqual(['c', 'a', 'b']);
});

test('an idle worker is woken at the time of a delayed key, not before', async () => {
  const { queue, next, clock } = setUp();
  const got: (string | undefined)[] = [];
  const waiting = next().then((key) => got.push(key));
  queue.addAfter('slow', 5000);
  await clock.advance(4999);
  expect(got).toEqual([]);
  expect(clock.sleepers).toBe(1);
  await clock.advance(1);
  await waiting;
  expect(got).toEqual(['slow']);
});

test('of several delays for one key the earliest counts', async () => {
  const { queue, clock } = setUp();
  queue.addAfter('a', 3000);
  queue.addAfter('a', 1000);
  queue.addAfter('a', 2000);
  await clock.advance(999);
  expect(queue.length).toBe(0);
  await clock.advance(1);
  expect(queue.length).toBe(1);
  await clock.advance(5000);
  expect(queue.length).toBe(1);
});

test('an undelayed add does not cancel a delay', async () => {
  const { queue, next, clock } = setUp();
  queue.addAfter('a', 1000);
  queue.add('a');
  queue.done((await next()) ?? '');
  expect(queue.length).toBe(0);
  await clock.advance(1000);
  expect(queue.length).toBe(1);
});

test('a hundred thousand delayed keys need one timer', async () => {
  const { queue, next, clock } = setUp();
  for (let i = 0; i < 100_000; i++) queue.addAfter(`key-${i}`, 100 - (i % 100));
  await clock.advance(0);
  expect(clock.sleepers).toBe(1);
  await clock.advance(50);
  expect(queue.length).toBe(50_000);
  expect(await next()).toBe('key-99');
});

test('retries wait longer and longer until forgotten, and never longer than the cap', () => {
  const { queue } = setUp();
  expect([1, 2, 3, 4, 5, 6].map(() => queue.retry('a'))).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(queue.retry('b')).toBe(100);
  queue.forget('a');
  expect(queue.retry('a')).toBe(100);
});

test('retries are spread by jitter', () => {
  const queue = new WorkQueue({ clock: virtualClock() });
  const waits = new Set(Array.from({ length: 50 }, (_, i) => queue.retry(`key-${i}`)));
  expect(waits.size).toBeGreaterThan(10);
});

test('hooks tell how long a key waited and was worked on', async () => {
  const { queue, next, clock, events } = setUp();
  queue.add('a');
  queue.add('a');
  await clock.advance(30);
  await next();
  queue.retry('a');
  await clock.advance(12);
  queue.done('a');
  expect(events).toEqual(['add a', 'start a 30', 'retry a 100', 'done a 12']);
});

test('waiting workers leave when stopped, and nothing is handed out afterwards', async () => {
  const { queue, next, stop, kept } = setUp();
  const waiting = [next(), next()];
  stop.abort();
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  queue.add('a');
  expect(await next()).toBeUndefined();
  expect(queue.length).toBe(1);
  await kept;
});

test('a worker that left leaves its turn to the others', async () => {
  const { queue, next } = setUp();
  const other = new AbortController();
  const leaving = queue.next(other);
  const staying = next();
  other.abort();
  queue.add('a');
  expect([await leaving, await staying]).toEqual([undefined, 'a']);
});

test('after shut-down what is ready is handed out, nothing else comes in, then it ends', async () => {
  const { queue, next, clock, kept } = setUp();
  queue.add('working');
  await next();
  queue.add('working');
  queue.add('ready');
  queue.addAfter('later', 10);
  queue.shutDown();
  queue.add('new');
  queue.retry('new');
  await kept;
  await clock.advance(1000);
  expect(await next()).toBe('ready');
  queue.done('working');
  expect([await next(), await next()]).toEqual(['working', undefined]);
});

test('two loops on one queue are refused', async () => {
  const { queue, stop } = setUp();
  await expect(queue.keepTime(stop)).rejects.toThrow('already served');
});
