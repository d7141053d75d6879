import { expect, test } from 'vitest';
import { KeyedSemaphore } from './keyed-semaphore.ts';

test('what depends on a thing that is busy is requeued when there is capacity, and holds nothing meanwhile', () => {
  const called: string[] = [];
  const turns = new KeyedSemaphore({ most: () => 2, requeue: (key) => called.push(key) });
  expect(['a', 'b', 'c', 'd'].map((key) => turns.enter(key, ['hung']))).toEqual([true, true, false, false]);
  expect(turns.enter('e', ['other'])).toBe(true);
  turns.leave(['hung']);
  expect(called).toEqual(['c']);
  expect([turns.enter('c', ['hung']), turns.enter('f', ['hung'])]).toEqual([true, false]);
  turns.leave(['hung']);
  turns.leave(['hung']);
  expect(called).toEqual(['c', 'f', 'd']); // the oldest, the newest, and so on: decision 30
});

test('since when nobody was through with something is known while it has no room', () => {
  let now = 1;
  const turns = new KeyedSemaphore({ most: () => 2, requeue: () => {}, now: () => now });
  turns.enter('a', ['hung']);
  expect(turns.stillSince('hung')).toBeUndefined();
  now = 2;
  turns.enter('b', ['hung']);
  now = 3;
  expect([turns.enter('c', ['hung']), turns.stillSince('hung')]).toEqual([false, 2]);
  turns.leave(['hung']);
  expect([turns.stillSince('hung'), turns.enter('c', ['hung']), turns.stillSince('hung')]).toEqual([
    undefined,
    true,
    3,
  ]);
});

test('all that something depends on is taken, or none of it', () => {
  const called: string[] = [];
  const turns = new KeyedSemaphore({ most: () => 1, requeue: (key) => called.push(key) });
  expect(turns.enter('a', ['cluster', 'repo'])).toBe(true);
  expect(turns.enter('b', ['free', 'repo'])).toBe(false);
  expect(turns.enter('c', ['free'])).toBe(true);
  turns.leave(['cluster', 'repo']);
  expect(called).toEqual(['b']);
});

test('a slot that the first in line cannot use goes to the next one', () => {
  const called: string[] = [];
  const limits: Record<string, number> = { cluster: 2, hung: 1 };
  const semaphore = new KeyedSemaphore({
    most: (thing) => limits[thing] ?? 8,
    requeue: (key) => called.push(key),
  });
  expect(semaphore.enter('hung 0', ['cluster', 'hung'])).toBe(true);
  expect(semaphore.enter('other', ['cluster', 'fine'])).toBe(true);
  expect(semaphore.enter('hung 1', ['cluster', 'hung'])).toBe(false);
  expect(semaphore.enter('innocent', ['cluster', 'quick'])).toBe(false);
  expect(semaphore.enter('hung 2', ['cluster', 'hung'])).toBe(false);
  semaphore.leave(['cluster']); // 'hung 0' waits for its host and holds that alone
  for (let next = 0; next < called.length; next++) {
    const key = called[next] ?? '';
    semaphore.enter(key, ['cluster', key.startsWith('hung') ? 'hung' : 'quick']);
  }
  expect(called).toEqual(['hung 1', 'hung 2', 'innocent']);
});
