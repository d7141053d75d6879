import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Batches } from './batches.ts';

test('changes that come in one turn are told together, also when one of them fails', async () => {
  const told: number[] = [];
  const batches = new Batches((changes, ms) => {
    expect(ms).toBeGreaterThanOrEqual(0);
    told.push(changes);
  });
  batches.take(true, () => {});
  expect(() =>
    batches.take(true, () => {
      throw new Error('broken');
    }),
  ).toThrow('broken');
  batches.take(false, () => {});
  expect(told).toEqual([]);
  await nextTurn();
  batches.take(true, () => {});
  await nextTurn();
  await nextTurn();
  expect(told).toEqual([2, 1]);
});
