import { type KubeObject, parseTime } from '#model';
import type { Deployment } from '../deployment/view.ts';
import { deploymentKind, serviceKind } from '../kinds.ts';
import { type Again, type Controller, keyOfObject, nowOf, refOf, type World } from '../world.ts';
import { isDeleting, look, ownedMeta, writeStatus } from '../write.ts';
import { Conditions, livingSet } from './conditions.ts';
import { ensure } from './ensure.ts';
import { knative, label, podAutoscalerKind, serverlessServiceKind } from './kinds.ts';
import { childName } from './names.ts';
import { initialScaleOf, minScaleOf, progressDeadlineOf } from './revision-deployment.ts';
import type { PodAutoscaler } from './view.ts';

const conditionSet = livingSet('Active', 'SKSReady', 'ScaleTargetInitialized');
const serverlessSet = livingSet('EndpointsPopulated');
const autoscaler = { manager: 'autoscaler' };

/** Decides how many pods a revision has. Nobody sends requests here, so what may go to zero does after a while. */
export const podAutoscalerController: Controller = {
  type: podAutoscalerKind,
  wakes: [{ type: deploymentKind, keys: scaledBy }],
  async reconcile(world, object): Promise<Again | undefined> {
    if (isDeleting(object)) return undefined;
    const scaler = object as PodAutoscaler;
    const name = scaler.spec?.scaleTargetRef?.name ?? '';
    const deployment = look(world, deploymentKind, { ...keyOfObject(scaler), name }) as
      | Deployment
      | undefined;
    const isServed = await bringUpServices(world, scaler, deployment);
    const conditions = new Conditions(conditionSet, scaler.status?.conditions, world.clock.now());
    followServices(conditions, isServed);
    const { fields, again, scale } = judge(world, scaler, deployment, conditions);
    const { generation: observedGeneration } = scaler.metadata;
    const names = { serviceName: scaler.metadata.name, metricsServiceName: privateName(scaler) };
    const status = { ...scaler.status, ...fields, ...names, observedGeneration, conditions: conditions.list };
    await writeStatus(world, scaler, status, knative);
    if (deployment && scale !== undefined) await setScale(world, deployment, scale);
    return again;
  },
};

function scaledBy(_world: World, { object }: { object: KubeObject }) {
  const name = object.metadata.labels?.[label.revision];
  return name === undefined ? [] : [{ namespace: object.metadata.namespace ?? '', name }];
}

const privateName = ({ metadata }: KubeObject): string => childName(metadata.name, '-private');

async function setScale(world: World, deployment: Deployment, replicas: number): Promise<void> {
  if (deployment.spec?.replicas === replicas) return;
  const body = { spec: { replicas } };
  await world.objects.patch(refOf(deployment), { type: 'merge', body }, autoscaler);
}

type Judgement = { readonly fields: object; readonly again?: Again | undefined; readonly scale?: number };

function judge(
  world: World,
  scaler: PodAutoscaler,
  deployment: Deployment | undefined,
  conditions: Conditions,
): Judgement {
  const ready = deployment?.status?.readyReplicas ?? 0;
  const least = scaler.spec?.reachability === 'Unreachable' ? 0 : minScaleOf(scaler.metadata.annotations);
  const isInitialized = conditions.is('ScaleTargetInitialized', 'True');
  const goal = isInitialized ? Math.max(1, least) : initialScaleOf(scaler);
  const wanted = deployment?.spec?.replicas ?? 0;
  if (isInitialized && wanted === 0 && least === 0) return atRest(conditions, ready);
  if (ready < goal)
    return comingUp(world, scaler, conditions, { ready, wanted: Math.max(wanted, goal), isInitialized });
  conditions.markTrue('Active');
  conditions.markTrue('ScaleTargetInitialized');
  const fields = { desiredScale: Math.max(goal, least), actualScale: ready };
  return { fields, ...idling(world, conditions, least), ...(wanted < goal && { scale: goal }) };
}

const queued = 'Requests to the target are being buffered as resources are provisioned.';

type Rise = { readonly ready: number; readonly wanted: number; readonly isInitialized: boolean };

function comingUp(
  world: World,
  scaler: PodAutoscaler,
  conditions: Conditions,
  { ready, wanted, isInitialized }: Rise,
): Judgement {
  const fields = { desiredScale: isInitialized ? wanted : -1, actualScale: ready };
  const patience = progressDeadlineOf(scaler) * 1000;
  const end = (parseTime(scaler.metadata.creationTimestamp) ?? nowOf(world)) + patience;
  if (!isInitialized && nowOf(world) >= end) {
    conditions.markFalse('Active', 'TimedOut', 'The target could not be activated.');
    return { fields: { desiredScale: 0, actualScale: ready }, scale: 0 };
  }
  if (ready > 0) conditions.markTrue('Active');
  else conditions.markUnknown('Active', 'Queued', queued);
  return { fields, scale: wanted, again: isInitialized ? undefined : { at: end } };
}

