import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import { conditionTexts, helloOn, helloService } from './stage.ts';

let stage: VirtualCluster;
const { ksvc, revision, deploy } = helloOn(() => stage);

afterEach(() => stage.stop());

async function start(annotations: Record<string, string>, config?: Record<string, string>): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  const namespace = 'knative-serving';
  await stage.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  if (config) {
    const [[name = '', data] = []] = Object.entries({ 'config-autoscaler': config });
    await stage.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
  }
  await stage.create(helloService({ template: { annotations } }));
  await stage.clock.advance(500);
}

const scaling = (name: string, value: string) => ({ [`autoscaling.knative.dev/${name}`]: value });
const at = (apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  namespace: 'default',
  name,
});
const replicas = (name = 'hello-00001'): number =>
  stage.read<any>(at('apps/v1', 'Deployment', `${name}-deployment`)).spec.replicas;
const scaler = () =>
  stage.read<any>(at('autoscaling.internal.knative.dev/v1alpha1', 'PodAutoscaler', 'hello-00001'));

test('a revision begins with one pod and is scaled to its least', async () => {
  await start(scaling('min-scale', '3'));
  expect(replicas()).toBe(3);
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(revision('hello-00001').status).toMatchObject({ actualReplicas: 3, desiredReplicas: 3 });
  await stage.clock.advance(10 * 60_000);
  expect(replicas()).toBe(3);
});

test('a revision must reach its initial scale, and then may do with less', async () => {
  await start({ ...scaling('initial-scale', '2'), ...scaling('max-scale', '2') });
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(replicas()).toBe(1);
});

test('the window of a revision decides when it is idle', async () => {
  await start(scaling('window', '5m'));
  await stage.clock.advance(4 * 60_000);
  expect(replicas()).toBe(1);
  await stage.clock.advance(2 * 60_000);
  expect(replicas()).toBe(0);
  expect(conditionTexts(scaler())).toMatchObject({
    Active: 'False/NoTraffic',
    ScaleTargetInitialized: 'True',
  });
  expect(conditionTexts(ksvc()).Ready).toBe('True');
});

test('the last pod is kept for as long as asked', async () => {
  await start(scaling('scale-to-zero-pod-retention-period', '10m'));
  await stage.clock.advance(5 * 60_000);
  expect(conditionTexts(scaler()).Active).toBe('False/NoTraffic');
  expect(replicas()).toBe(1);
  await stage.clock.advance(7 * 60_000);
  expect(replicas()).toBe(0);
});

test('an administrator may keep every revision from going to zero', async () => {
  await start({}, { 'enable-scale-to-zero': 'false' });
  await stage.clock.advance(60 * 60_000);
  expect(replicas()).toBe(1);
});

test('a revision that begins with no pod is ready at once', async () => {
  await start(scaling('initial-scale', '0'), { 'allow-zero-initial-scale': 'true' });
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(replicas()).toBe(0);
  expect(conditionTexts(revision('hello-00001')).Active).toBe('False/NoTraffic');
});

test('what nothing points to any more need not keep its least', async () => {
  await start(scaling('min-scale', '2'));
  await deploy('ghcr.io/demo/hello:2');
  await stage.clock.advance(3 * 60_000);
  expect(replicas('hello-00001')).toBe(0);
  expect(replicas('hello-00002')).toBe(2);
});
