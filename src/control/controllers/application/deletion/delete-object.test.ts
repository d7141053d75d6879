import { beforeEach, expect, test } from 'vitest';
import { finalizer, type KubeObject } from '#base/model';
import { realClock, silent } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient, type KubeClient, refOf } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { removeHookFinalizer } from './delete-object.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const cache = { put() {}, drop() {}, owes: () => false, ownedBy: () => [] };
let kube: KubeClient;

beforeEach(async () => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
});

const hook = (...others: string[]) =>
  kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'hook', namespace: 'default', finalizers: [finalizer.hook, ...others] },
  } as KubeObject);

const setFinalizers = (seen: KubeObject, ...finalizers: string[]) =>
  kube.patch(ctx, refOf(seen), { type: 'merge', body: { metadata: { finalizers } } });

const finalizersNow = async (seen: KubeObject) => (await kube.find(ctx, refOf(seen)))?.metadata.finalizers;

// a hook is read from a cache, which is a moment behind
test.each([
  { what: 'another actor removed its own since', was: ['example.com/a'], set: [], left: undefined },
  { what: 'another actor added one since', was: [], set: ['example.com/b'], left: ['example.com/b'] },
  { what: 'one stays, one went', was: ['example.com/a'], set: ['example.com/b'], left: ['example.com/b'] },
])(
  'dev engine S-10: our finalizer goes, and no other comes or goes with it: $what',
  async ({ was, set, left }) => {
    const seen = await hook(...was);
    await setFinalizers(seen, finalizer.hook, ...set);
    await removeHookFinalizer(ctx, { kube, cache }, seen);
    expect(await finalizersNow(seen)).toEqual(left);
  },
);

test('dev engine S-10: a deleted hook whose other finalizer went meanwhile is let go', async () => {
  await hook('example.com/a');
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'hook' };
  await kube.delete(ctx, ref);
  const seen = await kube.get(ctx, ref);
  await setFinalizers(seen, finalizer.hook);
  await removeHookFinalizer(ctx, { kube, cache }, seen);
  expect(await kube.find(ctx, ref)).toBeUndefined();
});

test('a hook that was replaced under the same name keeps its finalizer', async () => {
  const seen = await hook();
  await setFinalizers(seen);
  await kube.delete(ctx, refOf(seen));
  const next = await hook();
  await removeHookFinalizer(ctx, { kube, cache }, seen);
  expect(await finalizersNow(next)).toEqual([finalizer.hook]);
});

test('a hook that the next run has taken over keeps its finalizer', async () => {
  const seen = await hook();
  const annotations = { 'fairlead.io/hook-run': 'presync-2-0' };
  await kube.patch(ctx, refOf(seen), { type: 'merge', body: { metadata: { annotations } } });
  await removeHookFinalizer(ctx, { kube, cache }, seen);
  expect(await finalizersNow(seen)).toEqual([finalizer.hook]);
});
