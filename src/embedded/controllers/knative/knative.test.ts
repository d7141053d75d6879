import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import { conditionTexts, helloOn, helloService, ref, type ServiceOptions } from './stage.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

const { ksvc, route, configuration, revision, deploy } = helloOn(() => stage);

async function start(options: ServiceOptions = {}): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.create(helloService(options));
  await stage.clock.advance(500);
}

test('a first deploy goes through the states that Knative goes through', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  const seen: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    const type = { apiVersion: 'serving.knative.dev/v1', kind: 'Service' };
    for await (const { object } of stage.objects.watch(type, { signal: stop.signal })) {
      const { Ready = '' } = conditionTexts(object);
      if (seen.at(-1) !== Ready) seen.push(Ready);
    }
  })();
  await stage.create(helloService());
  await stage.clock.advance(500);
  stop.abort();
  await watching;
  expect(seen).toEqual([
    '',
    'Unknown/OutOfDate',
    'Unknown/RevisionMissing',
    'Unknown/IngressNotConfigured',
    'True',
  ]);
});

test('a deployed service has an address, a revision, and everything is as observed', async () => {
  await start();
  expect(ksvc().status).toMatchObject({
    observedGeneration: 1,
    latestCreatedRevisionName: 'hello-00001',
    latestReadyRevisionName: 'hello-00001',
    url: 'http://hello.default.svc.cluster.local',
    address: { url: 'http://hello.default.svc.cluster.local' },
    traffic: [{ latestRevision: true, percent: 100, revisionName: 'hello-00001' }],
  });
  expect(conditionTexts(ksvc())).toEqual({ ConfigurationsReady: 'True', Ready: 'True', RoutesReady: 'True' });
  expect(conditionTexts(route())).toEqual({
    AllTrafficAssigned: 'True',
    CertificateProvisioned: 'True/TLSNotEnabled',
    IngressReady: 'True',
    Ready: 'True',
  });
  expect(conditionTexts(revision('hello-00001'))).toEqual({
    Active: 'True',
    ContainerHealthy: 'True',
    Ready: 'True',
    ResourcesAvailable: 'True',
  });
  expect(revision('hello-00001').status?.conditions?.find(({ type }) => type === 'Active')?.severity).toBe(
    'Info',
  );
});

test('the webhook’s defaults and signatures are there', async () => {
  await start();
  expect(ksvc().metadata.annotations).toMatchObject({
    'serving.knative.dev/creator': 'system:admin',
    'serving.knative.dev/lastModifier': 'system:admin',
  });
  expect(ksvc().spec).toMatchObject({
    template: { spec: { containerConcurrency: 0, timeoutSeconds: 300, enableServiceLinks: false } },
    traffic: [{ latestRevision: true, percent: 100 }],
  });
});

test('whoever applied a service can apply it again: what was filled in belongs to nobody', async () => {
  await start();
  const by = { manager: 'fairlead' };
  const apply = (image: string) => {
    const { metadata, ...rest } = helloService({ image });
    const body = { ...rest, metadata: { ...metadata, name: 'applied' } };
    return stage.objects.patch(ref('Service', 'applied'), { type: 'apply', body }, by);
  };
  await apply('ghcr.io/demo/hello:1');
  await stage.clock.advance(500);
  const again = await apply('ghcr.io/demo/hello:1');
  expect(again.metadata.generation).toBe(1);
  await apply('ghcr.io/demo/hello:2');
  await stage.clock.advance(500);
  const applied = stage.read<any>(ref('Service', 'applied'));
  expect(applied.status).toMatchObject({ observedGeneration: 2, latestReadyRevisionName: 'applied-00002' });
});

test('labels and annotations go where Knative puts them', async () => {
  await start({ annotations: { note: 'x', 'serving.knative.dev/rollout-duration': '10s' } });
  const { uid } = ksvc().metadata;
  expect(configuration().metadata.labels).toEqual({
    team: 'blue',
    'serving.knative.dev/service': 'hello',
    'serving.knative.dev/serviceUID': uid,
  });
  expect(configuration().metadata.annotations).toMatchObject({
    note: 'x',
    'serving.knative.dev/routes': 'hello',
  });
  expect(configuration().metadata.annotations).not.toHaveProperty('serving.knative.dev/rollout-duration');
  expect(route().metadata.labels).toEqual({ team: 'blue', 'serving.knative.dev/service': 'hello' });
  expect(route().metadata.annotations).toMatchObject({ 'serving.knative.dev/rollout-duration': '10s' });
  expect(route().metadata.finalizers).toEqual(['routes.serving.knative.dev']);
  expect(revision('hello-00001').metadata.labels).toEqual({
    'serving.knative.dev/configuration': 'hello',
    'serving.knative.dev/configurationGeneration': '1',
    'serving.knative.dev/configurationUID': configuration().metadata.uid,
    'serving.knative.dev/routingState': 'active',
    'serving.knative.dev/service': 'hello',
    'serving.knative.dev/serviceUID': uid,
  });
});

