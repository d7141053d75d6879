import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inClusterServer, type KubeObject, keyFrom, type RegisteredCluster } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster as DevCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { ClusterCache } from './cluster-cache.ts';
import { Clusters } from './clusters.ts';

const far = 'https://far.example';
let home: DevCluster;
let remote: DevCluster;
let kube: KubeClient;
let clusters: Clusters;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<void>;
let closed: string[];
/** Requests to the remote cluster wait for this. */
let answers: Promise<void>;

const clientOf = (cluster: DevCluster): KubeClient =>
  createKubeClient({
    transport: async (request) => {
      if (cluster === remote) await answers;
      return cluster.handle(request);
    },
  });

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  answers = Promise.resolve();
  closed = [];
  home = await createCluster({ store: memoryStore(), clock: realClock });
  remote = await createCluster({ store: memoryStore(), clock: realClock });
  kube = clientOf(home);
  clusters = new Clusters({ kube, namespace: 'default', open });
  running = clusters.run(ctx);
  await clusters.whenSynced(ctx);
});
afterEach(async () => {
  stop.abort();
  await running.catch(() => {});
  await Promise.all([home.close(), remote.close()]);
});

function open(record: RegisteredCluster) {
  if (record.server.endsWith('broken')) throw new Error('no such place');
  const client = record.server === inClusterServer ? kube : clientOf(remote);
  const scope = { namespaces: record.namespaces, clusterResources: record.clusterResources };
  const cache = new ClusterCache({
    kube: client,
    tracking: defaultTracking,
    isExcluded: (_group, kind) => !['ConfigMap', 'Namespace'].includes(kind),
    scope,
  });
  return { kube: client, cache, close: () => void closed.push(record.name) };
}

const secret = (name: string, stringData: Record<string, string>): Promise<KubeObject> =>
  kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData,
  } as KubeObject);
const secretRef = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name });

/** Resolves with the next turn of a cluster. */
async function turn(server: string, make: () => Promise<unknown>): Promise<void> {
  const stopped = new AbortController();
  const turns = clusters.changedServers({ ...ctx, signal: AbortSignal.any([stop.signal, stopped.signal]) });
  await make();
  for await (const one of turns) if (one === server) break;
  stopped.abort();
}

describe('A-13: a destination is', () => {
  test('the cluster we are in, by address or by name, without any Secret (A-15)', () => {
    expect(clusters.resolve({ server: `${inClusterServer}/` }).name).toBe('in-cluster');
    expect(clusters.resolve({ name: 'in-cluster' }).server).toBe(inClusterServer);
  });

  test('one that a Secret registers, from the moment it is there until it goes', async () => {
    expect(() => clusters.resolve({ name: 'far' })).toThrow(
      /no cluster far is registered: known are in-cluster/,
    );
    await turn(far, () => secret('one', { server: `${far}/`, name: 'far' }));
    expect(clusters.resolve({ server: far }).name).toBe('far');
    expect(clusters.resolve({ name: 'far' }).server).toBe(far);
    await turn(far, () => kube.delete(ctx, secretRef('one')));
    expect(() => clusters.resolve({ server: far })).toThrow(/is registered/);
    expect(closed).toEqual(['far']);
  });

  test('refused when it says both, neither, or a name that two bear', async () => {
    expect(() => clusters.resolve({ server: far, name: 'far' })).toThrow(/both/);
    expect(() => clusters.resolve({})).toThrow(/names no cluster/);
    await turn(far, () => secret('one', { server: far, name: 'twin' }));
    await turn(`${far}/2`, () => secret('two', { server: `${far}/2`, name: 'twin' }));
    expect(() => clusters.resolve({ name: 'twin' })).toThrow(/2 clusters are named twin/);
  });

  test('refused with what is wrong with its Secret, which disturbs nobody else', async () => {
    await turn(far, () => secret('one', { server: far, name: 'far', config: '{"not json' }));
    expect(() => clusters.resolve({ name: 'far' })).toThrow(
      /cluster far cannot be used: config is not a JSON object/,
    );
    await turn('https://broken', () => secret('two', { server: 'https://broken', name: 'b' }));
    expect(() => clusters.resolve({ name: 'b' })).toThrow(/no such place/);
    expect(clusters.resolve({ name: 'in-cluster' }).server).toBe(inClusterServer);
  });
});

