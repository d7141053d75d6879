import { expect, test } from 'vitest';
import { type Ctx, silent, virtualClock } from '#base/std';
import { json, memoryStore } from '#platform/store';
import { RestartRecords } from './restart-records.ts';

const day = 24 * 3_600_000;

function stage() {
  const clock = virtualClock();
  const store = memoryStore();
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock };
  const open = (secret?: string) =>
    new RestartRecords<string>({ store, table: 'facts', secret: () => secret });
  const names = (): string[] => [...store.table('facts', json()).range()].map(([name]) => name);
  return { clock, ctx, open, names };
}

test('a fact is read by the next process, for seven days', async () => {
  const { clock, ctx, open, names } = stage();
  open('key').put(ctx, 'a', 'true');
  await clock.advance(7 * day - 1);
  expect(open('key').get(ctx, 'a')).toBe('true');
  await clock.advance(1);
  expect(open('key').get(ctx, 'a')).toBeUndefined();
  await open('key').sweep(ctx);
  expect(names()).toEqual([]);
});

test('a fact that still holds is kept on', async () => {
  const { clock, ctx, open } = stage();
  for (let passed = 0; passed < 30; passed++) {
    open('key').put(ctx, 'a', 'true');
    await clock.advance(day);
  }
  expect(open('key').get(ctx, 'a')).toBe('true');
});

test('the store contains no key in clear text, and a process with another secret finds none of its records', () => {
  const { ctx, open, names } = stage();
  open('key').put(ctx, 'password', 'true');
  expect(names()).toHaveLength(1);
  expect(names().join()).not.toContain('password');
  expect(open('another key').get(ctx, 'password')).toBeUndefined();
  open(undefined).put(ctx, 'other', 'true');
  expect(names()).toHaveLength(1);
});

test('a fact of a clock that was ahead does not count', async () => {
  const { ctx, open, clock } = stage();
  const ahead = { ...ctx, clock: { ...clock, now: () => new Date(clock.now().getTime() + day) } };
  open('key').put(ahead, 'a', 'true');
  expect(open('key').get(ctx, 'a')).toBeUndefined();
});

test('a deleted fact is gone', async () => {
  const { ctx, open } = stage();
  open('key').put(ctx, 'a', 'true');
  open('key').delete(ctx, 'a');
  expect(open('key').get(ctx, 'a')).toBeUndefined();
});
