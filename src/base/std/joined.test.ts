import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { realClock } from './clock.ts';
import { within } from './ctx.ts';
import { joined } from './joined.ts';
import { silent } from './log.ts';
import { runAll } from './run-all.ts';
import { Tasks } from './tasks.ts';

const root = new AbortController();
const ctx = { signal: root.signal, log: silent, clock: realClock };

/** What is attached to a signal: listeners, and the entries that AbortSignal.any leaves in it. */
function attachedTo(signal: AbortSignal): number {
  const symbol = Object.getOwnPropertySymbols(signal).find((one) => /dependantsignals/i.test(String(one)));
  const joinedTo = symbol && (signal as unknown as Record<symbol, Set<unknown> | null>)[symbol];
  return getEventListeners(signal, 'abort').length + (joinedTo?.size ?? 0);
}

test('a joined signal aborts with the first of the others, for its reason', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const { signal } = joined(one.signal, two.signal);
  two.abort('two');
  one.abort('one');
  expect(signal.reason).toBe('two');
  expect(joined(root.signal, two.signal).signal.reason).toBe('two');
  expect(attachedTo(root.signal)).toBe(0);
});

test('a released one no longer aborts, and nothing of it stays attached', () => {
  const one = new AbortController();
  const { signal, release } = joined(root.signal, one.signal);
  release();
  release();
  one.abort();
  expect(signal.aborted).toBe(false);
  expect(attachedTo(root.signal)).toBe(0);
});

test('work that has ended leaves nothing attached to the signal it ran under', async () => {
  const tasks = new Tasks();
  await tasks.run(ctx, async () => {
    for (let at = 0; at < 100; at++) {
      tasks.start('one', async () => {});
      await tasks.stop('one');
      await runAll(ctx, [async () => {}]);
    }
  });
  expect(attachedTo(root.signal)).toBe(0);
});

test('a deadline that has come leaves nothing attached to the signal around it', async () => {
  const inner = Array.from({ length: 100 }, () => within(ctx, 1).signal);
  await Promise.all(
    inner.map((signal) => new Promise((resolve) => signal.addEventListener('abort', resolve))),
  );
  expect(attachedTo(root.signal)).toBe(0);
});
