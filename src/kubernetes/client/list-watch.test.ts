import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, silent, type VirtualClock, virtualClock } from '#base/std';
import type { KubeClient } from './client.ts';
import { KubeError } from './errors.ts';
import { type ListWatchEvent, type ListWatchOptions, listWatch } from './list-watch.ts';
import type { WatchEvent } from './watch.ts';

const pods = { apiVersion: 'v1', kind: 'Pod' };
const pod = (name: string, resourceVersion: string): KubeObject => ({
  ...pods,
  metadata: { name, resourceVersion },
});
const event = (type: WatchEvent['type'], name: string, version: string): WatchEvent => ({
  type,
  object: pod(name, version),
});

type Step =
  | { list: KubeObject[]; at: string }
  | { list: Error }
  | { watch: (WatchEvent | Error)[]; from?: string }
  | { refuse: Error };

const gone = new KubeError({ code: 410, reason: 'Expired' });
const down = new FairleadError('Unavailable', 'cannot reach the cluster');

/** Plays a cluster that behaves as scripted, checks what it is asked, and stops the mirror when the script is over. */
async function play(script: Step[], options: ListWatchOptions = {}) {
  const clock = virtualClock();
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock };
  const asked: string[] = [];
  function next<Name extends 'list' | 'watch'>(name: Name): Step {
    const step = script.shift();
    if (!step) {
      stop.abort(new Error('the script is over'));
      throw stop.signal.reason;
    }
    expect('list' in step ? 'list' : 'watch').toBe(name);
    return step;
  }
  const client: Pick<KubeClient, 'list' | 'watch'> = {
    async list(_ctx, _from, { slim = (object: KubeObject) => object } = {}) {
      const step = next('list');
      asked.push('list');
      if (!('list' in step) || step.list instanceof Error) throw (step as { list: Error }).list;
      return { items: step.list.map(slim), resourceVersion: (step as { at: string }).at };
    },
    async watch(_ctx, _from, watchOptions = {}) {
      const step = next('watch');
      asked.push(`watch ${watchOptions.resourceVersion}`);
      if ('refuse' in step) throw step.refuse;
      return (async function* () {
        for (const each of (step as { watch: (WatchEvent | Error)[] }).watch) {
          if (each instanceof Error) throw each;
          yield each;
        }
      })();
    },
  };
  const told: string[] = [];
  const waits: number[] = [];
  await clock.autoAdvance(
    (async () => {
      for await (const one of listWatch(ctx, client, pods, options)) {
        told.push(describe(one));
        if (one.type === 'FAILED') waits.push(one.retryMs);
      }
    })(),
  );
  return { asked, told, waits, elapsed: clock.now().getTime() - new Date('2024-01-01T00:00:00Z').getTime() };
}

function describe(one: ListWatchEvent): string {
  if (one.type === 'SYNCED') return `SYNCED ${one.objects.map(({ metadata }) => metadata.name).join(',')}`;
  if (one.type === 'FAILED') return `FAILED ${one.error.message}`;
  return one.type === 'RESUMED' ? one.type : `${one.type} ${one.object.metadata.name}`;
}

test('lists, then follows; a stream that ends goes on where it ended', async () => {
  const { asked, told } = await play([
    { list: [pod('a', '3')], at: '5' },
    { watch: [event('ADDED', 'b', '6'), event('MODIFIED', 'a', '7')] },
    { watch: [event('DELETED', 'a', '8')] },
    { watch: [] },
  ]);
  expect(told).toEqual(['SYNCED a', 'ADDED b', 'MODIFIED a', 'DELETED a']);
  expect(asked).toEqual(['list', 'watch 5', 'watch 7', 'watch 8']);
});

test('a bookmark moves the place to go on from and is not told', async () => {
  const { asked, told } = await play([
    { list: [], at: '5' },
    { watch: [event('BOOKMARK', '', '900')] },
    { watch: [] },
  ]);
  expect(told).toEqual(['SYNCED ']);
  expect(asked).toEqual(['list', 'watch 5', 'watch 900']);
});

