import { setImmediate as letIoIn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cpuNow } from '../../../test/cpu-time.ts';
import { inSteps, nextSlice, slices } from './in-steps.ts';

/** So many steps of about a millisecond each, or another time. */
function* work(steps: number, ms = 1): Generator<void, number> {
  for (let step = 0; step < steps; step++) {
    const until = performance.now() + ms;
    while (performance.now() < until);
    yield;
  }
  return steps;
}

/** How much was computed between two chances for anybody else, at most: milliseconds of processor time. */
async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let [isOver, longest, last] = [false, 0, cpuNow()];
  const done = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await letIoIn();
    longest = Math.max(longest, cpuNow() - last);
    last = cpuNow();
  }
  await done;
  return longest;
}

test('attack 32: long work lets others in, however many are at it', async () => {
  const alone = await longestWait(() => inSteps(work(400)));
  expect(alone).toBeLessThan(200);
  const many = Array.from({ length: 10 }, () => inSteps(work(100)));
  // each begins with a slice of its own; from there on they take turns
  await letIoIn();
  expect(await longestWait(() => Promise.all(many))).toBeLessThan(300);
  expect(await Promise.all(many)).toEqual(Array.from({ length: 10 }, () => 100));
});

test('short work is done at once, and what it throws is thrown', async () => {
  let turns = 0;
  const other = letIoIn().then(() => turns++);
  expect(await inSteps(work(3, 0))).toBe(3);
  expect(turns).toBe(0);
  await other;
  function* broken(): Generator<void, never> {
    yield;
    throw new Error('no');
  }
  await expect(inSteps(broken())).rejects.toThrow('no');
});

test('who has had the least goes on first, and each has a turn of the event loop to itself', async () => {
  const order: string[] = [];
  let turns = 0;
  const goOn = (name: string) => () => order.push(`${name} ${turns}`);
  const waiting = [
    nextSlice(7).then(goOn('long')),
    nextSlice(1).then(goOn('short')),
    nextSlice(3).then(goOn('middle')),
  ];
  const counting = (async () => {
    for (; order.length < 3; turns++) await letIoIn();
  })();
  await Promise.all([...waiting, counting]);
  expect(order.map((line) => line.split(' ')[0])).toEqual(['short', 'middle', 'long']);
  expect(new Set(order.map((line) => line.split(' ')[1])).size).toBe(3);
});

test('what everybody waits for goes on before what has had less', async () => {
  const order: string[] = [];
  const [urgent, other] = [slices({ first: true }), slices()];
  const until = performance.now() + 25;
  while (performance.now() < until);
  await Promise.all([other()?.then(() => order.push('other')), urgent()?.then(() => order.push('urgent'))]);
  expect(order).toEqual(['urgent', 'other']);
});

test('what everybody waits for keeps nobody waiting for ever, however much of it there is', async () => {
  const order: string[] = [];
  const hear = async () => {
    while (order.length < 8) {
      await nextSlice(0);
      order.push('heard');
    }
  };
  const heard = hear();
  await Promise.all([1, 2].map((had) => nextSlice(had).then(() => order.push(`had ${had}`))));
  expect(order).toEqual(['heard', 'had 1', 'heard', 'had 2']);
  await heard;
});

test('attack 32: however many are at one piece of work, it has one place in the line', async () => {
  const [large, small] = [slices(), slices()];
  const until = performance.now() + 25;
  while (performance.now() < until);
  let turns = 0;
  const turnsOf = async (pause: typeof large) => {
    await pause();
    return turns;
  };
  const many = Array.from({ length: 20 }, () => turnsOf(large));
  const one = turnsOf(small);
  for (let wait = 0; wait < 30; wait++) {
    await letIoIn();
    turns++;
  }
  expect(new Set(await Promise.all(many)).size).toBe(1);
  expect((await one) - ((await many[0]) ?? 0)).toBeLessThan(3);
});
