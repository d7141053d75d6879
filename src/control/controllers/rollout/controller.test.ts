import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asKubeObject, type KubeObject } from '#base/model';
import { type Ctx, parseJson, realClock, runAll, silent } from '#base/std';
import { createCluster, type EmbeddedCluster, runSimulation } from '#embedded';
import type { Rollout, RolloutReplicaSet } from '#engine/rollouts';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { createEventRecorder } from '../application/status/event-recorder.ts';
import type { Announce } from '../notification/announce.ts';
import { rolloutController } from './controller.ts';
import { RolloutInformers } from './informers.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'default';
let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<void>;

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  for (const item of parseJson(readFileSync('deploy/rollouts/definitions.json', 'utf8')) as unknown[])
    await kube.apply(ctx, asKubeObject(item, 'definitions'), { fieldManager: 'test', force: true });
  running = runAll(ctx, [
    (inner) => runSimulation(inner, cluster.objects, { pace: 'instant' }),
    controller(1),
    controller(2),
  ]);
});
afterEach(async () => {
  stop.abort();
  await running.catch(() => {});
  await cluster.close();
});

/** Two of them run in every test: what one writes the other finds. */
const controller = (_number: number) => {
  const informers = new RolloutInformers(kube);
  const events = createEventRecorder({ kube, component: 'rollouts-controller' });
  return (inner: Ctx) =>
    runAll(inner, [(one) => informers.run(one), rolloutController({ kube, informers, events, announce })]);
};

/** The messages of events whose writes were made. */
const announced: string[] = [];
const announce: Announce = async (_ctx, _object, facts) => ({
  made: () => announced.push(...facts.map(({ event }) => event.message)),
  failed: () => {},
});

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});
const rollout = (strategy: object, more: object = {}): KubeObject => ({
  apiVersion,
  kind: 'Rollout',
  metadata: { name: 'web', namespace },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: template('web:1'),
    strategy,
    ...more,
  },
});
const service = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
});
const ref = { apiVersion, kind: 'Rollout', namespace, name: 'web' };
const read = async () => (await kube.get(ctx, ref)) as Rollout;
const patch = (body: object) => kube.patch(ctx, ref, { type: 'merge', body });
const patchStatus = (status: object) =>
  kube.patch(ctx, { ...ref, subresource: 'status' }, { type: 'merge', body: { status } });
const reaches = (status: object) =>
  expect.poll(async () => (await read()).status, { timeout: 15_000 }).toMatchObject(status);

async function pods(): Promise<Record<string, number>> {
  const { items } = await kube.list(ctx, { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace });
  const sets = items as RolloutReplicaSet[];
  return Object.fromEntries(
    sets
      .filter(({ status }) => (status?.availableReplicas ?? 0) > 0)
      .map(({ spec, status }) => [
        /web:\d/.exec(JSON.stringify(spec?.template))?.[0] ?? '',
        status?.availableReplicas ?? 0,
      ]),
  );
}

test('a canary pauses, is promoted, aborted and retried by the writes of the plugin', async () => {
  await kube.create(
    ctx,
    rollout({ canary: { steps: [{ setWeight: 25 }, { pause: {} }, { setWeight: 50 }, { pause: {} }] } }),
  );
  await reaches({ phase: 'Healthy', availableReplicas: 4, currentStepIndex: 4 });
  const first = (await read()).status?.stableRS;
  await patch({ spec: { template: template('web:2') } });
  await reaches({ phase: 'Paused', message: 'CanaryPauseStep', currentStepIndex: 1 });
  expect(await pods()).toEqual({ 'web:1': 3, 'web:2': 1 });
  await patchStatus({ pauseConditions: null });
  await reaches({ phase: 'Paused', currentStepIndex: 3 });
  await expect.poll(pods).toEqual({ 'web:1': 2, 'web:2': 2 });
  await patchStatus({ abort: true });
  await reaches({ phase: 'Degraded', stableRS: first });
  await expect.poll(pods).toEqual({ 'web:1': 4 });
  await patchStatus({ abort: false });
  await reaches({ phase: 'Paused', currentStepIndex: 1 });
  await patchStatus({ promoteFull: true });
  await reaches({ phase: 'Healthy', currentStepIndex: 4 });
  await expect.poll(pods).toEqual({ 'web:2': 4 });
  expect(await reasons()).toEqual(
    expect.arrayContaining(['RolloutPaused', 'RolloutAborted', 'RolloutCompleted', 'ScalingReplicaSet']),
  );
});

