import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairleadError, type LogFields, type Logger, silent, virtualClock } from '#base/std';
import { type Reconcile, type Requeue, runWorkers } from './controller.ts';
import { WorkQueue } from './work-queue.ts';

const backoff = { initialMs: 100, factor: 2, maxMs: 10_000 };

async function settle(): Promise<void> {
  for (let i = 0; i < 4; i++) await turn();
}

function listen(lines: LogFields[], fields: LogFields = {}): Logger {
  const warn = (message: string, more?: LogFields) => void lines.push({ message, ...fields, ...more });
  return { ...silent, info: warn, warn, error: warn, with: (more) => listen(lines, { ...fields, ...more }) };
}

/** Runs workers on a virtual clock. Every pass is noted as `key@time`. */
function start(reconcile: Reconcile, workers = 2) {
  const clock = virtualClock({ settle });
  const begin = clock.now().getTime();
  const stop = new AbortController();
  const lines: LogFields[] = [];
  const passes: string[] = [];
  const queue = new WorkQueue({ clock, backoff, random: () => 0 });
  const ctx = { clock, signal: stop.signal, log: listen(lines) };
  const noted: Reconcile = (inner, key) => {
    passes.push(`${key}@${clock.now().getTime() - begin}`);
    return reconcile(inner, key);
  };
  const ended = runWorkers(ctx, queue, noted, { workers });
  return { clock, stop, lines, passes, queue, ended };
}

test('a terminal error waits for a change', async () => {
  const { queue, clock, passes, lines } = start(async () => {
    throw new FairleadError('InvalidSpec', 'spec.source is missing');
  });
  queue.add('bad');
  await clock.advance(3_600_000);
  expect(passes).toEqual(['bad@0']);
  queue.add('bad');
  await clock.advance(0);
  expect(passes).toEqual(['bad@0', 'bad@3600000']);
  const error = expect.objectContaining({ code: 'InvalidSpec' });
  expect(lines[0]).toEqual({ message: 'reconcile failed', key: 'bad', retry: false, error });
});

test('any other error is retried with growing waits, which start over after a success', async () => {
  const outcomes = ['down', 'down', 'down', 'up', 'down', 'up'];
  const { queue, clock, passes, lines } = start(async () => {
    if (outcomes.shift() === 'down') throw new Error('socket hang up');
  });
  queue.add('flaky');
  await clock.advance(10_000);
  expect(passes).toEqual(['flaky@0', 'flaky@100', 'flaky@300', 'flaky@700']);
  queue.add('flaky');
  await clock.advance(10_000);
  expect(passes.slice(4)).toEqual(['flaky@10000', 'flaky@10100']);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatchObject({ message: 'reconcile failed', key: 'flaky', retry: true });
});

test('a terminal error ends a row of retries', async () => {
  const outcomes = [new Error('x'), new Error('x'), new FairleadError('NotFound', 'gone'), new Error('x')];
  const { queue, clock, passes } = start(async () => {
    const outcome = outcomes.shift();
    if (outcome) throw outcome;
  });
  queue.add('a');
  await clock.advance(5000);
  expect(passes).toEqual(['a@0', 'a@100', 'a@300']);
  queue.add('a');
  await clock.advance(5000);
  expect(passes.slice(3)).toEqual(['a@5000', 'a@5100']);
});

test('a pass may ask to be run again, and is not run before', async () => {
  const { queue, clock, passes } = start(async () => ({ requeueAfter: 30_000 }));
  queue.add('app');
  await clock.advance(29_999);
  expect(passes).toEqual(['app@0']);
  await clock.advance(40_000);
  expect(passes).toEqual(['app@0', 'app@30000', 'app@60000']);
});

test('stopping is quiet, waits for running passes, and keeps the key of a pass cut short', async () => {
  let unwound = false;
  const { queue, clock, stop, lines, passes, ended } = start(async (ctx) => {
    try {
      await ctx.clock.sleep(60_000, ctx.signal);
    } finally {
      await turn();
      unwound = true;
    }
  }, 1);
  queue.add('running');
  queue.add('ready');
  await clock.advance(10);
  stop.abort();
  await ended;
  expect({ unwound, lines, passes }).toEqual({ unwound: true, lines: [], passes: ['running@0'] });
  expect(queue.length).toBe(2);
});

