import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import {
  type Clock,
  type Ctx,
  FairleadError,
  type LogFields,
  type Logger,
  silent,
  virtualClock,
} from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient, type Transport } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { runAsLeader } from './leadership.ts';

async function settle(): Promise<void> {
  for (let i = 0; i < 12; i++) await turn();
}

const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'default', name: 'leader' };
type LeaseView = KubeObject & { spec: { holderIdentity: string; leaseTransitions: number } };

/** A cluster, a clock, and replicas that can be cut off, killed and asked to go. */
async function stage() {
  const clock = virtualClock({ settle });
  const begin = clock.now().getTime();
  const seconds = () => (clock.now().getTime() - begin) / 1000;
  const cluster = await createCluster({ store: memoryStore(), clock });
  const story: string[] = [];
  const leading = new Set<string>();
  let most = 0;

  function replica(identity: string, { wall = clock as Clock, lines = [] as LogFields[] } = {}) {
    const stop = new AbortController();
    let isCutOff = false;
    const transport: Transport = async (request) => {
      if (isCutOff) throw new FairleadError('Unavailable', 'no route');
      return cluster.handle(request);
    };
    const kube = createKubeClient({ transport });
    const ctx: Ctx = { clock: wall, signal: stop.signal, log: listen(lines) };
    const lead = async (inner: Ctx) => {
      leading.add(identity);
      most = Math.max(most, leading.size);
      story.push(`${identity} leads at ${Math.round(seconds())}`);
      await ended(inner);
      leading.delete(identity);
      story.push(`${identity} ends at ${Math.round(seconds())}`);
    };
    const { namespace, name } = ref;
    const done = runAsLeader(ctx, { kube, namespace, name, identity, random: () => 0 }, { lead });
    return {
      lines,
      done,
      cut: (value: boolean) => {
        isCutOff = value;
      },
      go: async () => {
        stop.abort();
        await settle();
        await done;
      },
    };
  }
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const ctx: Ctx = { clock, signal: new AbortController().signal, log: silent };
  const lease = async () => (await kube.get(ctx, ref)) as LeaseView;
  return { clock, kube, ctx, replica, story, lease, leading, most: () => most };
}

function listen(lines: LogFields[]): Logger {
  const note = (message: string, more?: LogFields) => void lines.push({ message, ...more });
  return { ...silent, info: note, warn: note, error: note, with: () => listen(lines) };
}

const ended = ({ signal }: Ctx): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

test('the first one leads, the second stands by and says for whom', async () => {
  const { clock, replica, story, lease } = await stage();
  const a = replica('a');
  await clock.advance(1000);
  const b = replica('b');
  await clock.advance(60_000);
  expect(story).toEqual(['a leads at 0']);
  expect(b.lines).toEqual([{ message: 'standing by', leader: 'a' }]);
  expect((await lease()).spec).toMatchObject({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    leaseTransitions: 0,
    acquireTime: '2024-01-01T00:00:00.000000Z',
    renewTime: expect.stringMatching(/^2024-01-01T00:01:0[01]\.000000Z$/),
  });
  await a.go();
  await b.go();
});

test('who goes leaves the seat, and the next one has it within a retry', async () => {
  const { clock, replica, story, lease } = await stage();
  const a = replica('a');
  await clock.advance(1000);
  const b = replica('b');
  await clock.advance(20_000);
  await a.go();
  expect((await lease()).spec.holderIdentity).toBe('');
  await clock.advance(2_000);
  expect(story).toEqual(['a leads at 0', 'a ends at 21', 'b leads at 23']);
  expect((await lease()).spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  await b.go();
});

test('who cannot renew stops before anybody else begins', async () => {
  const { clock, replica, story, most } = await stage();
  const a = replica('a');
  await clock.advance(1000);
  const b = replica('b');
  await clock.advance(9_000);
  a.cut(true);
  await clock.advance(60_000);
  expect(story.slice(0, 3)).toEqual([
    'a leads at 0',
    'a ends at 20',
    expect.stringMatching(/^b leads at 2[3-7]$/),
  ]);
  a.cut(false);
  await clock.advance(60_000);
  expect(most()).toBe(1);
  expect(story).toHaveLength(3);
  await a.go();
  await b.go();
});

test('who comes back under its own name goes on at once, and a foreign hand on the Lease ends nothing', async () => {
  const { clock, ctx, replica, story, lease, kube } = await stage();
  const a = replica('a');
  await clock.advance(1000);
  a.cut(true);
  await a.go(); // it could not say that it goes
  expect((await lease()).spec.holderIdentity).toBe('a');
  const again = replica('a');
  await clock.advance(5_000);
  expect(story.at(-1)).toBe('a leads at 1');
  await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { annotations: { seen: 'yes' } } } });
  await clock.advance(30_000);
  await kube.delete(ctx, ref);
  await clock.advance(30_000);
  expect(story.at(-1)).toBe('a leads at 1');
  await again.go();
});

test('a wall clock that is wrong, or jumps, makes no second leader', async () => {
  const { clock, replica, story, most } = await stage();
  let skew = 0;
  const wrong: Clock = {
    now: () => new Date(clock.now().getTime() + skew),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  const a = replica('a');
  await clock.advance(1000);
  const b = replica('b', { wall: wrong });
  for (const jump of [3600_000, -7200_000, 86400_000]) {
    skew = jump;
    await clock.advance(20_000);
  }
  expect(story).toEqual(['a leads at 0']);
  expect(most()).toBe(1);
  await a.go();
  await b.go();
});

test('one that may not use Leases is told which', async () => {
  const { replica, ctx } = await stage();
  const forbidden: Transport = async () => ({
    status: 403,
    headers: {},
    body: '{"kind":"Status","code":403,"reason":"Forbidden","message":"no leases for you"}',
  });
  const kube = createKubeClient({ transport: forbidden });
  const { namespace, name } = ref;
  await expect(runAsLeader(ctx, { kube, namespace, name, identity: 'a' }, { lead: ended })).rejects.toThrow(
    'the Lease default/leader, which decides who leads, cannot be used: no leases for you',
  );
  expect(replica).toBeDefined();
});

test('what goes wrong in leading goes to the caller, and the seat is free', async () => {
  const { clock, kube, ctx, lease } = await stage();
  const { namespace, name } = ref;
  const done = runAsLeader(
    ctx,
    { kube, namespace, name, identity: 'a' },
    {
      lead: async () => {
        throw new FairleadError('Internal', 'broken');
      },
    },
  );
  await expect(clock.autoAdvance(done)).rejects.toThrow('broken');
  expect((await lease()).spec.holderIdentity).toBe('');
});

test('however three replicas are cut off and come back, there are never two leaders, and in the end there is one', async () => {
  const names = ['a', 'b', 'c'] as const;
  const event = fc.record({
    who: fc.constantFrom(...names),
    cut: fc.boolean(),
    forMs: fc.integer({ min: 100, max: 25_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (events) => {
      const { clock, replica, most, leading } = await stage();
      const replicas = new Map(names.map((name) => [name, replica(name)]));
      for (const { who, cut, forMs } of events) {
        replicas.get(who)?.cut(cut);
        await clock.advance(forMs);
      }
      for (const each of replicas.values()) each.cut(false);
      await clock.advance(20_000);
      expect(most()).toBe(1);
      expect(leading.size).toBe(1);
      for (const each of replicas.values()) await each.go();
    }),
    { numRuns: 6 },
  );
});
