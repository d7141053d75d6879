import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import type { KnativeServiceView } from '#engine/rollouts';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../test/delivery-ground.ts';
import { type PrometheusServer, prometheusServer } from '../../../../test/prometheus-server.ts';

// compat rollouts §14: a Rollout whose weights are the traffic of a Knative Service, on the embedded Knative.

let ground: DeliveryGround;
let prometheus: PrometheusServer;
beforeEach(async () => {
  prometheus = await prometheusServer();
  ground = await deliveryGround();
  ground.start();
});
afterEach(async () => {
  await ground.stop();
  await prometheus.close();
});

const serving = 'serving.knative.dev/v1';
const serviceRef = { apiVersion: serving, kind: 'Service', namespace, name: 'shop' };
const deploy = (image: string, more: object = {}) =>
  ground.kube.patch(ground.ctx, serviceRef, {
    type: 'merge',
    body: { spec: { template: { spec: { containers: [{ name: 'user-container', image, ...more }] } } } },
  });
const serve = (image = 'shop:1', spec: object = {}) =>
  ground.kube.create(ground.ctx, {
    apiVersion: serving,
    kind: 'Service',
    metadata: { name: 'shop', namespace },
    spec: { template: { spec: { containers: [{ image }] } }, ...spec },
  } as KubeObject);
const service = async () => (await ground.kube.get(ground.ctx, serviceRef)) as KnativeServiceView;

const plugins = { 'fairlead.io/knative': { service: 'shop' } };
const rollout = (canary: object = {}, spec: object = {}, name = 'shop') =>
  ground.create('Rollout', name, {
    strategy: { canary: { trafficRouting: { plugins }, ...canary } },
    ...spec,
  });
const status = async (name = 'shop') => (await ground.rollout(name)).status ?? {};
const url = async () => (await ground.rollout('shop')).metadata.annotations?.['fairlead.io/candidate-url'];
/** The traffic as `revision percent tag`, as the spec requests it. */
const traffic = async () =>
  ((await service()).spec?.traffic ?? []).map(({ revisionName, percent, tag, latestRevision }) =>
    [latestRevision ? 'latest' : revisionName, percent ?? 0, tag]
      .filter((part) => part !== undefined)
      .join(' '),
  );

/** A Service with a Rollout at rest, then a second version. */
async function updating(canary: object, spec: object = {}): Promise<void> {
  await serve();
  await ground.pass();
  await rollout(canary, spec);
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00001' });
  await deploy('shop:2');
  await ground.pass();
}

const smoke = (successCondition = 'result[0] >= 0.95') =>
  ground.create('AnalysisTemplate', 'smoke', {
    args: [{ name: 'preview-url' }, { name: 'revision' }],
    metrics: [
      {
        name: 'success-rate',
        successCondition,
        provider: {
          prometheus: { address: prometheus.url, query: '{{args.preview-url}} {{args.revision}}' },
        },
      },
    ],
  });
const analysis = {
  templates: [{ templateName: 'smoke' }],
  args: [
    {
      name: 'preview-url',
      valueFrom: { fieldRef: { fieldPath: "metadata.annotations['fairlead.io/candidate-url']" } },
    },
    { name: 'revision', valueFrom: { podTemplateHashValue: 'Latest' } },
  ],
};

test('vector 63: a running Service is adopted without moving its traffic', async () => {
  await serve();
  await ground.pass();
  expect(await traffic()).toEqual(['latest 100']);
  await rollout({ steps: [{ setWeight: 20 }, { pause: {} }] });
  await ground.pass();
  expect(await traffic()).toEqual(['shop-00001 100']);
  expect(await status()).toMatchObject({
    phase: 'Healthy',
    stableRS: 'shop-00001',
    currentPodHash: 'shop-00001',
    canary: { weights: { canary: { weight: 0 }, stable: { weight: 100 }, verified: true } },
  });
  const { metadata, spec } = await ground.rollout('shop');
  expect(metadata.annotations).toMatchObject({ 'rollout.argoproj.io/revision': '1' });
  expect(spec).not.toHaveProperty('replicas');
});

test('RK-7: a Rollout that is there before the first Revision gives it everything, without analysis', async () => {
  await smoke();
  await rollout({ steps: [{ setWeight: 0 }, { analysis }] });
  await ground.pass();
  expect((await status()).message).toContain('Knative Service "shop" not found');
  await serve();
  await ground.pass(20);
  expect(await traffic()).toEqual(['shop-00001 100']);
  expect(await status()).toMatchObject({ phase: 'Healthy', currentStepIndex: 2 });
  expect(prometheus.queries).toEqual([]);
});