test('a queue that is shut down is worked off, then the workers go home', async () => {
  const { queue, passes, ended, clock } = start(async (ctx) => ctx.clock.sleep(10, ctx.signal));
  for (const key of ['a', 'b', 'c']) queue.add(key);
  queue.shutDown();
  await clock.autoAdvance(ended);
  expect(passes).toEqual(['a@0', 'b@0', 'c@10']);
});

test('one noisy key takes one turn in line like the others', async () => {
  const { queue, clock, passes } = start(async (ctx, key) => {
    queue.add(key === 'noisy' ? key : 'noisy');
    await ctx.clock.sleep(10, ctx.signal);
  }, 1);
  for (const key of ['noisy', 'a', 'b']) queue.add(key);
  await clock.advance(49);
  expect(passes).toEqual(['noisy@0', 'a@10', 'b@20', 'noisy@30', 'noisy@40']);
});

test('a long queue of passes that never wait lets other work in', async () => {
  const { queue, passes, clock } = start(async () => {});
  for (let i = 0; i < 5000; i++) queue.add(`key-${i}`);
  await turn();
  await turn();
  expect(passes.length).toBeLessThan(100);
  while (passes.length < 5000) await clock.advance(0);
});

const task = fc.record({
  at: fc.nat(400),
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  lane: fc.constantFrom('prompt' as const, 'bulk' as const),
});
const pass = fc.record({
  ms: fc.integer({ min: 1, max: 80 }),
  outcome: fc.constantFrom('fine', 'fine', 'fine', 'retry', 'terminal', 'again'),
});

function conclude(outcome: string): Requeue | undefined {
  if (outcome === 'retry') throw new FairleadError('Unavailable', 'no answer');
  if (outcome === 'terminal') throw new FairleadError('NotFound', 'no such path');
  return outcome === 'again' ? { requeueAfter: 50 } : undefined;
}

test('never two workers on one key, every add is followed by a pass, and all ends at rest', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { minLength: 1, maxLength: 30 }),
      fc.array(pass, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      async (tasks, script, workers) => {
        const busy = new Set<string>();
        const broken: string[] = [];
        const most = tasks.length + script.filter(({ outcome }) => /retry|again/.test(outcome)).length;
        const lastStart = new Map<string, number>();
        const { queue, clock, stop, ended, passes } = start(async (ctx, key) => {
          if (busy.has(key)) broken.push(`two workers on ${key}`);
          busy.add(key);
          if (busy.size > workers) broken.push('too many workers');
          lastStart.set(key, clock.now().getTime());
          const { ms, outcome } = script.shift() ?? { ms: 1, outcome: 'fine' };
          await ctx.clock.sleep(ms, ctx.signal);
          busy.delete(key);
          return conclude(outcome);
        }, workers);
        const begin = clock.now().getTime();
        const lastAdd = new Map<string, number>();
        for (const { at, key, lane } of tasks.sort((a, b) => a.at - b.at)) {
          await clock.advance(begin + at - clock.now().getTime());
          lastAdd.set(key, clock.now().getTime());
          queue.add(key, lane);
        }
        await clock.advance(60_000);
        for (const [key, at] of lastAdd) expect(lastStart.get(key)).toBeGreaterThanOrEqual(at);
        expect(passes.length).toBeLessThanOrEqual(most);
        expect({ broken, busy: busy.size, ready: queue.length }).toEqual({ broken: [], busy: 0, ready: 0 });
        stop.abort();
        await ended;
      },
    ),
    { numRuns: 40 },
  );
});

test('a failure is logged when it begins, changes or has gone on for an hour, and when it is over', async () => {
  let why: string | undefined = 'no such branch';
  const { queue, clock, lines } = start(async () => {
    if (why !== undefined) throw new Error(why);
  });
  const logged = () =>
    lines.splice(0).map(({ message, error }) => [message, (error as Error | undefined)?.message]);
  queue.add('web');
  await clock.advance(600_000);
  expect(logged()).toEqual([['reconcile failed', 'no such branch']]);
  why = 'no such folder';
  await clock.advance(60_000);
  expect(logged()).toEqual([['reconcile failed', 'no such folder']]);
  await clock.advance(3 * 3_600_000);
  expect(logged()).toHaveLength(3);
  why = undefined;
  await clock.advance(60_000);
  expect(logged()).toEqual([['reconcile succeeded again', undefined]]);
});

test('the failure of one key does not silence that of another', async () => {
  const { queue, clock, lines } = start(async () => {
    throw new Error('no such branch');
  });
  queue.add('web');
  queue.add('api');
  await clock.advance(60_000);
  expect(lines.map(({ key }) => key)).toEqual(['web', 'api']);
});
