import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import { conditionTexts, helloOn, helloService, ref, type ServiceOptions } from './stage.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const { ksvc, route, revision, deploy } = helloOn(() => stage);

async function start(options: ServiceOptions = {}): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.create(helloService(options));
  await stage.clock.advance(500);
}

test('a declared split is kept, and tags have addresses', async () => {
  await start();
  await deploy('ghcr.io/demo/hello:2');
  await stage.clock.advance(500);
  const traffic = [
    { revisionName: 'hello-00001', percent: 90, tag: 'stable' },
    { latestRevision: true, percent: 10, tag: 'candidate' },
  ];
  await stage.patch(ref('Service'), { spec: { traffic } });
  await stage.clock.advance(500);
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(ksvc().status?.traffic).toEqual([
    {
      latestRevision: false,
      percent: 90,
      revisionName: 'hello-00001',
      tag: 'stable',
      url: 'http://stable-hello.default.svc.cluster.local',
    },
    {
      latestRevision: true,
      percent: 10,
      revisionName: 'hello-00002',
      tag: 'candidate',
      url: 'http://candidate-hello.default.svc.cluster.local',
    },
  ]);
  const names = () =>
    stage.objects
      .list(
        { apiVersion: 'v1', kind: 'Service' },
        { namespace: 'default', labelSelector: 'serving.knative.dev/route=hello' },
      )
      .map(({ metadata }) => metadata.name);
  expect(names()).toEqual(['candidate-hello', 'hello', 'stable-hello']);
  await stage.patch(ref('Service'), { spec: { traffic: [{ latestRevision: true, percent: 100 }] } });
  await stage.clock.advance(500);
  expect(names()).toEqual(['hello']);
  expect(ksvc().status?.traffic).toEqual([
    { latestRevision: true, percent: 100, revisionName: 'hello-00002' },
  ]);
});

test('traffic to a revision that does not exist', async () => {
  await start({ traffic: [{ revisionName: 'hello-nope', percent: 100 }] });
  expect(conditionTexts(ksvc())).toMatchObject({
    ConfigurationsReady: 'True',
    Ready: 'False/RevisionMissing',
  });
  const message = route().status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  expect(message).toBe('Revision "hello-nope" referenced in traffic not found.');
  expect(revision('hello-00001').metadata.labels?.['serving.knative.dev/routingState']).toBe('reserve');
});

test('a gradual rollout moves traffic step by step', async () => {
  await start({ annotations: { 'serving.knative.dev/rollout-duration': '20s' } });
  await deploy('ghcr.io/demo/hello:2');
  await stage.clock.advance(500);
  expect(conditionTexts(ksvc()).Ready).toBe('Unknown/RolloutInProgress');
  expect(ksvc().status?.traffic?.map(({ percent }) => percent)).toEqual([99, 1]);
  await stage.clock.advance(1000);
  expect(ksvc().status?.traffic?.map(({ percent }) => percent)).toEqual([94, 6]);
  const ingress = {
    apiVersion: 'networking.internal.knative.dev/v1alpha1',
    kind: 'Ingress',
    namespace: 'default',
    name: 'hello',
  };
  const state =
    stage.read<KubeObject>(ingress).metadata.annotations?.['networking.internal.knative.dev/rollout'];
  expect(state).toContain('"stepDuration":1000000000,"stepSize":5');
  await stage.clock.advance(20_000);
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(ksvc().status?.traffic).toEqual([
    { latestRevision: true, percent: 100, revisionName: 'hello-00002' },
  ]);
});

test.each([
  { setting: { 'rollout-duration': '30' }, gradual: true },
  { setting: { rolloutDuration: '30' }, gradual: true },
  { setting: { 'rollout-duration': '30' }, annotation: '0s', gradual: true },
  { setting: { 'rollout-duration': '30s' }, gradual: false },
  { setting: { 'rollout-duration': '-1' }, gradual: false },
])(
  'config-network counts whole seconds: $setting with $annotation',
  async ({ setting, annotation, gradual }) => {
    await start(annotation ? { annotations: { 'serving.knative.dev/rollout-duration': annotation } } : {});
    await configure('config-network', setting);
    await deploy('ghcr.io/demo/hello:2');
    await stage.clock.advance(500);
    expect(conditionTexts(ksvc()).Ready).toBe(gradual ? 'Unknown/RolloutInProgress' : 'True');
    await stage.clock.advance(40_000);
    expect(conditionTexts(ksvc()).Ready).toBe('True');
  },
);

