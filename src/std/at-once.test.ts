import { expect, test } from 'vitest';
import { atOnce } from './at-once.ts';

test('no more than so many are under way, and the results are in the order of the items', async () => {
  let [now, most] = [0, 0];
  const twice = async (item: number): Promise<number> => {
    most = Math.max(most, ++now);
    for (let turn = 0; turn < 10 - item; turn++) await undefined;
    now -= 1;
    return item * 2;
  };
  expect(await atOnce(3, [1, 2, 3, 4, 5, 6, 7], twice)).toEqual([2, 4, 6, 8, 10, 12, 14]);
  expect(most).toBe(3);
  expect(await atOnce(3, [], twice)).toEqual([]);
});

test('the first failure is thrown', async () => {
  const odd = async (item: number): Promise<void> => {
    if (item % 2 === 1) throw new Error(`no ${item}`);
  };
  await expect(atOnce(2, [2, 4, 3, 5], odd)).rejects.toThrow('no 3');
});
