import { afterEach, beforeEach, expect, test } from 'vitest';
import { type KubeObject, printTime } from '#base/model';
import { planAction, startAction } from '#engine';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../test/delivery-ground.ts';

// Vectors of the contract (docs/contract/rollouts.md §18) that need a cluster. Time is virtual.

let ground: DeliveryGround;
beforeEach(async () => {
  ground = await deliveryGround();
  ground.start();
});
afterEach(() => ground.stop());

const rollout = (strategy: object) =>
  ground.create('Rollout', 'web', {
    replicas: 5,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy,
  });
const update = () =>
  ground.patch({
    spec: {
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:2' }] },
      },
    },
  });
const status = async () => (await ground.rollout()).status ?? {};

test('vector 26, RW-9: a restart evicts five pods, and one that a budget protects once it may', async () => {
  await rollout({ canary: { maxUnavailable: 5 } });
  await ground.pass(10);
  const pods = async () =>
    (await ground.kube.list(ground.ctx, { apiVersion: 'v1', kind: 'Pod', namespace })).items.filter(
      ({ metadata }) => !metadata.deletionTimestamp,
    );
  const before = await pods();
  const [held] = before;
  await ground.kube.patch(
    ground.ctx,
    { apiVersion: 'v1', kind: 'Pod', namespace, name: held?.metadata.name ?? '' },
    { type: 'merge', body: { metadata: { labels: { held: 'yes' } } } },
  );
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace, name: 'held' };
  await ground.kube.create(ground.ctx, {
    ...{ apiVersion: budget.apiVersion, kind: budget.kind, metadata: { name: 'held', namespace } },
    spec: { minAvailable: 1, selector: { matchLabels: { held: 'yes' } } },
  } as KubeObject);
  await ground.pass(5);
  await ground.patch({ spec: { restartAt: printTime(ground.clock.now()) } });
  await ground.pass(120);
  const kept = (await pods()).filter(({ metadata }) =>
    before.some((pod) => pod.metadata.uid === metadata.uid),
  );
  expect(kept.map(({ metadata }) => metadata.name)).toEqual([held?.metadata.name]);
  expect((await status()).restartedAt).toBeUndefined();
  await ground.kube.delete(ground.ctx, budget);
  await ground.pass(120);
  const { restartedAt, phase } = await status();
  expect({ phase, isDone: restartedAt !== undefined }).toEqual({ phase: 'Healthy', isDone: true });
  expect((await pods()).some(({ metadata }) => metadata.uid === held?.metadata.uid)).toBe(false);
});

const canary = { canary: { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }, { pause: {} }] } };

/** Runs an action as the server does: what concerns the status is sent to it. */
async function act(name: string): Promise<void> {
  const live = (await ground.rollout()) as KubeObject;
  const started = startAction(live, { name, parameters: {}, now: ground.clock.now() });
  if (!('changes' in started)) throw new Error(`${name} is a script`);
  const ref = { apiVersion: live.apiVersion, kind: live.kind, namespace, name: 'web' };
  for (const step of planAction(live, started.changes)) {
    if (step.do === 'patch-status') {
      await ground.kube.patch(
        ground.ctx,
        { ...ref, subresource: 'status' },
        { type: 'merge', body: step.patch },
      );
      if (step.rest) await ground.kube.patch(ground.ctx, ref, { type: 'merge', body: step.rest });
    } else if (step.do === 'patch')
      await ground.kube.patch(ground.ctx, ref, { type: 'merge', body: step.patch });
  }
  await ground.pass(10);
}

test('vector 62: the actions of Argo CD on a Rollout do what their names say', async () => {
  await rollout(canary);
  await ground.pass(10);
  await update();
  await ground.pass(10);
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
  await act('resume');
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 3 });
  await act('abort');
  expect(await status()).toMatchObject({ phase: 'Degraded', abort: true });
  await act('retry');
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
  await act('promote-full');
  expect(await status()).toMatchObject({ phase: 'Healthy', currentStepIndex: 4 });
});
