import { expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { Semaphore } from './semaphore.ts';

test('everybody who wants a turn is told of once, who had to wait and who left the line too', async () => {
  const waits: number[] = [];
  const turns = new Semaphore(1, (ms) => waits.push(ms));
  const stop = new AbortController();
  const leaving = { signal: stop.signal, log: silent, clock: realClock };
  const ctx = { ...leaving, signal: new AbortController().signal };
  let finish = (): void => {};
  const first = turns.take(
    ctx,
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const left = turns.take(leaving, async () => {});
  const second = turns.take(ctx, async () => 'done');
  stop.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(waits).toHaveLength(2);
  finish();
  await first;
  expect(await second).toBe('done');
  expect(waits).toHaveLength(3);
  expect(waits.every((ms) => ms >= 0)).toBe(true);
});
