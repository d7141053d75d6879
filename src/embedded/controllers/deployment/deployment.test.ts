import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { isActive, isReady } from '../pod/view.ts';
import type { ReplicaSet } from '../replica-set.ts';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import { revisionOf } from './notes.ts';
import type { Deployment } from './view.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const deployment = (spec: object = {}, image = 'web:1', annotations = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, annotations },
      spec: { containers: [{ name: 'web', image }] },
    },
    ...spec,
  },
});
const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
const read = () => stage.read<Deployment>(ref);
const condition = (type: string) => read().status?.conditions?.find((one) => one.type === type);
const pods = () => stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' });
const sets = () =>
  stage.objects.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }, { namespace: 'default' }) as ReplicaSet[];
const image = (name: string) => ({
  spec: { template: { spec: { containers: [{ name: 'web', image: name }] } } },
});

async function start(spec: object = {}, name = 'web:1'): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.create(deployment(spec, name));
  await stage.clock.advance(150);
}

test('a deployment of three is available within 150 ms', async () => {
  await start();
  expect(read().status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  expect(read().status?.unavailableReplicas).toBeUndefined();
  expect(condition('Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
  const [set] = sets();
  expect(condition('Progressing')).toMatchObject({
    status: 'True',
    reason: 'NewReplicaSetAvailable',
    message: `ReplicaSet "${set?.metadata.name}" has successfully progressed.`,
  });
  const hash = set?.metadata.labels?.['pod-template-hash'];
  expect(set?.metadata.name).toBe(`web-${hash}`);
  expect(pods().every(({ metadata }) => metadata.labels?.['pod-template-hash'] === hash)).toBe(true);
  expect(read().metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
});

test('names follow from the seed', async () => {
  const names = async (seed: number) => {
    stage = await createStage({ store: memoryStore(), seed });
    await stage.create(deployment());
    await stage.clock.advance(150);
    const found = pods().map(({ metadata }) => metadata.name);
    await stage.stop();
    return found;
  };
  const first = await names(3);
  expect(await names(3)).toEqual(first);
  const other = await names(4);
  expect(other).not.toEqual(first);
  expect(new Set(first).size).toBe(3);
});

test('a rolling update keeps within its bounds and leaves only new pods', async () => {
  await start({ replicas: 4, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } });
  const stop = new AbortController();
  const seen = { most: 0, fewest: 9 };
  const watching = (async () => {
    const watch = stage.objects.watch({ apiVersion: 'v1', kind: 'Pod' }, { signal: stop.signal });
    for await (const _event of watch) {
      seen.most = Math.max(seen.most, pods().filter(isActive).length);
      seen.fewest = Math.min(seen.fewest, pods().filter((pod) => isActive(pod) && isReady(pod)).length);
    }
  })();
  await stage.patch(ref, image('web:2'));
  await stage.clock.advance(1000);
  stop.abort();
  await watching;
  expect(seen).toEqual({ most: 5, fewest: 3 });
  expect(pods()).toHaveLength(4);
  expect(read().status).toMatchObject({
    observedGeneration: 2,
    updatedReplicas: 4,
    availableReplicas: 4,
    replicas: 4,
  });
  expect(sets().map((set) => [revisionOf(set), set.spec?.replicas])).toEqual(
    expect.arrayContaining([
      [1, 0],
      [2, 4],
    ]),
  );
});

test('an update that cannot start keeps the old pods and runs out of time', async () => {
  await start({ progressDeadlineSeconds: 20 });
  await stage.patch(ref, image('web:image-pull-error'));
  await stage.clock.advance(5000);
  expect(condition('Progressing')).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' });
  expect(read().status).toMatchObject({ availableReplicas: 3, updatedReplicas: 1, replicas: 4 });
  await stage.clock.advance(20_000);
  expect(condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
  expect(condition('Available')?.status).toBe('True');
  await stage.patch(ref, image('web:3'));
  await stage.clock.advance(1000);
  expect(condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
});

test('going back to an old template finds its replica set again, as a new revision', async () => {
  await start();
  const first = sets()[0]?.metadata.name;
  await stage.patch(ref, image('web:2'));
  await stage.clock.advance(1000);
  await stage.patch(ref, image('web:1'));
  await stage.clock.advance(1000);
  const current = sets().find(({ spec }) => spec?.replicas === 3);
  expect(current?.metadata.name).toBe(first);
  expect(read().metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
});

test('scaling goes up and down without a rollout', async () => {
  await start();
  await stage.patch(ref, { spec: { replicas: 5 } });
  await stage.clock.advance(300);
  expect(read().status).toMatchObject({ readyReplicas: 5, observedGeneration: 2 });
  await stage.patch(ref, { spec: { replicas: 0 } });
  await stage.clock.advance(300);
  expect(pods()).toHaveLength(0);
  expect(read().status?.replicas ?? 0).toBe(0);
  expect(condition('Available')?.status).toBe('True');
  expect(sets()).toHaveLength(1);
});

test('a paused deployment rolls nothing out, but scales', async () => {
  await start({ paused: false });
  await stage.patch(ref, { spec: { paused: true, replicas: 4, ...image('web:2').spec } });
  await stage.clock.advance(1000);
  expect(condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
  expect(sets()).toHaveLength(1);
  expect(read().status).toMatchObject({ readyReplicas: 4 });
  await stage.patch(ref, { spec: { paused: false } });
  await stage.clock.advance(1000);
  expect(read().status).toMatchObject({ updatedReplicas: 4, availableReplicas: 4 });
  expect(condition('Progressing')).toMatchObject({ reason: 'NewReplicaSetAvailable' });
});

test('recreate waits for the old pods to be gone', async () => {
  await start({ strategy: { type: 'Recreate', rollingUpdate: null } });
  const stop = new AbortController();
  let mixed = false;
  const watching = (async () => {
    const watch = stage.objects.watch({ apiVersion: 'v1', kind: 'Pod' }, { signal: stop.signal });
    for await (const _event of watch) {
      mixed ||= new Set(pods().map(({ metadata }) => metadata.labels?.['pod-template-hash'])).size > 1;
    }
  })();
  await stage.patch(ref, image('web:2'));
  await stage.clock.advance(1000);
  stop.abort();
  await watching;
  expect(mixed).toBe(false);
  expect(read().status).toMatchObject({ updatedReplicas: 3, availableReplicas: 3 });
});

test('history is kept as far back as it says', async () => {
  await start({ revisionHistoryLimit: 1 });
  for (const name of ['web:2', 'web:3', 'web:4']) {
    await stage.patch(ref, image(name));
    await stage.clock.advance(1000);
  }
  expect(sets().map(revisionOf).sort()).toEqual([3, 4]);
});

test('pods wait for their minimum of ready seconds before they count as available', async () => {
  await start({ minReadySeconds: 10 });
  expect(read().status).toMatchObject({ readyReplicas: 3, unavailableReplicas: 3 });
  await stage.clock.advance(11_000);
  expect(read().status).toMatchObject({ availableReplicas: 3 });
});

test('a deployment takes all it owns with it', async () => {
  await start();
  await stage.remove(ref);
  await stage.clock.advance(500);
  await stage.cluster.settled();
  await stage.clock.advance(500);
  expect([...pods(), ...sets()]).toEqual([]);
});

test('a killed pod is replaced', async () => {
  await start();
  const [victim] = pods();
  await stage.remove({
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: 'default',
    name: victim?.metadata.name ?? '',
  });
  await stage.clock.advance(300);
  expect(pods().filter(isReady)).toHaveLength(3);
  expect(pods().map(({ metadata }) => metadata.uid)).not.toContain(victim?.metadata.uid);
});
