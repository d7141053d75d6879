import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../test/delivery-ground.ts';

// compat rollouts RT-2: a Service that no Rollout manages any more selects all pods of the application again. Time is virtual.

let ground: DeliveryGround;
beforeEach(async () => {
  ground = await deliveryGround();
});
afterEach(() => ground.stop());

const hash = 'rollouts-pod-template-hash';
const managedBy = 'argo-rollouts.argoproj.io/managed-by-rollouts';
const instance = { 'argo-rollouts.argoproj.io/controller-instance-id': 'another' };

const service = (name: string) =>
  ground.kube.create(ground.ctx, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  } as KubeObject);
const blueGreen = (activeService: string, metadata: object = {}) =>
  ground.create(
    'Rollout',
    'web',
    {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:1' }] },
      },
      strategy: { blueGreen: { activeService } },
    },
    { metadata: { name: 'web', namespace, ...metadata } },
  );
const serve = { apiVersion: 'v1', kind: 'Service', namespace };
const rolloutRef = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name: 'web' };

/** Whether the Service has the hash and the mark of a Rollout. */
async function held(name: string): Promise<[boolean, boolean]> {
  const { metadata, spec } = await ground.kube.get(ground.ctx, { ...serve, name });
  const { selector = {} } = spec as { selector?: Record<string, string> };
  return [hash in selector, managedBy in (metadata.annotations ?? {})];
}

/** Runs a Rollout with the Service `a`, and stops the controllers. */
async function managed(): Promise<void> {
  for (const name of ['a', 'b']) await service(name);
  await blueGreen('a');
  const stop = ground.start();
  await ground.pass(5);
  expect(await held('a')).toEqual([true, true]);
  await stop();
}

test('a Service whose Rollout was deleted while no controller ran is released at the next start', async () => {
  await managed();
  await ground.kube.delete(ground.ctx, rolloutRef, { propagationPolicy: 'Background' });
  ground.start();
  await ground.pass(5);
  expect(await held('a')).toEqual([false, false]);
});

test.each(['stopped', 'running'])(
  'a Service that its Rollout names no more is released (controllers %s)',
  async (state) => {
    await managed();
    if (state === 'running') ground.start();
    await ground.pass(5);
    await ground.patch({ spec: { strategy: { blueGreen: { activeService: 'b' } } } });
    if (state === 'stopped') ground.start();
    await ground.pass(5);
    expect([await held('a'), await held('b')]).toEqual([
      [false, false],
      [true, true],
    ]);
  },
);

test('a Service is kept while its Rollout has an error: nothing else is touched', async () => {
  await managed();
  ground.start();
  await ground.patch({ spec: { strategy: { blueGreen: { activeService: 'missing' } } } });
  await ground.pass(5);
  expect((await ground.rollout()).status?.message).toContain('service "missing" not found');
  expect(await held('a')).toEqual([true, true]);
});

test('RC-5: the Service of a Rollout of another controller is left to that', async () => {
  await managed();
  await ground.patch({
    metadata: { labels: instance },
    spec: { strategy: { blueGreen: { activeService: 'b' } } },
  });
  ground.start();
  await ground.pass(5);
  expect(await held('a')).toEqual([true, true]);
});

test('vector 37: a Rollout whose Service belongs to another recovers as soon as that is removed', async () => {
  await managed();
  const mark = (name: string | null) =>
    ground.kube.patch(
      ground.ctx,
      { ...serve, name: 'a' },
      { type: 'merge', body: { metadata: { annotations: { [managedBy]: name } } } },
    );
  await mark('other');
  await ground.create('Rollout', 'other', { strategy: { blueGreen: { activeService: 'a' } } });
  await ground.patch({ metadata: { annotations: { touched: 'yes' } } });
  ground.start();
  await ground.pass(2);
  expect((await ground.rollout()).status?.message).toContain('managed by another Rollout');
  await mark(null);
  await ground.pass(1);
  expect((await ground.rollout()).status?.phase).toBe('Healthy');
});
