import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { realClock } from './clock.ts';
import { deadline, within } from './ctx.ts';
import { silent } from './log.ts';

setFlagsFromString('--expose-gc');
const clearMemory = runInNewContext('gc') as () => void;
const forever = new AbortController().signal;
const ctx = { signal: forever, log: silent, clock: realClock };

test('a deadline comes even when nobody but a joined signal knows of it and memory is cleared meanwhile', async () => {
  const joined = [within(ctx, 50).signal, AbortSignal.any([forever, deadline(50)])];
  await new Promise((resolve) => setImmediate(resolve));
  clearMemory();
  const came = joined.map((signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)));
  await Promise.all(came);
  expect(joined.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('a narrower ctx stops with its parent', () => {
  const stop = new AbortController();
  const { signal } = within({ ...ctx, signal: stop.signal }, 60_000);
  stop.abort(new Error('over'));
  expect(signal.aborted).toBe(true);
});