test('vector 64: steps 0, 20 and 100 with an analysis of the tag URL', async () => {
  await smoke();
  await updating({
    steps: [{ setWeight: 0 }, { analysis }, { setWeight: 20 }, { pause: { duration: '5m' } }],
  });
  expect(await traffic()).toEqual(['shop-00001 80', 'shop-00002 20 candidate']);
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 3 });
  const address = await url();
  expect(address).toContain('candidate-shop');
  expect(prometheus.queries).toEqual([`${address} shop-00002`]);
  const [run] = await ground.runs();
  expect(run?.metadata.name).toBe('shop-shop-00002-2-1');
  await ground.pass(300);
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00002', currentStepIndex: 4 });
  expect(await traffic()).toEqual(['shop-00002 100']);
  expect(await url()).toBeUndefined();
});

test('vector 65: a failed analysis returns the traffic and keeps the tag; retry starts over', async () => {
  await smoke();
  prometheus.answer(0.5);
  await updating({ steps: [{ setWeight: 20 }, { analysis }, { setWeight: 60 }] });
  expect(await traffic()).toEqual(['shop-00001 100', 'shop-00002 0 candidate']);
  expect(await status()).toMatchObject({
    phase: 'Degraded',
    abort: true,
    stableRS: 'shop-00001',
    currentStepIndex: 0,
    message: expect.stringMatching(
      /^RolloutAborted: Rollout aborted update to revision 2: .*"success-rate" assessed Failed due to failed \(1\) > failureLimit \(0\)/,
    ),
  });
  expect((await service()).status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'True' }),
  );
  expect(await url()).toContain('candidate-shop');
  prometheus.answer(1);
  await ground.patchStatus({ abort: false }, 'shop');
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00002' });
  expect((await ground.runs()).map(({ metadata }) => metadata.name).toSorted()).toEqual([
    'shop-shop-00002-2-1',
    'shop-shop-00002-2-1.1',
  ]);
});

test('RK-9: an explicit delay removes the tag of an aborted version', async () => {
  await updating({ abortScaleDownDelaySeconds: 60, steps: [{ setWeight: 20 }, { pause: {} }] });
  await ground.patchStatus({ abort: true }, 'shop');
  await ground.pass();
  expect(await traffic()).toEqual(['shop-00001 100', 'shop-00002 0 candidate']);
  await ground.pass(61);
  expect(await traffic()).toEqual(['shop-00001 100']);
  expect(await status()).toMatchObject({ phase: 'Degraded' });
  expect(await url()).toBeUndefined();
});

test('vector 66: a third commit in the middle of the steps inherits no traffic', async () => {
  await updating({ steps: [{ setWeight: 20 }, { pause: {} }] });
  expect(await traffic()).toEqual(['shop-00001 80', 'shop-00002 20 candidate']);
  const seen = new Set<string>();
  await deploy('shop:3');
  for (let count = 0; count < 20; count += 1) {
    const { status: now } = await service();
    for (const { revisionName, percent = 0 } of now?.traffic ?? [])
      if (percent > 0) seen.add(`${revisionName} ${percent}`);
    await ground.clock.advance(1);
  }
  expect(await status()).toMatchObject({
    phase: 'Paused',
    currentPodHash: 'shop-00003',
    currentStepIndex: 1,
  });
  expect(await traffic()).toEqual(['shop-00001 80', 'shop-00003 20 candidate']);
  expect([...seen].filter((share) => share.startsWith('shop-00003'))).toEqual(['shop-00003 20']);
});

test("vector 67: traffic that Git declares is Git's, and the Rollout says so", async () => {
  const declared = {
    apiVersion: serving,
    kind: 'Service',
    metadata: {
      name: 'shop',
      namespace,
      annotations: { 'argocd.argoproj.io/tracking-id': 'shop:serving:x' },
    },
    spec: {
      template: { spec: { containers: [{ image: 'shop:1' }] } },
      traffic: [{ latestRevision: true, percent: 100 }],
    },
  };
  await ground.kube.apply(ground.ctx, declared as KubeObject, { fieldManager: 'argocd-controller' });
  await rollout({ steps: [{ setWeight: 20 }] });
  await ground.pass();
  const { phase, message } = await status();
  expect(phase).toBe('Degraded');
  expect(message).toContain(
    'the manifest of Application "shop" declares spec.traffic of the Knative Service "shop": remove spec.traffic from it, or delete this Rollout',
  );
  expect(await traffic()).toEqual(['latest 100']);
  const { traffic: _traffic, ...spec } = declared.spec;
  await ground.kube.apply(ground.ctx, { ...declared, spec } as KubeObject, {
    fieldManager: 'argocd-controller',
  });
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy' });
  expect(await traffic()).toEqual(['shop-00001 100']);
});

