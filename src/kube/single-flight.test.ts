import { expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#std';
import { SingleFlight } from './single-flight.ts';

const ctxOf = (signal: AbortSignal): Ctx => ({ signal, log: silent, clock: realClock });
const steady = ctxOf(new AbortController().signal);

test('many ask, one works; the next asking works anew, also after a failure', async () => {
  const flight = new SingleFlight<number>();
  let runs = 0;
  const work = async () => ++runs;
  expect(await Promise.all([flight.run(steady, work), flight.run(steady, work)])).toEqual([1, 1]);
  await expect(flight.run(steady, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await flight.run(steady, work)).toBe(2);
});

test('who gives up leaves the others undisturbed; the last to give up stops the work', async () => {
  const flight = new SingleFlight<string>();
  const [first, second] = [new AbortController(), new AbortController()];
  let stopped: unknown;
  const work = (ctx: Ctx) =>
    new Promise<string>((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => {
        stopped = ctx.signal.reason;
        reject(ctx.signal.reason);
      });
    });
  const one = flight.run(ctxOf(first.signal), work);
  const two = flight.run(ctxOf(second.signal), work);
  first.abort(new Error('first leaves'));
  await expect(one).rejects.toThrow('first leaves');
  expect(stopped).toBeUndefined();
  second.abort(new Error('second leaves'));
  await expect(two).rejects.toThrow('second leaves');
  expect(stopped).toBeInstanceOf(Error);
  expect(await flight.run(steady, async () => 'fresh')).toBe('fresh');
});