test('server §1.7: of two Secrets for one server the older counts, and a changed one is opened anew', async () => {
  await turn(far, () => secret('a-first', { server: far, name: 'first' }));
  await secret('b-second', { server: far, name: 'second' });
  await turn('https://other', () => secret('other', { server: 'https://other', name: 'other' }));
  expect(clusters.resolve({ server: far }).name).toBe('first');
  const renamed = { type: 'merge' as const, body: { stringData: { name: 'renamed' } } };
  await turn(far, () => kube.patch(ctx, secretRef('a-first'), renamed));
  expect(clusters.resolve({ server: far }).name).toBe('renamed');
  expect(closed).toEqual(['first']);
});

test('P-1: those of a project are known as such', async () => {
  await turn(far, () => secret('one', { server: far, name: 'far', project: 'shop' }));
  expect(clusters.scopedTo('shop').map(({ name }) => name)).toEqual(['far']);
  expect(clusters.scopedTo('other')).toEqual([]);
});

test('changes of every cluster are told with the cluster, and one that hangs is nobody else’s trouble', async () => {
  let release = (): void => {};
  answers = new Promise((resolve) => {
    release = resolve;
  });
  await turn(far, () => secret('one', { server: far, name: 'far' }));
  const hung = clusters.resolve({ name: 'far' });
  expect(hung.cache.isPending).toBe(true);
  const changes = clusters.changes(ctx);
  await clusters.resolve({ name: 'in-cluster' }).cache.whenSynced(ctx);
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'here', namespace: 'default' } };
  await kube.create(ctx, map);
  for await (const { cluster, change } of changes)
    if (change.after?.metadata.name === 'here') {
      expect(cluster.name).toBe('in-cluster');
      break;
    }
  await turn(far, async () => release());
  expect(hung.cache.isPending).toBe(false);
});

test('one that says nothing is told as such, then with the reason once there is one, and may still answer', async () => {
  const stopped = new AbortController();
  const inner = { ...ctx, signal: stopped.signal };
  const hasty = new Clusters({ kube, namespace: 'default', open, timeoutMs: 50 });
  const turns = hasty.changedServers(inner);
  const keeping = hasty.run(inner).catch(() => {});
  await hasty.whenSynced(inner);
  let refuse = (_error: Error): void => {};
  answers = new Promise((_resolve, reject) => {
    refuse = reject;
  });
  const config = JSON.stringify({ execProviderConfig: { command: '/opt/cloud-login' } });
  await secret('one', { server: far, name: 'far', config });
  const told: string[] = [];
  for await (const server of turns) {
    if (server !== far) continue;
    const { cache } = hasty.resolve({ name: 'far' });
    if (cache.isPending) continue;
    const problem = await cache.whenSynced(inner).then(
      () => 'none',
      (error: Error) => error.message,
    );
    told.push(problem);
    if (told.length === 1) refuse(new Error('nobody is there'));
    if (told.length === 2) answers = Promise.resolve();
    if (problem === 'none') break;
  }
  expect(told).toEqual([
    'no answer yet from it, or from its credential plugin cloud-login',
    'nobody is there',
    'none',
  ]);
  stopped.abort();
  await keeping;
});

test('T-19: of a cluster that is limited to namespaces nothing else is read', async () => {
  const far2 = clientOf(remote);
  for (const name of ['ours', 'theirs']) {
    await far2.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await far2.create(ctx, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: name } });
  }
  await secret('one', { server: far, name: 'far', namespaces: 'ours, default' });
  await secret('two', { server: `${far}/2`, name: 'wide', namespaces: 'ours', clusterResources: 'true' });
  const held = async (name: string): Promise<(string | undefined)[]> => {
    await expect.poll(() => clusters.all().some((one) => one.name === name)).toBe(true);
    const { cache } = clusters.resolve({ name });
    await cache.whenSynced(ctx);
    const map = (namespace: string) =>
      cache.get(keyFrom({ group: '', kind: 'ConfigMap', namespace, name: 'm' }));
    const wide = cache.get(keyFrom({ group: '', kind: 'Namespace', name: 'ours' }));
    return [map('ours'), map('theirs'), wide].map((object) => object?.metadata.name);
  };
  expect(await held('far')).toEqual(['m', undefined, undefined]);
  expect(await held('wide')).toEqual(['m', undefined, 'ours']);
});