test('invariant 4: a lost history, told in the stream or as a refusal, is answered by the whole truth', async () => {
  const { told, asked, elapsed } = await play([
    { list: [pod('a', '1'), pod('b', '1')], at: '5' },
    { watch: [event('MODIFIED', 'a', '6'), gone] },
    { list: [pod('b', '9')], at: '9' },
    { refuse: gone },
    { list: [pod('b', '9'), pod('c', '11')], at: '12' },
    { watch: [event('DELETED', 'c', '13')] },
  ]);
  expect(told).toEqual([
    'SYNCED a,b',
    'MODIFIED a',
    'SYNCED b',
    'FAILED Expired',
    'SYNCED b,c',
    'RESUMED',
    'DELETED c',
  ]);
  expect(asked).toEqual(['list', 'watch 5', 'list', 'watch 9', 'list', 'watch 12']);
  expect(elapsed).toBeLessThan(5_000);
});

test('one broken connection is not worth telling; the next failure is, and so is the recovery', async () => {
  const { told, asked, waits } = await play([
    { list: [], at: '5' },
    { watch: [event('ADDED', 'a', '6'), down] },
    { refuse: down },
    { refuse: down },
    { watch: [event('ADDED', 'b', '7')] },
  ]);
  expect(told).toEqual([
    'SYNCED ',
    'ADDED a',
    'FAILED cannot reach the cluster',
    'FAILED cannot reach the cluster',
    'RESUMED',
    'ADDED b',
  ]);
  expect(asked).toEqual(['list', 'watch 5', 'watch 6', 'watch 6', 'watch 6']);
  expect(waits[0]).toBeLessThan(waits[1] ?? 0);
});

test('a first list that fails is told at once, and tried again with growing patience', async () => {
  const forbidden = new KubeError({ code: 403, message: 'pods is forbidden' });
  const { told, waits } = await play([
    ...Array.from({ length: 12 }, () => ({ list: forbidden })),
    { list: [], at: '1' },
  ]);
  expect(told).toEqual([...Array(12).fill('FAILED pods is forbidden'), 'SYNCED ']);
  expect(waits[0]).toBeLessThanOrEqual(800);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(15_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
});

test('a refusal of what we asked for is answered by a list, since the version may be the reason', async () => {
  const { asked, told } = await play([
    { list: [], at: '5' },
    { refuse: new KubeError({ code: 400, message: 'invalid resource version' }) },
    { list: [], at: '2' },
    { watch: [] },
  ]);
  expect(asked).toEqual(['list', 'watch 5', 'list', 'watch 2']);
  expect(told).toEqual(['SYNCED ', 'FAILED invalid resource version', 'SYNCED ', 'RESUMED']);
});

test('lists afresh when asked to after a while', async () => {
  const { asked } = await play(
    [{ list: [], at: '5' }, { watch: [] }, { watch: [] }, { list: [], at: '6' }, { watch: [] }],
    { resyncMs: 2_000 },
  );
  expect(asked).toEqual(['list', 'watch 5', 'watch 5', 'list', 'watch 6']);
});

test('a server that closes every watch at once is not asked in a tight loop', async () => {
  const { elapsed } = await play([
    { list: [], at: '5' },
    ...Array.from({ length: 20 }, () => ({ watch: [] })),
  ]);
  expect(elapsed).toBeGreaterThanOrEqual(20_000);
});

test('objects are slimmed before they are held', async () => {
  const seen: string[] = [];
  const slim = (object: KubeObject): KubeObject => {
    seen.push(object.metadata.name);
    return { ...object, spec: undefined };
  };
  await play([{ list: [pod('a', '1')], at: '5' }, { watch: [event('ADDED', 'b', '6')] }], { slim });
  expect(seen).toEqual(['a', 'b']);
});

test('invariant 4: ends quietly with its ctx, in whatever it is doing', async () => {
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: virtualClock() };
  const hang = () =>
    new Promise<never>((_resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
    });
  const told: string[] = [];
  const mirror = (async () => {
    for await (const one of listWatch(ctx, { list: hang, watch: hang }, pods)) told.push(one.type);
  })();
  stop.abort(new Error('shutting down'));
  await mirror;
  expect(told).toEqual([]);
});

test('a reader that leaves ends the watch, even one it has not begun to read', async () => {
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: virtualClock() };
  let watches = 0;
  const signals: AbortSignal[] = [];
  const client: Pick<KubeClient, 'list' | 'watch'> = {
    list: async () => ({ items: [], resourceVersion: '5' }),
    async watch({ signal }) {
      watches += 1;
      if (watches <= 2) throw down;
      signals.push(signal);
      return (async function* () {})();
    },
  };
  const clock = ctx.clock as VirtualClock;
  await clock.autoAdvance(
    (async () => {
      for await (const one of listWatch(ctx, client, pods)) if (one.type === 'RESUMED') break;
    })(),
  );
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
