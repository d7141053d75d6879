import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import type { KnativeServiceView } from '#engine/rollouts';
import { manualTrafficAnnotation, printManualTraffic } from '#engine/traffic';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../test/delivery-ground.ts';

// compat rollouts RK-14: traffic that a person pins beside the steps of a Rollout, on the embedded Knative.

let ground: DeliveryGround;
let kill: () => Promise<void>;
beforeEach(async () => {
  ground = await deliveryGround();
  kill = ground.start();
});
afterEach(() => ground.stop());

const serving = 'serving.knative.dev/v1';
const serviceRef = { apiVersion: serving, kind: 'Service', namespace, name: 'shop' };
const template = (image: string) => ({ spec: { containers: [{ name: 'user-container', image }] } });
const deploy = async (image: string) => {
  await ground.kube.patch(ground.ctx, serviceRef, {
    type: 'merge',
    body: { spec: { template: template(image) } },
  });
  await ground.pass();
};
const traffic = async (): Promise<string[]> => {
  const { spec } = (await ground.kube.get(ground.ctx, serviceRef)) as KnativeServiceView;
  return (spec?.traffic ?? []).map(({ revisionName, percent, tag }) =>
    [revisionName, percent, tag].join(' ').trim(),
  );
};
const status = async () => (await ground.rollout('shop')).status ?? {};
const rolloutRef = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name: 'shop' };
async function annotate(text: string | null): Promise<void> {
  const body = { metadata: { annotations: { [manualTrafficAnnotation]: text } } };
  await ground.kube.patch(ground.ctx, rolloutRef, { type: 'merge', body });
  await ground.pass();
}
const override = (revision: string) =>
  annotate(printManualTraffic({ revision, by: 'ann', at: '2026-01-01T00:00:00Z', reason: 'errors' }));
const events = async () => (await ground.events()).map(({ reason, message }) => `${reason}: ${message}`);
const overridden = { phase: 'Paused', message: 'manual traffic override by ann' };

/** Two versions, the second one brought out. */
async function atRest(
  canary: object = { steps: [{ setWeight: 20 }, { pause: {} }] },
  spec: object = {},
): Promise<void> {
  const service = { apiVersion: serving, kind: 'Service', metadata: { name: 'shop', namespace } };
  await ground.kube.create(ground.ctx, { ...service, spec: { template: template('shop:1') } } as KubeObject);
  await ground.pass();
  const plugins = { 'fairlead.io/knative': { service: 'shop' } };
  await ground.create('Rollout', 'shop', {
    strategy: { canary: { trafficRouting: { plugins }, ...canary } },
    ...spec,
  });
  await ground.pass();
  await deploy('shop:2');
  await promoteFull();
}
async function promoteFull(): Promise<void> {
  const body = { status: { promoteFull: true } };
  await ground.kube.patch(ground.ctx, { ...rolloutRef, subresource: 'status' }, { type: 'merge', body });
  await ground.pass();
}

test('the traffic is pinned and the Rollout Paused with its author, until the record is removed', async () => {
  await atRest();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00002' });
  await override('shop-00001');
  expect(await traffic()).toEqual(['shop-00001 100', 'shop-00002 0']);
  expect(await status()).toMatchObject({ ...overridden, stableRS: 'shop-00002' });
  expect(await events()).toContainEqual(
    expect.stringMatching(/^TrafficOverridden: ann overrode the traffic of Rollout shop/),
  );
  await annotate(null);
  expect(await traffic()).toEqual(['shop-00002 100']);
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00002' });
  expect((await status()).conditions?.find(({ type }) => type === 'ManualTraffic')).toBeUndefined();
  expect(await events()).toContainEqual('TrafficOverrideEnded: manual traffic override by ann has ended');
});

test('a new version gets nothing while it lasts, is not promoted by a request, and begins at step 1 afterwards', async () => {
  await atRest();
  await override('shop-00001');
  await deploy('shop:3');
  await promoteFull();
  await ground.pass(3600);
  expect(await traffic()).toEqual(['shop-00001 100', 'shop-00002 0']);
  expect(await status()).toMatchObject({
    ...overridden,
    stableRS: 'shop-00002',
    currentPodHash: 'shop-00003',
  });
  await annotate(null);
  expect(await traffic()).toEqual(['shop-00002 80', 'shop-00003 20 candidate']);
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
});

test('an update under way starts over after it, and its verbs change nothing meanwhile', async () => {
  await atRest({ steps: [{ setWeight: 20 }, { setWeight: 60 }, { pause: {} }] });
  await deploy('shop:3');
  expect(await traffic()).toEqual(['shop-00002 40', 'shop-00003 60 candidate']);
  await override('shop-00002');
  expect(await traffic()).toEqual(['shop-00002 100']);
  await promoteFull();
  expect(await traffic()).toEqual(['shop-00002 100']);
  expect(await status()).toMatchObject({ ...overridden, currentStepIndex: 0, stableRS: 'shop-00002' });
  await annotate(null);
  expect(await status()).toMatchObject({ phase: 'Paused', message: 'CanaryPauseStep', currentStepIndex: 2 });
});

