import { afterEach, beforeEach, expect, test } from 'vitest';
import { type KubeObject, printTime } from '#base/model';
import { runAll } from '#base/std';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../test/delivery-ground.ts';
import { createEventRecorder } from '../application/status/event-recorder.ts';
import { rolloutController } from './controller.ts';
import { RolloutInformers } from './informers.ts';
import { actWithoutPeer } from './peer.ts';

// compat rollouts §15: where the controller of Argo Rollouts is at work, ours stands down. Time is virtual.

const leaseName = 'argo-rollouts-controller-lock';
let ground: DeliveryGround;
let acts: boolean;
let why: string | undefined;
beforeEach(async () => {
  ground = await deliveryGround();
  acts = false;
  why = undefined;
});
afterEach(() => ground.stop());

/** With `informers` the Rollouts are those that they hold while it acts. */
const begin = (informers?: RolloutInformers): void => {
  const onStandby = (reason: string | undefined): void => {
    why = reason;
  };
  const rollouts = () => (acts ? informers?.rollouts.list() : undefined);
  const events = createEventRecorder({ kube: ground.kube, component: 'rollouts-controller' });
  const check = { identity: 'fairlead_1', leaseName, rollouts, events, onStandby };
  ground.run(
    (kube) => (ctx) =>
      actWithoutPeer(ctx, { ...check, kube }, async (inner) => {
        acts = true;
        await new Promise<void>((resolve) => inner.signal.addEventListener('abort', () => resolve()));
        acts = false;
      }),
  );
};
const now = (): string => printTime(ground.clock.now());
const lease = (holderIdentity: string, name = leaseName) =>
  ground.kube.apply(
    ground.ctx,
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace },
      spec: {
        holderIdentity,
        leaseDurationSeconds: 15,
        renewTime: `${ground.clock.now().toISOString().slice(0, 19)}.000000Z`,
      },
    } as KubeObject,
    { fieldManager: 'argo-rollouts', force: true },
  );

test("vector 59: it stands down within 15 seconds of a peer's Lease, and acts again when that is not renewed", async () => {
  begin();
  await ground.pass();
  expect(acts).toBe(true);
  await lease('argo-rollouts-6d9f');
  await ground.pass(15);
  expect({ acts, why }).toEqual({
    acts: false,
    why: `argo-rollouts-6d9f holds the Lease default/${leaseName}`,
  });
  await lease('argo-rollouts-6d9f');
  await ground.pass(30);
  expect(acts).toBe(false);
  await ground.pass(31);
  expect({ acts, why }).toEqual({ acts: true, why: undefined });
});

const peerWrites = (status: object) =>
  ground.kube.patch(
    ground.ctx,
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name: 'web', subresource: 'status' },
    { type: 'merge', body: { status } },
    { fieldManager: 'rollouts-controller' },
  );
const standbyEvents = async () =>
  (await ground.events()).filter(({ reason }) => reason === 'RolloutsStandby').map(({ message }) => message);

test('RP-3: standing down is one event, about the object that shows the peer', async () => {
  await lease('argo-rollouts-6d9f');
  begin();
  await ground.pass(40);
  expect(await standbyEvents()).toEqual([
    `Rollouts are left to Argo Rollouts: argo-rollouts-6d9f holds the Lease default/${leaseName}`,
  ]);
});

test('RP-3: while it acts, Rollouts are not listed: a late write is found in those that it watches', async () => {
  const informers = new RolloutInformers(ground.kube);
  ground.run(() => (ctx) => informers.run(ctx));
  await ground.create('Rollout', 'web', { strategy: { canary: {} } });
  begin(informers);
  await ground.pass();
  expect(acts).toBe(true);
  const rule = { match: { verbs: ['list'], resources: ['rollouts'] }, effect: { error: 500 } };
  ground.cluster.faults.set([rule], 1);
  await ground.pass(16);
  expect(acts).toBe(true);
  await peerWrites({ phase: 'Degraded' });
  await ground.pass(15);
  expect(acts).toBe(false);
});

test('RP-3: a Rollout that the peer wrote lately gets no first write, until ten minutes have passed', async () => {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'c:1' }] },
  };
  const selector = { matchLabels: { app: 'web' } };
  await ground.create('Rollout', 'web', { replicas: 1, selector, template, strategy: { canary: {} } });
  await peerWrites({ phase: 'Progressing' });
  ground.run((kube) => (ctx) => {
    const informers = new RolloutInformers(kube);
    const events = createEventRecorder({ kube, component: 'rollouts-controller' });
    return runAll(ctx, [
      (inner) => informers.run(inner),
      rolloutController({ kube, informers, events, yieldsToPeer: true }),
    ]);
  });
  await ground.pass(60);
  expect(await ground.replicaSets()).toEqual([]);
  await ground.pass(600);
  expect(await ground.replicaSets()).toHaveLength(1);
});

