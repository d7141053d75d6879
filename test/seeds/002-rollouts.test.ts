import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type DeliveryGround, deliveryGround } from '../delivery-ground.ts';
import { type PrometheusServer, prometheusServer } from '../prometheus-server.ts';
import { manifest, manifests } from './documents.ts';

// "Argo Rollouts: Progressive Delivery" of the second document, as it stands but for the hosts of Prometheus and of the preview, and with the
// Ingress that its canary names (compat rollouts RM-5). Every example ends in its automatic rollback. Time is virtual.

const namespace = 'my-app';
let ground: DeliveryGround;
let prometheus: PrometheusServer;
let preview: Server;
/** What the preview answers: the status of its health page. */
let health = 200;

beforeEach(async () => {
  health = 200;
  prometheus = await prometheusServer('0.99');
  preview = createServer((_request, response) => response.writeHead(health).end('ok'));
  await new Promise<void>((resolve) => preview.listen(0, '127.0.0.1', resolve));
  ground = await deliveryGround();
  ground.start();
  await ground.kube.create(ground.ctx, {
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  } as KubeObject);
});
afterEach(async () => {
  await ground.stop();
  await prometheus.close();
  await new Promise((resolve) => preview.close(resolve));
});

/** Applies the objects of a file, with our hosts in the place of theirs. */
async function apply(...files: string[]): Promise<void> {
  const { port } = preview.address() as AddressInfo;
  for (const object of files.flatMap((file) => manifests(`002/${file}`))) {
    const text = JSON.stringify(object)
      .replaceAll('http://prometheus.monitoring:9090', prometheus.url)
      .replaceAll('http://my-app-preview.my-app.svc.cluster.local', `http://127.0.0.1:${port}`);
    const { metadata, ...rest } = JSON.parse(text) as KubeObject;
    const placed = { ...rest, metadata: { ...metadata, namespace } };
    await ground.kube.apply(ground.ctx, placed, { fieldManager: 'kubectl', force: true });
  }
}

const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'my-app-ingress', namespace },
  spec: {
    rules: [
      {
        host: 'my-app.example.com',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: 'my-app-stable', port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
};
const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name: 'my-app' };
const status = async () =>
  ((await ground.kube.get(ground.ctx, ref)) as KubeObject<unknown, Record<string, unknown>>).status ?? {};
const update = async () => {
  const { spec } = manifest<KubeObject<{ template: object }>>('002/rollout-canary.yaml');
  const template = JSON.parse(JSON.stringify(spec?.template).replace('v2.0.0', 'v3.0.0'));
  await ground.kube.patch(ground.ctx, ref, { type: 'merge', body: { spec: { template } } });
};
const weight = async (): Promise<string | undefined> => {
  const at = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    namespace,
    name: 'my-app-my-app-ingress-canary',
  };
  const found = await ground.kube.find(ground.ctx, at);
  return found?.metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'];
};
const selected = async (name: string): Promise<unknown> =>
  (
    (await ground.kube.get(ground.ctx, {
      apiVersion: 'v1',
      kind: 'Service',
      namespace,
      name,
    })) as KubeObject<{
      selector: Record<string, string>;
    }>
  ).spec?.selector['rollouts-pod-template-hash'];

async function canary(): Promise<void> {
  await ground.kube.create(ground.ctx, ingress as KubeObject);
  await apply('analysis-success-rate.yaml', 'analysis-latency.yaml', 'rollout-canary.yaml');
  await ground.pass(30);
  expect(await status()).toMatchObject({ phase: 'Healthy', availableReplicas: 5 });
}

test('the detailed canary rolls itself back when the success rate drops in its second analysis', async () => {
  await canary();
  const stable = (await status()).stableRS;
  await update();
  await ground.pass(60);
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
  expect(await weight()).toBe('10');
  // five minutes of pause, then five measurements, one a minute
  await ground.pass(10 * 60);
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 4 });
  expect(await weight()).toBe('30');
  prometheus.answer('0.5');
  await ground.pass(10 * 60);
  expect(await status()).toMatchObject({
    phase: 'Degraded',
    stableRS: stable,
    message: expect.stringContaining(
      'Metric "success-rate" assessed Failed due to failed (3) > failureLimit (2); value [0.5], successCondition ',
    ),
  });
  expect(await weight()).toBe('0');
  expect(await selected('my-app-canary')).toBe(stable);
});

test('RM-1: a good canary takes 25 minutes of pauses, waits for a person and is promoted by hand', async () => {
  await canary();
  await update();
  await ground.pass(60 * 60);
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 9 });
  expect(await weight()).toBe('100');
  await ground.kube.patch(
    ground.ctx,
    { ...ref, subresource: 'status' },
    { type: 'merge', body: { status: { pauseConditions: null } } },
  );
  await ground.pass(60);
  expect(await status()).toMatchObject({ phase: 'Healthy' });
  expect(await weight()).toBe('0');
});

async function blueGreen(): Promise<void> {
  await apply('analysis-success-rate.yaml', 'analysis-smoke-test.yaml', 'rollout-blue-green.yaml');
  await ground.pass(30);
  expect(await status()).toMatchObject({ phase: 'Healthy' });
}

test('the blue-green example does not switch when its smoke test fails', async () => {
  await blueGreen();
  const stable = (await status()).stableRS;
  health = 500;
  await update();
  await ground.pass(120);
  expect(await status()).toMatchObject({ phase: 'Degraded', stableRS: stable });
  expect(await selected('my-app-active')).toBe(stable);
});

test('the blue-green example switches back when the success rate drops after the promotion', async () => {
  await blueGreen();
  const stable = (await status()).stableRS;
  await update();
  await ground.pass(60);
  expect(await status()).toMatchObject({ phase: 'Paused', message: 'BlueGreenPause' });
  prometheus.answer('0.5');
  await ground.kube.patch(
    ground.ctx,
    { ...ref, subresource: 'status' },
    { type: 'merge', body: { status: { pauseConditions: null } } },
  );
  await ground.pass(10);
  expect(await selected('my-app-active')).not.toBe(stable);
  await ground.pass(5 * 60);
  expect(await status()).toMatchObject({
    phase: 'Degraded',
    stableRS: stable,
    message: expect.stringContaining('post-promotion analysis'),
  });
  expect(await selected('my-app-active')).toBe(stable);
});
