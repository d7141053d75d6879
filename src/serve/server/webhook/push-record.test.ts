import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { realClock, silent, type VirtualClock, virtualClock } from '#base/std';
import { createCluster } from '#embedded';
import type { Push } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { PushRecord } from './push-record.ts';

// a push that was answered survives its process: accept() returns after the write, and the next start delivers it

const push: Push = {
  webUrl: 'https://git.example.com/org/repo',
  revision: 'main',
  touchedHead: true,
  changedFiles: ['a.yaml'],
};
const replayed = { ...push, changedFiles: [] };
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { destination: {}, source: { repoURL: `${push.webUrl}.git`, path: '.', targetRevision: 'main' } },
};
const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'fairlead-pushes' };

async function scene() {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const clock = virtualClock();
  const ctx = { signal: new AbortController().signal, log: silent, clock };
  await kube.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  const requests: string[] = [];
  const counted: Pick<KubeClient, 'find' | 'create' | 'patch'> = {
    find: (inner, one) => kube.find(inner, one),
    create: async (inner, object) => {
      requests.push('create');
      return kube.create(inner, object);
    },
    patch: async (inner, one, change) => {
      requests.push('patch');
      return kube.patch(inner, one, change);
    },
  };
  const entries = async (): Promise<string[]> =>
    Object.values(((await kube.find(ctx, ref)) as { data?: Record<string, string> } | undefined)?.data ?? {});
  return { kube: counted, ctx, clock, requests, entries };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** One process: what it delivered, and its end. */
function started({ kube, ctx }: Scene, apps: readonly Application[] = [app]) {
  const delivered: Push[] = [];
  const end = new AbortController();
  const record = new PushRecord({
    kube,
    namespace: 'argocd',
    apps: { list: () => apps, whenSynced: async () => {} },
    sets: { list: () => [], whenSynced: async () => {} },
    satisfies: () => false,
    deliver: (one) => delivered.push(one) > 0,
    jitterMs: () => 0,
  });
  const inner = { ...ctx, signal: end.signal };
  const run = (): Promise<void> => record.run(inner);
  return { record, delivered, run, end: () => end.abort() };
}

const minutes = async (clock: VirtualClock, count: number): Promise<void> => {
  for (let minute = 0; minute < count; minute++) await clock.advance(60_000);
};

test('a push is in the cluster before it is delivered, and the next process delivers it again', async () => {
  const context = await scene();
  const first = started(context);
  expect(await first.record.accept(context.ctx, push)).toBe(true);
  expect(first.delivered).toEqual([push]);
  expect((await context.entries()).map((entry) => JSON.parse(entry))).toEqual([
    expect.objectContaining({ repository: push.webUrl, revision: 'main', touchedHead: true }),
  ]);
  const second = started(context);
  const running = second.run();
  await expect.poll(() => second.delivered).toEqual([replayed]);
  second.end();
  await running;
});

test('an entry is removed five minutes after its delivery, and not before', async () => {
  const context = await scene();
  const { record, run, end, delivered } = started(context);
  const running = run();
  await record.accept(context.ctx, push);
  await minutes(context.clock, 4);
  expect(await context.entries()).toHaveLength(1);
  await minutes(context.clock, 3);
  await expect.poll(context.entries).toEqual([]);
  expect(delivered).toEqual([push]);
  end();
  await running;
});

test('a running process delivers what another one recorded and did not remove', async () => {
  const context = await scene();
  const living = started(context);
  const running = living.run();
  await minutes(context.clock, 1);
  const dead = started(context);
  await dead.record.accept(context.ctx, push);
  await minutes(context.clock, 3);
  expect(living.delivered).toEqual([]);
  await minutes(context.clock, 4);
  await expect.poll(() => living.delivered).toEqual([replayed]);
  await minutes(context.clock, 8);
  await expect.poll(context.entries).toEqual([]);
  living.end();
  await running;
});

test('a thousand deliveries of one branch cost two writes', async () => {
  const context = await scene();
  const { record, delivered } = started(context);
  await record.accept(context.ctx, push);
  context.requests.length = 0;
  await Promise.all(Array.from({ length: 1_000 }, () => record.accept(context.ctx, push)));
  expect(context.requests).toEqual([]);
  const branch = { ...push, revision: 'other' };
  const other = started(context, [
    { ...app, spec: { ...app.spec, source: { repoURL: push.webUrl, path: '.', targetRevision: 'other' } } },
  ]);
  await Promise.all(Array.from({ length: 1_000 }, () => other.record.accept(context.ctx, branch)));
  expect(context.requests.length).toBeLessThanOrEqual(2);
  expect([delivered.length, other.delivered.length]).toEqual([1_001, 1_000]);
});

test('a push that concerns no application leaves no trace in the cluster', async () => {
  const context = await scene();
  const { record, delivered } = started(context, []);
  expect(await record.accept(context.ctx, push)).toBe(true);
  expect(await context.entries()).toEqual([]);
  expect(delivered).toEqual([push]);
});

test('a push that the cluster does not take is neither acknowledged nor delivered, and the next one is', async () => {
  const context = await scene();
  let isFull = true;
  const patch: KubeClient['patch'] = async (...given) => {
    if (isFull) throw new Error('the disk is full');
    return context.kube.patch(...given);
  };
  const { record, delivered } = started({ ...context, kube: { ...context.kube, patch } });
  await expect(record.accept(context.ctx, push)).rejects.toThrow('the disk is full');
  expect(delivered).toEqual([]);
  isFull = false;
  expect(await record.accept(context.ctx, push)).toBe(true);
});

test('the credentials of a repository address are not recorded', async () => {
  const context = await scene();
  const { record } = started(context);
  await record.accept(context.ctx, { ...push, webUrl: 'https://user:hunter2@git.example.com/org/repo' });
  expect(await context.entries()).toHaveLength(1);
  expect((await context.entries()).join()).not.toContain('hunter2');
});
