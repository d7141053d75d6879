import { setImmediate as letOthersIn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type KubeObject, keyFrom } from '#base/model';
import { type Ctx, type Logger, realClock, silent, virtualClock } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { ClusterCache, type ClusterChange } from './cluster-cache.ts';
import { managedBy } from './managed.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let cache: ClusterCache;
let running: Promise<void>;
let stop: AbortController;
let ctx: Ctx;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  cache = new ClusterCache({
    kube,
    tracking: defaultTracking,
    isExcluded: (_group, kind) => kind === 'Lease',
  });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
});

afterEach(async () => {
  stop.abort();
  await running;
  await cluster.close();
});

const configMap = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...more },
});
const tracked = (app: string, name: string) => ({
  annotations: { 'argocd.argoproj.io/tracking-id': `${app}:/ConfigMap:default/${name}` },
});
const keyOfMap = (name: string) => keyFrom({ group: '', kind: 'ConfigMap', namespace: 'default', name });

async function until(
  changes: AsyncIterable<ClusterChange>,
  isIt: (change: ClusterChange) => boolean,
): Promise<void> {
  for await (const change of changes) if (isIt(change)) return;
}

test('it holds what is there, follows changes, and finds objects by mark and by owner', async () => {
  const owner = await kube.create(ctx, configMap('owner', tracked('shop', 'owner')));
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  expect(cache.get(keyOfMap('owner'))?.metadata.uid).toBe(owner.metadata.uid);

  const changes = cache.changes(ctx);
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' },
  ];
  await kube.create(ctx, configMap('child', { ...tracked('shop', 'child'), ownerReferences }));
  await kube.create(ctx, configMap('stranger'));
  await until(changes, ({ key }) => key === keyOfMap('stranger'));

  expect(cache.ownedBy(owner.metadata.uid ?? '').map((o) => o.metadata.name)).toEqual(['child']);
  // compat T-12, T-13: owned objects are not managed, whatever mark they carry; a target's place is
  const managed = managedBy(cache, 'shop', [keyOfMap('stranger'), keyOfMap('nobody')]);
  expect(managed.map((o) => o.metadata.name).sort()).toEqual(['owner', 'stranger']);
});

test('compat R-2: a write of ours is seen at once, and the watch does not undo it', async () => {
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  const written = await kube.create(ctx, configMap('mine'));
  cache.put(written);
  expect(cache.get(keyOfMap('mine'))).toEqual(written);
});

test('compat T-17: a kind that comes later is watched, and forgotten when its definition goes', async () => {
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  expect(cache.resource('example.com', 'Widget')).toBeUndefined();
  const changes = cache.changes(ctx);
  await kube.create(ctx, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  await kube.create(ctx, {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'one', namespace: 'default' },
  });
  await until(changes, ({ after }) => after?.kind === 'Widget');
  expect(cache.resource('example.com', 'Widget')?.namespaced).toBe(true);
  expect(cache.capabilities.apiVersions).toContain('example.com/v1/Widget');

  const more = cache.changes(ctx);
  await kube.delete(ctx, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: 'widgets.example.com',
  });
  await until(more, ({ before, after }) => before?.kind === 'Widget' && !after);
  expect(cache.ofKind('example.com', 'Widget')).toEqual([]);
});

test('a cluster that cannot be asked is said to be so, and found again', async () => {
  let isDown = true;
  const flaky = createKubeClient({
    transport: (request) =>
      isDown ? Promise.reject(new Error('connection refused')) : cluster.handle(request),
  });
  cache = new ClusterCache({ kube: flaky, tracking: defaultTracking, isExcluded: () => false });
  running = cache.run(ctx);
  await expect(cache.whenSynced(ctx)).rejects.toThrow('connection refused');
  isDown = false;
  await until(cache.changes(ctx), () => true);
  await cache.whenSynced(ctx);
});

test('a cluster that was never reachable is logged once an hour, however often it is tried', async () => {
  const clock = virtualClock({ settle: async () => void (await letOthersIn()) });
  const lines: string[] = [];
  const log: Logger = { ...silent, warn: (message) => void lines.push(message), with: () => log };
  const transport = () => Promise.reject(new Error('connection refused'));
  const down = createKubeClient({ transport });
  cache = new ClusterCache({ kube: down, tracking: defaultTracking, isExcluded: () => false });
  running = cache.run({ ...ctx, clock, log });
  await clock.advance(10 * 60_000);
  expect(lines).toHaveLength(1);
  await clock.advance(110 * 60_000);
  expect(lines).toHaveLength(2);
});