test('RK-2: of two Rollouts for one Service the older one acts', async () => {
  await serve();
  await ground.pass();
  await rollout();
  await ground.pass();
  await rollout({}, {}, 'another');
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy' });
  expect((await status('another')).message).toContain('the older Rollout "shop" moves the traffic');
});

test('vector 68: a revert commit makes a new Revision that needs no steps', async () => {
  await updating({ steps: [{ setWeight: 20 }, { pause: {} }] });
  await deploy('shop:1');
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00003', currentStepIndex: 2 });
  expect(await traffic()).toEqual(['shop-00003 100']);
  expect((await ground.events()).map(({ reason }) => reason)).toContain('SkipSteps');
});

test('RN-9: a version within the rollback window needs no steps either', async () => {
  await updating({ steps: [{ setWeight: 20 }, { pause: {} }] }, { rollbackWindow: { revisions: 1 } });
  await ground.patchStatus({ promoteFull: true }, 'shop');
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00002' });
  await deploy('shop:1');
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00003' });
});

test('vector 70: a candidate that never becomes ready leaves the traffic untouched', async () => {
  await updating({ steps: [{ setWeight: 20 }, { pause: {} }] });
  await ground.patchStatus({ promoteFull: true }, 'shop');
  await ground.pass();
  await deploy('fairlead.io/image-pull-error:3', {});
  await ground.pass(700);
  const now = await status();
  expect(now.phase).toBe('Degraded');
  expect(now.message).toMatch(/RolloutAborted: .*Revision "shop-00003"/);
  expect(await traffic()).toEqual(['shop-00002 100']);
});

test('vector 71: a deleted Rollout leaves the traffic as it is and releases it', async () => {
  await updating({ steps: [{ setWeight: 20 }, { pause: {} }] });
  const before = await traffic();
  await ground.kube.delete(ground.ctx, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    namespace,
    name: 'shop',
  });
  await ground.pass();
  expect(await traffic()).toEqual(before);
  const { managedFields = [] } = (await service()).metadata;
  expect(managedFields.map(({ manager }) => manager)).not.toContain('fairlead-rollouts');
});

test('RK-7: traffic that is split already waits for a person', async () => {
  await serve();
  await ground.pass();
  await deploy('shop:2');
  await ground.pass();
  const split = [
    { revisionName: 'shop-00001', percent: 70 },
    { revisionName: 'shop-00002', percent: 30 },
  ];
  await ground.kube.patch(ground.ctx, serviceRef, { type: 'merge', body: { spec: { traffic: split } } });
  await rollout({ steps: [{ setWeight: 20 }] });
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Paused' });
  expect(await traffic()).toEqual(['shop-00001 70', 'shop-00002 30']);
  await ground.patchStatus({ pauseConditions: null }, 'shop');
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00002' });
  expect(await traffic()).toEqual(['shop-00002 100']);
});

test('RT-7: a foreign change of the traffic is corrected once a minute and reported by its field manager', async () => {
  await updating({ steps: [{ setWeight: 20 }, { pause: {} }] });
  const steal = () =>
    ground.kube.patch(
      ground.ctx,
      serviceRef,
      { type: 'merge', body: { spec: { traffic: [{ latestRevision: true, percent: 100 }] } } },
      { fieldManager: 'kn' },
    );
  await steal();
  await ground.pass();
  expect(await traffic()).toEqual(['shop-00001 80', 'shop-00002 20 candidate']);
  await steal();
  await ground.pass(30);
  expect(await traffic()).toEqual(['latest 100']);
  await ground.pass(31);
  expect(await traffic()).toEqual(['shop-00001 80', 'shop-00002 20 candidate']);
  const conflicts = (await ground.events()).filter(({ reason }) => reason === 'TrafficWeightConflict');
  expect(conflicts[0]?.message).toMatch(/^kn changed spec.traffic/);
});
