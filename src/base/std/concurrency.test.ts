import { expect, test } from 'vitest';
import { atOnce } from './concurrency.ts';

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

test('as soon as one is through the next begins, whoever still takes long', async () => {
  const begun: number[] = [];
  const open: (() => void)[] = [];
  const all = atOnce(2, [1, 2, 3, 4], (item) => {
    begun.push(item);
    return new Promise<void>((resolve) => open.push(resolve));
  });
  for (const at of [1, 2, 3]) {
    open[at]?.();
    for (let turn = 0; turn < 10; turn++) await undefined;
  }
  expect(begun).toEqual([1, 2, 3, 4]);
  open[0]?.();
  await all;
});

test('what is heavy goes with few, and what is too heavy goes alone', async () => {
  let [load, most, beside] = [0, 0, 0];
  let alone = true;
  const weigh = (item: number): number => item;
  const carry = async (item: number): Promise<void> => {
    load += item;
    beside += 1;
    most = Math.max(most, item > 10 ? 0 : load);
    if (item > 10) alone &&= beside === 1;
    for (let turn = 0; turn < 10; turn++) await undefined;
    load -= item;
    beside -= 1;
  };
  await atOnce({ width: 5, most: 10, weigh }, [3, 7, 5, 6, 50, 1, 1, 9, 2, 50], carry);
  expect([most, alone]).toEqual([10, true]);
});