test('the domain comes from the config map, and routes follow it', async () => {
  await start();
  await stage.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'knative-serving' } });
  const metadata = { name: 'config-domain', namespace: 'knative-serving' };
  await stage.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { _example: 'x', 'apps.example.org': '' },
  });
  await stage.clock.advance(500);
  expect(ksvc().status).toMatchObject({
    url: 'http://hello.default.apps.example.org',
    address: { url: 'http://hello.default.svc.cluster.local' },
  });
});

test('a domain mapping follows its service', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  const mapping = {
    apiVersion: 'serving.knative.dev/v1beta1',
    kind: 'DomainMapping',
    namespace: 'default',
    name: 'shop.example.org',
  };
  const { apiVersion, kind, namespace, name } = mapping;
  const spec = { ref: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'hello' } };
  await stage.create({ apiVersion, kind, metadata: { name, namespace }, spec });
  await stage.clock.advance(100);
  expect(conditionTexts(stage.read(mapping))).toMatchObject({ Ready: 'False/DomainAlreadyClaimed' });
  await stage.create({
    apiVersion: 'networking.internal.knative.dev/v1alpha1',
    kind: 'ClusterDomainClaim',
    metadata: { name },
    spec: { namespace },
  });
  await stage.clock.advance(100);
  expect(conditionTexts(stage.read(mapping))).toMatchObject({ Ready: 'False/ResolveFailed' });
  await stage.create(helloService());
  await stage.clock.advance(500);
  expect(conditionTexts(stage.read(mapping))).toMatchObject({ Ready: 'True' });
  expect(stage.read<any>(mapping).status.url).toBe('http://shop.example.org');
});

test('a domain mapping claims its domain where an administrator lets it, and lets go of it in the end', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  await configure('config-network', { 'autocreate-cluster-domain-claims': 'true' });
  await stage.create(helloService());
  const name = 'shop.example.org';
  const mapping = {
    apiVersion: 'serving.knative.dev/v1beta1',
    kind: 'DomainMapping',
    namespace: 'default',
    name,
  };
  const { apiVersion, kind, namespace } = mapping;
  const ref = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'hello' };
  const tls = { secretName: 'shop-tls' };
  await stage.create({ apiVersion, kind, metadata: { name, namespace }, spec: { ref, tls } });
  await stage.clock.advance(500);
  expect(conditionTexts(stage.read(mapping))).toMatchObject({
    CertificateProvisioned: 'True/TLSCertificateProvidedExternally',
    Ready: 'True',
  });
  expect(stage.read<any>(mapping).status.url).toBe('https://shop.example.org');
  const claim = { apiVersion: 'networking.internal.knative.dev/v1alpha1', kind: 'ClusterDomainClaim', name };
  expect(stage.read<any>(claim).spec.namespace).toBe('default');
  await stage.remove(mapping);
  await stage.clock.advance(100);
  expect(stage.objects.get(claim)).toBeUndefined();
});

test('of several domains a route gets the one that asks for most of its labels', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  const data = { 'plain.example.org': '', 'blue.example.org': 'selector:\n  team: blue\n' };
  await configure('config-domain', { ...data, 'red.example.org': 'selector:\n  team: red\n' });
  await stage.create(helloService());
  await stage.clock.advance(500);
  expect(ksvc().status?.url).toBe('http://hello.default.blue.example.org');
});

async function configure(name: string, data: Record<string, string>): Promise<void> {
  const namespace = 'knative-serving';
  const found = stage.objects.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  if (!found) await stage.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await stage.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
}
