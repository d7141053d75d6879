import { expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { RenderSlots } from './render-slots.ts';

test('the wait of every caller is reported once, also of one that left the queue', async () => {
  const waits: number[] = [];
  const slots = new RenderSlots(1, (ms) => waits.push(ms));
  const stop = new AbortController();
  const leaving = { signal: stop.signal, log: silent, clock: realClock };
  const ctx = { ...leaving, signal: new AbortController().signal };
  let finish = (): void => {};
  const first = slots.run(
    ctx,
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const left = slots.run(leaving, async () => {});
  const second = slots.run(ctx, async () => 'done');
  stop.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(waits).toHaveLength(2);
  finish();
  await first;
  expect(await second).toBe('done');
  expect(waits).toHaveLength(3);
  expect(waits.every((ms) => ms >= 0)).toBe(true);
});