test('a cluster that was read and goes away is out of sight, what was known of it stays, and it comes back', async () => {
  const clock = virtualClock({ settle: async () => void (await letOthersIn()) });
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message);
  const log: Logger = { ...silent, info: note, warn: note, with: () => log };
  let isDown = false;
  const broken = new AbortController();
  const flaky = createKubeClient({
    transport: (request) => {
      if (isDown) return Promise.reject(new Error('connection refused'));
      const signal = AbortSignal.any([request.signal, broken.signal]);
      return cluster.handle({ ...request, signal });
    },
  });
  await kube.create(ctx, configMap('a'));
  cache = new ClusterCache({ kube: flaky, tracking: defaultTracking, isExcluded: () => false });
  running = cache.run({ ...ctx, clock, log });
  await cache.whenSynced(ctx);
  expect(cache.isConnected).toBe(true);

  isDown = true;
  broken.abort(new Error('connection reset'));
  await clock.advance(15_000);
  expect(cache.isConnected).toBe(false);
  expect(cache.get(keyOfMap('a'))).toBeDefined();
  // one line for all of its kinds
  expect(lines.filter((line) => /^cluster is|^watch failed/.test(line))).toHaveLength(1);
  isDown = false;
  await clock.advance(90_000);
  expect(cache.isConnected).toBe(true);
  expect(lines.filter((line) => line.startsWith('cluster is'))).toHaveLength(2);
});

test('compat T-15: kinds that are excluded are not watched', async () => {
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  expect(cache.resource('coordination.k8s.io', 'Lease')).toBeUndefined();
  expect(cache.resource('apps', 'Deployment')?.apiVersion).toBe('apps/v1');
});

test('T-18, T-12: what nobody manages is held slim, and seen whole by whoever compares it', async () => {
  const data = { data: { text: 'long' } };
  await kube.create(ctx, { ...configMap('mine', tracked('shop', 'mine')), ...data });
  await kube.create(ctx, { ...configMap('theirs'), ...data });
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  expect(cache.get(keyOfMap('mine'))).toMatchObject(data);
  expect(cache.get(keyOfMap('theirs'))).not.toHaveProperty('data');
  expect(await cache.whole(ctx, keyOfMap('theirs'))).toMatchObject(data);
  expect(cache.get(keyOfMap('theirs'))).not.toHaveProperty('data');

  expect(await cache.whole(ctx, keyOfMap('theirs'), true)).toMatchObject(data);
  expect(cache.get(keyOfMap('theirs'))).toMatchObject(data);
  const changes = cache.changes(ctx);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'theirs' };
  await kube.patch(ctx, ref, { type: 'merge', body: { data: { more: 'text' } } });
  await until(changes, ({ key }) => key === keyOfMap('theirs'));
  expect(cache.get(keyOfMap('theirs'))).toMatchObject({ data: { text: 'long', more: 'text' } });
  await kube.delete(ctx, ref);
  expect(await cache.whole(ctx, keyOfMap('nowhere'))).toBeUndefined();
});

test('T-21: a kind that a script reads from now on is held whole, and nothing of it vanishes meanwhile', async () => {
  let scripted = '';
  cache = new ClusterCache({
    kube,
    tracking: defaultTracking,
    isExcluded: () => false,
    keepsWhole: (_group, kind) => kind === scripted,
  });
  await kube.create(ctx, { ...configMap('a'), ...{ data: { text: 'long' } } });
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  const gone: string[] = [];
  const watching = (async () => {
    for await (const { key, after } of cache.changes(ctx)) if (!after) gone.push(key);
  })();
  expect(cache.get(keyOfMap('a'))).not.toHaveProperty('data');
  scripted = 'ConfigMap';
  cache.redraw();
  await expect.poll(() => cache.get(keyOfMap('a'))).toMatchObject({ data: { text: 'long' } });
  scripted = '';
  cache.redraw();
  await expect.poll(() => cache.get(keyOfMap('a'))).not.toHaveProperty('data');
  expect(cache.isPending).toBe(false);
  stop.abort();
  await watching;
  expect(gone).toEqual([]);
});

