import { expect, test } from 'vitest';
import { realClock } from './clock.ts';
import type { Ctx } from './ctx.ts';
import { silent } from './log.ts';
import { SingleFlight } from './single-flight.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

test('those who ask meanwhile share the work and its failure; the next one starts anew', async () => {
  const flights = new SingleFlight<number>();
  let started = 0;
  const work = async (): Promise<number> => {
    started += 1;
    if (started === 1) throw new Error('first fails');
    return started;
  };
  const [a, b] = await Promise.allSettled([flights.run(ctx, 'k', work), flights.run(ctx, 'k', work)]);
  expect([a.status, b.status]).toEqual(['rejected', 'rejected']);
  expect(await flights.run(ctx, 'k', work)).toBe(2);
  expect(started).toBe(2);
});

test('one who leaves leaves alone; when the last has left the work is given up', async () => {
  const flights = new SingleFlight<string>();
  let given: AbortSignal | undefined;
  const work = (inner: Ctx): Promise<string> => {
    given = inner.signal;
    return new Promise((_resolve, reject) =>
      inner.signal.addEventListener('abort', () => reject(inner.signal.reason)),
    );
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const one = flights.run({ ...ctx, signal: first.signal }, 'k', work);
  const two = flights.run({ ...ctx, signal: second.signal }, 'k', work);
  first.abort(new Error('first left'));
  await expect(one).rejects.toThrow('first left');
  expect(given?.aborted).toBe(false);
  second.abort(new Error('second left'));
  await expect(two).rejects.toThrow('second left');
  expect(given?.aborted).toBe(true);
});

test('work that was given up is not joined', async () => {
  const flights = new SingleFlight<string>();
  const leaver = new AbortController();
  const stuck = flights.run({ ...ctx, signal: leaver.signal }, 'k', () => new Promise(() => {}));
  leaver.abort(new Error('left'));
  await expect(stuck).rejects.toThrow('left');
  expect(await flights.run(ctx, 'k', async () => 'fresh')).toBe('fresh');
});