test('the deployment behind a revision runs it by digest, with a queue-proxy beside it', async () => {
  const container = {
    ports: [{ containerPort: 9000 }],
    livenessProbe: { httpGet: { path: '/live' } },
    readinessProbe: { httpGet: { path: '/ready' } },
    startupProbe: { httpGet: { path: '/start', port: 9000 } },
  };
  await start({ container });
  const deployment = stage.read<any>({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'default',
    name: 'hello-00001-deployment',
  });
  const [user, queue] = deployment.spec.template.spec.containers;
  expect(user.image).toMatch(/^ghcr\.io\/demo\/hello@sha256:/);
  expect(user.readinessProbe).toBeUndefined();
  expect(user.livenessProbe.httpGet.port).toBe(9000);
  expect(user.startupProbe.httpGet.port).toBe(9000);
  expect(user.ports).toEqual([{ containerPort: 9000, name: 'user-port', protocol: 'TCP' }]);
  expect(user.env).toEqual([
    { name: 'PORT', value: '9000' },
    { name: 'K_REVISION', value: 'hello-00001' },
    { name: 'K_CONFIGURATION', value: 'hello' },
    { name: 'K_SERVICE', value: 'hello' },
  ]);
  expect(queue.name).toBe('queue-proxy');
  expect(deployment.spec).toMatchObject({ progressDeadlineSeconds: 600, revisionHistoryLimit: 0 });
  expect(deployment.metadata.labels).toMatchObject({
    app: 'hello-00001',
    'serving.knative.dev/revision': 'hello-00001',
  });
});

test('a second revision takes the traffic, and the first is kept in reserve', async () => {
  await start();
  await deploy('ghcr.io/demo/hello:2');
  await stage.clock.advance(500);
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(ksvc().status).toMatchObject({
    latestReadyRevisionName: 'hello-00002',
    traffic: [{ latestRevision: true, percent: 100, revisionName: 'hello-00002' }],
  });
  expect(revision('hello-00001').metadata.labels?.['serving.knative.dev/routingState']).toBe('reserve');
  expect(revision('hello-00001').metadata.annotations).not.toHaveProperty('serving.knative.dev/routes');
  expect(revision('hello-00002').metadata.labels?.['serving.knative.dev/routingState']).toBe('active');
});

test('a second revision whose image is missing leaves the traffic where it was', async () => {
  await start();
  await deploy('ghcr.io/demo/image-pull-error:2');
  await stage.clock.advance(500);
  expect(conditionTexts(revision('hello-00002'))).toMatchObject({
    ContainerHealthy: 'False/ContainerMissing',
    Ready: 'False/ContainerMissing',
  });
  expect(conditionTexts(configuration())).toEqual({ Ready: 'False/RevisionFailed' });
  expect(conditionTexts(route()).Ready).toBe('True');
  expect(conditionTexts(ksvc())).toEqual({
    ConfigurationsReady: 'False/RevisionFailed',
    Ready: 'False/RevisionFailed',
    RoutesReady: 'True',
  });
  expect(ksvc().status).toMatchObject({
    latestCreatedRevisionName: 'hello-00002',
    latestReadyRevisionName: 'hello-00001',
    traffic: [{ percent: 100, revisionName: 'hello-00001' }],
  });
  const message = ksvc().status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  expect(message).toMatch(
    /^Revision "hello-00002" failed with message: Unable to fetch image ".*image-pull-error:2": .*\.$/,
  );
  await deploy('ghcr.io/demo/hello:3');
  await stage.clock.advance(500);
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(ksvc().status?.traffic?.[0]?.revisionName).toBe('hello-00003');
});

test('a first revision that crashes fails the service, route first', async () => {
  await start({ image: 'ghcr.io/demo/hello:crash-loop' });
  await stage.clock.advance(1000);
  expect(conditionTexts(revision('hello-00001'))).toMatchObject({
    ContainerHealthy: 'False/ExitCode1',
    Ready: 'False/ExitCode1',
  });
  expect(conditionTexts(route())).toMatchObject({
    AllTrafficAssigned: 'False/RevisionMissing',
    Ready: 'False/RevisionMissing',
  });
  expect(conditionTexts(ksvc())).toEqual({
    ConfigurationsReady: 'False/RevisionFailed',
    Ready: 'False/RevisionMissing',
    RoutesReady: 'False/RevisionMissing',
  });
  const message = revision('hello-00001').status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  expect(message).toBe('Container failed with: the simulated process exited with code 1');
});