test('T-15: after a change of what is excluded, nobody reads before what is held is in line with it', async () => {
  let excluded = '';
  let slow: Promise<void> = Promise.resolve();
  const held = createKubeClient({
    transport: async (request) => {
      await slow;
      return cluster.handle(request);
    },
  });
  const isExcluded = (_group: string, kind: string) => kind === excluded;
  cache = new ClusterCache({ kube: held, tracking: defaultTracking, isExcluded });
  await kube.create(ctx, configMap('a'));
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  for (const [kind, found] of [
    ['ConfigMap', undefined],
    ['', { metadata: { name: 'a' } }],
  ] as const) {
    let answer = (): void => {};
    slow = new Promise((resolve) => {
      answer = resolve;
    });
    excluded = kind;
    cache.redraw();
    const read = cache.whenSynced(ctx).then(() => cache.get(keyOfMap('a')));
    answer();
    if (found) expect(await read).toMatchObject(found);
    else expect(await read).toBeUndefined();
  }
});

test('T-15: a caller that waits for one change of the settings is not left behind by the next', async () => {
  cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  const waiting: Promise<void>[] = [];
  for (const name of ['first', 'second', 'third']) {
    cache.redraw();
    waiting.push(cache.whenSynced(ctx));
    await kube.create(ctx, configMap(name)); // until it waits; the next change comes before the discovery
  }
  await Promise.all(waiting);
  expect(cache.isConnected).toBe(true);
});

test('T-17: an API that another server brings is watched when that server is there', async () => {
  const aggregated = (status: string) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.late.example' },
    spec: {
      group: 'late.example',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 1,
      service: { name: 'late', namespace: 'default' },
    },
    status: { conditions: [{ type: 'Available', status }] },
  });
  let asked = 0;
  const counting = createKubeClient({
    transport: (request) => {
      if (request.path === '/version') asked += 1;
      return cluster.handle(request);
    },
  });
  cache = new ClusterCache({ kube: counting, tracking: defaultTracking, isExcluded: () => false });
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  await expect.poll(() => cache.resource('apiregistration.k8s.io', 'APIService')).toBeDefined();
  const made = await kube.create(ctx, aggregated('False'));
  await expect.poll(() => asked).toBeGreaterThan(1);
  const before = asked;
  const ref = { apiVersion: made.apiVersion, kind: made.kind, name: made.metadata.name };
  const { status } = aggregated('True');
  await kube.patch(ctx, { ...ref, subresource: 'status' }, { type: 'merge', body: { status } });
  await expect.poll(() => asked).toBeGreaterThan(before);
});

test('T-16: watches are begun anew in minutes, and everything is listed anew twice a day', async () => {
  const settle = async () => {
    for (let turn = 0; turn < 6; turn++) await letOthersIn();
  };
  const clock = virtualClock({ settle });
  const aged = await createCluster({ store: memoryStore(), clock });
  const asked = { list: 0, watch: 0 };
  const counting = createKubeClient({
    transport: (request) => {
      const { path, signal } = request;
      if (path.includes('/configmaps')) asked[path.includes('watch=') ? 'watch' : 'list'] += 1;
      const seconds = Number(/timeoutSeconds=(\d+)/.exec(path)?.[1]);
      if (!seconds) return aged.handle(request);
      // as long as it was asked for, in the time of the test
      const end = new AbortController();
      clock.sleep(seconds * 1000, signal).then(
        () => end.abort(),
        () => {},
      );
      return aged.handle({ ...request, signal: AbortSignal.any([signal, end.signal]) });
    },
  });
  cache = new ClusterCache({
    kube: counting,
    tracking: defaultTracking,
    isExcluded: (_group, kind) => kind !== 'ConfigMap',
  });
  running = cache.run({ ...ctx, clock });
  await clock.autoAdvance(cache.whenSynced(ctx));
  await clock.advance(11 * 3_600_000);
  expect(asked.list).toBe(1);
  expect(asked.watch).toBeGreaterThan(11 * 6);
  await clock.advance(2 * 3_600_000);
  expect(asked.list).toBe(2);
  stop.abort();
  await running;
  await aged.close();
});