async function reasons(): Promise<string[]> {
  const { items } = await kube.list(ctx, { apiVersion: 'v1', kind: 'Event', namespace });
  return items.map((event) => (event as KubeObject & { reason: string }).reason);
}

test('blue-green switches the Service when a person promotes, and restores it for a deleted Rollout', async () => {
  for (const name of ['active', 'preview']) await kube.create(ctx, service(name));
  const blueGreen = { activeService: 'active', previewService: 'preview', autoPromotionEnabled: false };
  await kube.create(ctx, rollout({ blueGreen }));
  await reaches({ phase: 'Healthy' });
  await patch({ spec: { template: template('web:2') } });
  await reaches({ phase: 'Paused', message: 'BlueGreenPause' });
  const selected = async () =>
    (
      (await kube.get(ctx, { apiVersion: 'v1', kind: 'Service', namespace, name: 'active' })).spec as {
        selector: Record<string, string>;
      }
    ).selector['rollouts-pod-template-hash'];
  const { stableRS, currentPodHash } = (await read()).status ?? {};
  expect(await selected()).toBe(stableRS);
  await patchStatus({ pauseConditions: null });
  await reaches({ phase: 'Healthy', stableRS: currentPodHash });
  expect(await selected()).toBe(currentPodHash);
  await kube.delete(ctx, ref);
  await expect.poll(selected).toBeUndefined();
  await expect.poll(reasons).toContain('RolloutDeleted'); // RE-1
});

test('vectors 23 and 24: a referenced Deployment gives the template and is scaled down once the Rollout is healthy', async () => {
  await kube.create(ctx, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template('web:1') },
  } as KubeObject);
  const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', scaleDown: 'onsuccess' };
  await kube.create(ctx, {
    ...rollout({}),
    spec: { replicas: 2, workloadRef, strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } },
  });
  await reaches({ phase: 'Healthy', workloadObservedGeneration: expect.stringMatching(/\d/) });
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
  await expect
    .poll(async () => ((await kube.get(ctx, deployment)).spec as { replicas: number }).replicas)
    .toBe(0);
  await kube.patch(ctx, deployment, { type: 'merge', body: { spec: { template: template('web:2') } } });
  await reaches({ phase: 'Paused', currentStepIndex: 1 });
});

test('vector 36, RH-3: a foreign ReplicaSet with the same name leads to another hash', async () => {
  const made = rollout({ canary: {} });
  await kube.create(ctx, made);
  await reaches({ phase: 'Healthy' });
  const { currentPodHash = '' } = (await read()).status ?? {};
  await kube.delete(ctx, ref, { propagationPolicy: 'Foreground' });
  await expect.poll(() => kube.find(ctx, ref)).toBeUndefined();
  await expect
    .poll(() =>
      kube.find(ctx, { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace, name: `web-${currentPodHash}` }),
    )
    .toBeUndefined();
  await kube.create(ctx, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `web-${currentPodHash}`, namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'other' } },
      template: { ...template('web:1'), metadata: { labels: { app: 'other' } } },
    },
  } as KubeObject);
  announced.length = 0;
  await kube.create(ctx, made);
  await reaches({ phase: 'Healthy', collisionCount: 1 });
  const { currentPodHash: other } = (await read()).status ?? {};
  expect(other).not.toBe(currentPodHash);
  // RE-2: what was planned under the taken name has not happened
  expect(announced.join()).toContain(`web-${other}`);
  expect(announced.join()).not.toContain(`web-${currentPodHash}`);
});

test('RW-9: a restart evicts older pods', async () => {
  await kube.create(ctx, rollout({ canary: {} }));
  await reaches({ phase: 'Healthy' });
  const uids = async () => {
    const { items } = await kube.list(ctx, { apiVersion: 'v1', kind: 'Pod', namespace });
    return items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.uid);
  };
  const before = new Set(await uids());
  const restartAt = `${new Date(Date.now() - 1000).toISOString().slice(0, 19)}Z`;
  await patch({ spec: { restartAt } });
  await expect
    .poll(async () => (await read()).status?.restartedAt ?? (await uids()).some((uid) => !before.has(uid)), {
      timeout: 15_000,
    })
    .toBeTruthy();
});