test('a revision that cannot be placed says why', async () => {
  await start({ template: { annotations: { 'simulate.fairlead.io/outcome': 'unschedulable' } } });
  expect(conditionTexts(revision('hello-00001'))).toMatchObject({
    ResourcesAvailable: 'False/Unschedulable',
  });
});

test('a revision that never gets ready misses its deadline and is scaled away', async () => {
  const annotations = {
    'simulate.fairlead.io/outcome': 'never-ready',
    'serving.knative.dev/progress-deadline': '30s',
  };
  await start({ template: { annotations } });
  expect(conditionTexts(ksvc()).Ready).toBe('Unknown/RevisionMissing');
  await stage.clock.advance(45_000);
  expect(conditionTexts(revision('hello-00001')).Ready).toBe('False/ProgressDeadlineExceeded');
  expect(conditionTexts(ksvc()).Ready).toBe('False/RevisionMissing');
  const pods = stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' });
  expect(pods).toHaveLength(0);
});

test('a startup probe without a port is accepted, then breaks the deployment for ever', async () => {
  await start({ container: { startupProbe: { httpGet: { path: '/healthz' } } } });
  await stage.clock.advance(10_000);
  expect(conditionTexts(revision('hello-00001')).Ready).toBe('Unknown/Deploying');
  expect(conditionTexts(ksvc()).Ready).toBe('Unknown/RevisionMissing');
  const events = stage.objects.list({ apiVersion: 'v1', kind: 'Event' }, { namespace: 'default' }) as any[];
  expect(events.find(({ reason }) => reason === 'InternalError')?.message).toBe(
    'failed to create deployment "hello-00001-deployment": Deployment.apps "hello-00001-deployment" is invalid: ' +
      'spec.template.spec.containers[0].startupProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
  );
});

test('a name of one’s own is the revision’s name, and is not given twice', async () => {
  await start({ template: { name: 'hello-alpha' } });
  expect(conditionTexts(ksvc()).Ready).toBe('True');
  expect(ksvc().status?.latestReadyRevisionName).toBe('hello-alpha');
  await expect(deploy('ghcr.io/demo/hello:2')).rejects.toThrow('changes without a name change');
});

test('a name that another configuration has taken stops the service', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.clock.advance(1);
  const { spec } = helloService();
  const metadata = { name: 'hello-beta', namespace: 'default' };
  const { template } = spec;
  await stage.create({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Configuration',
    metadata,
    spec: { template },
  });
  await stage.clock.advance(500);
  await stage.create(helloService({ template: { name: 'hello-beta-00001' } }));
  await stage.clock.advance(500);
  expect(conditionTexts(configuration())).toEqual({ Ready: 'False/RevisionFailed' });
  expect(conditionTexts(ksvc())).toMatchObject({
    Ready: 'False/RevisionNameTaken',
    RoutesReady: 'False/RevisionNameTaken',
  });
});

test('without requests a revision goes to zero and stays ready, unless it must stay', async () => {
  await start({ template: { annotations: {} } });
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'default',
    name: 'hello-00001-deployment',
  };
  await stage.clock.advance(50_000);
  expect(stage.read<any>(deployment).spec.replicas).toBe(1);
  await stage.clock.advance(20_000);
  expect(stage.read<any>(deployment).spec.replicas).toBe(0);
  expect(conditionTexts(revision('hello-00001'))).toMatchObject({ Active: 'False/NoTraffic', Ready: 'True' });
  expect(conditionTexts(ksvc()).Ready).toBe('True');
});

test('a deleted service leaves nothing behind', async () => {
  await start();
  await stage.remove(ref('Service'));
  for (let turn = 0; turn < 5; turn++) {
    await stage.cluster.settled();
    await stage.clock.advance(500);
  }
  const kinds = [
    ['serving.knative.dev/v1', 'Route'],
    ['serving.knative.dev/v1', 'Configuration'],
    ['serving.knative.dev/v1', 'Revision'],
    ['networking.internal.knative.dev/v1alpha1', 'Ingress'],
    ['autoscaling.internal.knative.dev/v1alpha1', 'PodAutoscaler'],
    ['apps/v1', 'Deployment'],
    ['v1', 'Pod'],
  ] as const;
  for (const [apiVersion, kind] of kinds) {
    expect(stage.objects.list({ apiVersion, kind }, { namespace: 'default' })).toEqual([]);
  }
});

test('once ready, nothing more happens', async () => {
  await start();
  const before = stage.calls;
  await stage.clock.advance(30 * 60_000);
  expect(stage.calls).toBe(before);
});
