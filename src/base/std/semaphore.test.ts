import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

const { signal } = new AbortController();

/** Work that ends when the test releases it, and the order in which it began. */
function work(began: string[], name: string) {
  let finish = (): void => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const run = (): Promise<string> => {
    began.push(name);
    return ended.then(() => name);
  };
  return { run, finish: () => finish() };
}

test('as many callers work at once as there is capacity, the others in the order of their calls', async () => {
  const semaphore = new Semaphore(2);
  const began: string[] = [];
  const works = ['a', 'b', 'c', 'd'].map((name) => work(began, name));
  const results = works.map(({ run }) => semaphore.run(signal, run));
  await Promise.resolve();
  expect(began).toEqual(['a', 'b']);
  works[1]?.finish();
  expect(await results[1]).toBe('b');
  await Promise.resolve();
  expect(began).toEqual(['a', 'b', 'c']);
  for (const { finish } of works) finish();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
});

test('a caller that leaves the queue uses no capacity', async () => {
  const semaphore = new Semaphore(1);
  const stop = new AbortController();
  await semaphore.acquire(signal);
  const leaves = semaphore.run(stop.signal, async () => 'never');
  const stays = semaphore.run(signal, async () => 'done');
  stop.abort(new Error('gone'));
  await expect(leaves).rejects.toThrow('gone');
  await expect(semaphore.acquire(stop.signal)).rejects.toThrow('gone');
  semaphore.release();
  expect(await stays).toBe('done');
});

test('work that fails releases its capacity; all that wait can be rejected', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.run(signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await semaphore.acquire(signal);
  const waiting = [semaphore.acquire(signal), semaphore.acquire(signal)];
  semaphore.rejectWaiting(new Error('closed'));
  for (const one of waiting) await expect(one).rejects.toThrow('closed');
  semaphore.release();
  await semaphore.acquire(signal);
});
