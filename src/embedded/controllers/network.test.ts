import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from './virtual-cluster.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const meta = (name: string, labels = {}) => ({ name, namespace: 'default', labels });
const pod = (name: string, annotations = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...meta(name, { app: 'web' }), annotations },
  spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }] },
});
const service = (spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta('web'),
  spec: { selector: { app: 'web' }, ports: [{ name: 'main', port: 80, targetPort: 'http' }], ...spec },
});
type Slice = KubeObject & {
  endpoints?: { addresses: string[]; conditions: { ready: boolean } }[];
  ports?: { port: number }[];
};
const slices = () =>
  stage.objects.list(
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
    { namespace: 'default' },
  ) as readonly Slice[];
const readiness = () =>
  slices()[0]
    ?.endpoints?.map(({ conditions }) => conditions.ready)
    .sort();

test('a service knows its pods and which of them are ready', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(service());
  await stage.create(pod('a'));
  await stage.create(pod('b', { 'simulate.fairlead.io/outcome': 'never-ready' }));
  await stage.clock.advance(300);
  expect(readiness()).toEqual([false, true]);
  expect(slices()[0]?.ports?.[0]?.port).toBe(8080);
  expect(slices()[0]?.metadata.labels).toMatchObject({ 'kubernetes.io/service-name': 'web' });
  const endpoints = stage.read<
    KubeObject & { subsets: { addresses: object[]; notReadyAddresses: object[] }[] }
  >({
    apiVersion: 'v1',
    kind: 'Endpoints',
    namespace: 'default',
    name: 'web',
  });
  expect(endpoints.subsets[0]?.addresses).toHaveLength(1);
  expect(endpoints.subsets[0]?.notReadyAddresses).toHaveLength(1);
  await stage.remove({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'a' });
  await stage.clock.advance(300);
  expect(readiness()).toEqual([false]);
});

test('a load balancer and an ingress get addresses', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(service({ type: 'LoadBalancer' }));
  const spec = { defaultBackend: { service: { name: 'web', port: { number: 80 } } } };
  await stage.create({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: meta('web'), spec });
  await stage.clock.advance(200);
  const ip = expect.stringMatching(/^192\.0\.2\.\d+$/);
  expect(
    stage.read<KubeObject>({ apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web' }).status,
  ).toEqual({
    loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] },
  });
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: 'default', name: 'web' };
  expect(stage.read<KubeObject>(ingress).status).toEqual({ loadBalancer: { ingress: [{ ip }] } });
});

test('a disruption budget counts', async () => {
  stage = await createStage({ store: memoryStore() });
  const spec = { minAvailable: 2, selector: { matchLabels: { app: 'web' } } };
  await stage.create({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: meta('web'), spec });
  await Promise.all(['a', 'b', 'c'].map((name) => stage.create(pod(name))));
  await stage.clock.advance(300);
  const ref = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'default', name: 'web' };
  expect(stage.read<KubeObject>(ref).status).toMatchObject({
    expectedPods: 3,
    currentHealthy: 3,
    desiredHealthy: 2,
    disruptionsAllowed: 1,
  });
});

test('an autoscaler keeps its target above the minimum', async () => {
  stage = await createStage({ store: memoryStore() });
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'w', image: 'w:1' }] },
  };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template };
  await stage.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('web'), spec });
  await stage.create({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: meta('web'),
    spec: {
      minReplicas: 2,
      maxReplicas: 4,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    },
  });
  await stage.clock.advance(500);
  const deployment = stage.read<KubeObject>({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'default',
    name: 'web',
  });
  expect(deployment.status).toMatchObject({ readyReplicas: 2 });
  expect(deployment.metadata.managedFields?.some(({ subresource }) => subresource === 'scale')).toBe(true);
  const ref = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    namespace: 'default',
    name: 'web',
  };
  expect(stage.read<KubeObject>(ref).status).toMatchObject({
    currentReplicas: 2,
    desiredReplicas: 2,
    conditions: [
      { type: 'AbleToScale', status: 'True' },
      { type: 'ScalingActive', status: 'True' },
      { type: 'ScalingLimited', status: 'True' },
    ],
  });
});

test('a claim is bound to a volume made for it, and takes it along when it goes', async () => {
  stage = await createStage({ store: memoryStore() });
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } };
  const made = await stage.create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('data'),
    spec,
  });
  await stage.create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('nowhere'),
    spec: { ...spec, storageClassName: 'missing' },
  });
  await stage.clock.advance(100);
  const ref = (name: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: 'default',
    name,
  });
  expect(stage.read<KubeObject>(ref('data')).status).toMatchObject({
    phase: 'Bound',
    capacity: { storage: '2Gi' },
  });
  expect(stage.read<KubeObject>(ref('nowhere')).status).toMatchObject({ phase: 'Pending' });
  const volumes = () => stage.objects.list({ apiVersion: 'v1', kind: 'PersistentVolume' });
  expect(volumes().map(({ metadata }) => metadata.name)).toEqual([`pvc-${made.metadata.uid}`]);
  await stage.remove(ref('data'));
  await stage.clock.advance(100);
  expect(stage.objects.get(ref('data'))).toBeUndefined();
  expect(volumes()).toEqual([]);
});