test.each([
  ['its own Lease', () => lease('fairlead_1')],
  ['the Lease of another replica of ours', () => lease('fairlead_2')],
  ['a Lease of another program', () => lease('argo-rollouts-6d9f', 'another')],
])('%s is no peer', async (_what, write) => {
  await write();
  begin();
  await ground.pass();
  expect(acts).toBe(true);
});

test('vector 59: Leases that cannot be read count as a peer', async () => {
  const rule = { match: { verbs: ['list'], resources: ['leases'] }, effect: { error: 403 } };
  ground.cluster.faults.set([rule], 1);
  begin();
  await ground.pass(60);
  expect({ acts, why }).toEqual({ acts: false, why: 'Leases cannot be read' });
  ground.cluster.faults.set([], 1);
  await ground.pass(16);
  expect(acts).toBe(true);
});

test('RP-3: a running Deployment of the peer is a peer, and so is a status that it wrote in the last ten minutes', async () => {
  const labels = { 'app.kubernetes.io/name': 'argo-rollouts' };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'argo-rollouts', namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'argo-rollouts:1' }] } },
    },
  };
  await ground.kube.create(ground.ctx, deployment as KubeObject);
  await ground.pass(5);
  begin();
  await ground.pass();
  expect(why).toBe('the Deployment default/argo-rollouts is running');
  await ground.kube.delete(ground.ctx, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace,
    name: 'argo-rollouts',
  });
  await ground.create('Rollout', 'web', { strategy: { canary: {} } });
  await peerWrites({ phase: 'Degraded', message: now() });
  await ground.pass(16);
  expect(why).toBe('it wrote the status of the Rollout default/web lately');
  await ground.pass(601);
  expect(acts).toBe(true);
});

test('vector 58: an update that a peer began goes on without a new ReplicaSet or another selector', async () => {
  const selector = { matchLabels: { app: 'web' } };
  const template = (image: string) => ({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image }] },
  });
  const owner = await ground.create('Rollout', 'web', {
    replicas: 4,
    selector,
    template: template('web:2'),
    strategy: { canary: { stableService: 'web', steps: [{ setWeight: 25 }, { pause: {} }] } },
  });
  // hashes of another algorithm: the templates are equal, and that is what counts (RH-2)
  const set = (hash: string, image: string, replicas: number, revision: string) => {
    const label = { 'rollouts-pod-template-hash': hash };
    const annotations = {
      'rollout.argoproj.io/revision': revision,
      'rollout.argoproj.io/desired-replicas': '4',
    };
    const labels = { app: 'web', ...label };
    return ground.kube.create(ground.ctx, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `web-${hash}`,
        namespace,
        labels,
        annotations,
        ownerReferences: [
          {
            apiVersion: owner.apiVersion,
            kind: 'Rollout',
            name: 'web',
            uid: owner.metadata.uid ?? '',
            controller: true,
          },
        ],
      },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { ...template(image), metadata: { labels } },
      },
    } as KubeObject);
  };
  await set('stable111', 'web:1', 3, '1');
  await set('fresh2222', 'web:2', 1, '2');
  await ground.kube.create(ground.ctx, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'web',
      namespace,
      annotations: { 'argo-rollouts.argoproj.io/managed-by-rollouts': 'web' },
    },
    spec: { selector: { app: 'web', 'rollouts-pod-template-hash': 'stable111' }, ports: [{ port: 80 }] },
  } as KubeObject);
  await ground.pass(5);
  await ground.patchStatus({
    stableRS: 'stable111',
    currentPodHash: 'fresh2222',
    currentStepIndex: 1,
    controllerPause: true,
    pauseConditions: [{ reason: 'CanaryPauseStep', startTime: now() }],
  });
  const stop = ground.start();
  await ground.pass(10);
  const names = async () => (await ground.replicaSets()).map(({ metadata }) => metadata.name).toSorted();
  const selected = async () =>
    (await ground.kube.get(ground.ctx, { apiVersion: 'v1', kind: 'Service', namespace, name: 'web' })).spec;
  expect(await names()).toEqual(['web-fresh2222', 'web-stable111']);
  expect(await selected()).toMatchObject({ selector: { 'rollouts-pod-template-hash': 'stable111' } });
  const { status } = await ground.rollout();
  expect(status).toMatchObject({ phase: 'Paused', currentStepIndex: 1, stableRS: 'stable111' });
  await stop();
  // what a peer needs to go on: the same hashes, the pause, and the sizes
  expect(status?.pauseConditions).toHaveLength(1);
  expect((await ground.replicaSets()).map(({ spec }) => spec?.replicas).toSorted()).toEqual([1, 3]);
  ground.start();
  await ground.patchStatus({ pauseConditions: null });
  await ground.pass(10);
  expect((await ground.rollout()).status).toMatchObject({ phase: 'Healthy', stableRS: 'fresh2222' });
  expect(await names()).toEqual(['web-fresh2222', 'web-stable111']);
});