test('an aborted update is Paused while it lasts, and aborted again afterwards', async () => {
  await atRest();
  await deploy('shop:3');
  const body = { status: { abort: true } };
  await ground.kube.patch(ground.ctx, { ...rolloutRef, subresource: 'status' }, { type: 'merge', body });
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Degraded' });
  await override('shop-00001');
  expect(await status()).toMatchObject(overridden);
  await annotate(null);
  expect(await status()).toMatchObject({ phase: 'Degraded', abort: true });
  expect(await traffic()).toEqual(['shop-00002 100', 'shop-00003 0 candidate']);
});

test('once Git declares the pinned version again, lifting it moves nothing', async () => {
  await atRest();
  await override('shop-00001');
  await deploy('shop:1');
  expect(await status()).toMatchObject({ ...overridden, stableRS: 'shop-00001' });
  expect(await traffic()).toEqual(['shop-00001 100']);
  await annotate(null);
  expect(await traffic()).toEqual(['shop-00003 100']);
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-00003' });
});

test('a Revision that disappears is reported, and no traffic moves', async () => {
  await atRest();
  await override('elsewhere-00001');
  expect(await traffic()).toEqual(['shop-00002 100']);
  const message =
    'manual traffic override by ann: Revision "elsewhere-00001" of the Knative Service "shop" was not found, and the traffic stays as it is';
  expect(await status()).toMatchObject({ phase: 'Paused', message });
  expect(await events()).toContainEqual(`TrafficOverrideNotPossible: ${message}`);
});

test('another writer of the traffic is corrected to the pinned Revision', async () => {
  await atRest();
  await override('shop-00001');
  const body = { spec: { traffic: [{ latestRevision: true, percent: 100 }] } };
  await ground.kube.patch(ground.ctx, serviceRef, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
  await ground.pass(120);
  expect(await traffic()).toEqual(['shop-00001 100', 'shop-00002 0']);
});

test('a record that cannot be read has no effect, and the Rollout says so', async () => {
  await atRest();
  await annotate('{"revision":"shop-00001","by":"ann\\nroot"}');
  expect(await traffic()).toEqual(['shop-00002 100']);
  expect(await status()).toMatchObject({ phase: 'Healthy' });
  expect((await status()).conditions).toContainEqual(
    expect.objectContaining({
      ...{ type: 'ManualTraffic', status: 'False', reason: 'TrafficOverrideInvalid' },
      message: expect.stringContaining('has no effect'),
    }),
  );
  await annotate(null);
  expect((await status()).conditions?.some(({ type }) => type === 'ManualTraffic')).toBe(false);
});

test('a template that names its Revisions: the pinned one is the stable one once Git names it again', async () => {
  const named = (version: number) => ({
    metadata: { name: `shop-v${version}` },
    ...template(`shop:${version}`),
  });
  const release = async (version: number) => {
    await ground.kube.patch(ground.ctx, serviceRef, {
      type: 'merge',
      body: { spec: { template: named(version) } },
    });
    await ground.pass();
  };
  await atRest({ steps: [{ setWeight: 20 }, { pause: {} }] });
  await release(3);
  await promoteFull();
  await release(4);
  await promoteFull();
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-v4' });
  await override('shop-v3');
  await release(3);
  expect(await status()).toMatchObject({ ...overridden, stableRS: 'shop-v3', currentPodHash: 'shop-v3' });
  await annotate(null);
  expect(await traffic()).toEqual(['shop-v3 100']);
  expect(await status()).toMatchObject({ phase: 'Healthy', stableRS: 'shop-v3' });
});

test('a candidate that a person pins is not promoted by that: its steps begin afterwards', async () => {
  await atRest();
  await deploy('shop:3');
  await override('shop-00003');
  expect(await traffic()).toEqual(['shop-00003 100', 'shop-00002 0']);
  await annotate(null);
  expect(await traffic()).toEqual(['shop-00002 80', 'shop-00003 20 candidate']);
});

test.each([0, 1, 2])(
  'a controller that dies after %i writes leaves a record that the next one carries out',
  async (writes) => {
    await atRest();
    await deploy('shop:3');
    await kill();
    const record = { revision: 'shop-00001', by: 'ann', at: '2026-01-01T00:00:00Z', reason: 'errors' };
    const annotations = { [manualTrafficAnnotation]: printManualTraffic(record) };
    await ground.kube.patch(ground.ctx, rolloutRef, { type: 'merge', body: { metadata: { annotations } } });
    const end = ground.start({ writes });
    await ground.pass();
    await end();
    ground.start();
    await ground.pass(20);
    expect(await traffic()).toEqual(['shop-00001 100', 'shop-00002 0']);
    expect(await status()).toMatchObject({ ...overridden, stableRS: 'shop-00002', currentStepIndex: 0 });
  },
);