/** compat 5.6: after a quiet minute and its grace, a revision that need not stay goes to zero. */
function idling(world: World, conditions: Conditions, least: number): Pick<Judgement, 'again' | 'scale'> {
  const { knativeIdleMs } = world.settings;
  if (least > 0 || !Number.isFinite(knativeIdleMs)) return {};
  const since = parseTime(conditions.get('Active')?.lastTransitionTime) ?? nowOf(world);
  const at = since + knativeIdleMs;
  return nowOf(world) < at ? { again: { at } } : { scale: 0 };
}

function atRest(conditions: Conditions, ready: number): Judgement {
  conditions.markFalse('Active', 'NoTraffic', 'The target is not receiving traffic.');
  return { fields: { desiredScale: 0, actualScale: ready } };
}

const servicePorts = (scaler: PodAutoscaler) => {
  const isHttp2 = scaler.spec?.protocolType === 'h2c';
  return {
    http: {
      name: isHttp2 ? 'http2' : 'http',
      port: isHttp2 ? 81 : 80,
      protocol: 'TCP',
      targetPort: isHttp2 ? 8013 : 8012,
    },
    https: { name: 'https', port: 443, protocol: 'TCP', targetPort: 8112 },
  };
};

/** The ServerlessService and the two Services behind it; false until something answers. */
async function bringUpServices(
  world: World,
  scaler: PodAutoscaler,
  deployment: Deployment | undefined,
): Promise<boolean> {
  const { name, labels = {} } = scaler.metadata;
  const { 'autoscaling.knative.dev/metric': _metric, ...annotations } = scaler.metadata.annotations ?? {};
  const wanted = {
    ...serverlessServiceKind,
    metadata: ownedMeta(scaler, { name, labels, annotations }),
    spec: {
      mode: 'Proxy',
      numActivators: 2,
      objectRef: { ...deploymentKind, name: scaler.spec?.scaleTargetRef?.name ?? '' },
      protocolType: scaler.spec?.protocolType ?? 'http1',
    },
  };
  const serverless = await ensure(world, scaler, wanted);
  if (!serverless) return false;
  await Promise.all(servicesFor(serverless, scaler).map((service) => ensureService(world, service)));
  const hasBackends = (deployment?.status?.readyReplicas ?? 0) > 0;
  await reportServerless(world, serverless, hasBackends);
  return hasBackends;
}

async function ensureService(world: World, service: KubeObject): Promise<void> {
  if (!look(world, serviceKind, keyOfObject(service))) await world.objects.create(service, knative);
}

function servicesFor(serverless: KubeObject, scaler: PodAutoscaler): KubeObject[] {
  const { name, annotations = {} } = serverless.metadata;
  const { http, https } = servicePorts(scaler);
  const labels = (type: string) => ({
    ...serverless.metadata.labels,
    'networking.internal.knative.dev/serverlessservice': name,
    'networking.internal.knative.dev/serviceType': type,
  });
  const metrics = ['http-autometric', 'http-usermetric'].map((port, index) => ({
    name: port,
    port: 9090 + index,
    protocol: 'TCP',
    targetPort: port,
  }));
  const direct = { name: 'http-istio', port: http.targetPort, protocol: 'TCP', targetPort: http.targetPort };
  const selector = { [label.revisionUid]: serverless.metadata.labels?.[label.revisionUid] ?? '' };
  return [
    {
      ...serviceKind,
      metadata: ownedMeta(serverless, { name, labels: labels('Public'), annotations }),
      spec: { ports: [http, https] },
    },
    {
      ...serviceKind,
      metadata: ownedMeta(serverless, {
        name: privateName(serverless),
        labels: labels('Private'),
        annotations,
      }),
      spec: { ports: [{ ...http, port: 80 }, https, ...metrics, direct], selector },
    },
  ];
}

async function reportServerless(world: World, serverless: KubeObject, hasBackends: boolean): Promise<void> {
  const before = serverless.status as { conditions?: [] } | undefined;
  const conditions = new Conditions(serverlessSet, before?.conditions, world.clock.now());
  if (hasBackends) conditions.markTrue('EndpointsPopulated');
  else conditions.markUnknown('EndpointsPopulated', 'NoHealthyBackends', 'K8s Service is not ready');
  conditions.markTrue(
    'ActivatorEndpointsPopulated',
    'ActivatorEndpointsPopulated',
    'Revision is backed by Activator',
  );
  const { name, generation: observedGeneration } = serverless.metadata;
  const names = { serviceName: name, privateServiceName: privateName(serverless) };
  await writeStatus(
    world,
    serverless,
    { ...names, observedGeneration, conditions: conditions.list },
    knative,
  );
}

function followServices(conditions: Conditions, isServed: boolean): void {
  if (isServed || conditions.is('ScaleTargetInitialized', 'True')) conditions.markTrue('SKSReady');
  else conditions.markUnknown('SKSReady', 'NotReady', 'K8s Service is not ready');
}
