import type { KubeObject } from '#base/model';
import type { Deployment } from '../deployment/view.ts';
import { deploymentKind, serviceKind } from '../kinds.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
} from '../simulation-context.ts';
import { isDeleting, ownedMeta, storedObject, writeStatus } from '../write.ts';
import { Conditions, livingSet } from './conditions.ts';
import { ensure } from './ensure.ts';
import { autoscaler, knative, label, serverlessServiceKind } from './kinds.ts';
import { childName } from './names.ts';
import type { PodAutoscaler, ServerlessService } from './view.ts';

const conditionSet = livingSet('EndpointsPopulated');
const notReady = 'K8s Service is not ready';

/** Creates or updates the ServerlessService of an autoscaler. */
export async function ensureServerless(
  context: SimulationContext,
  scaler: PodAutoscaler,
  numActivators: number,
): Promise<ServerlessService | undefined> {
  const { name, labels = {} } = scaler.metadata;
  const { 'autoscaling.knative.dev/metric': _metric, ...annotations } = scaler.metadata.annotations ?? {};
  const wanted = {
    ...serverlessServiceKind,
    metadata: ownedMeta(scaler, { name, labels, annotations }),
    spec: {
      mode: 'Proxy',
      numActivators,
      objectRef: { ...deploymentKind, name: scaler.spec?.scaleTargetRef?.name ?? '' },
      protocolType: scaler.spec?.protocolType ?? 'http1',
    },
  };
  return (await ensure(context, scaler, wanted, { by: autoscaler })) as ServerlessService | undefined;
}

export const revisionOf = (_context: SimulationContext, { object }: { object: KubeObject }) => {
  const name = object.metadata.labels?.[label.revision];
  return name === undefined ? [] : [{ namespace: object.metadata.namespace ?? '', name }];
};

/**
 * Creates two Services for a revision: the public one that clients use, and the private one that selects its pods.
 */
export const serverlessServiceController: Controller = {
  type: serverlessServiceKind,
  wakes: [{ type: deploymentKind, keys: revisionOf }],
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (isDeleting(object)) return undefined;
    const serverless = object as ServerlessService;
    const isNew = await bringUp(context, serverless);
    const conditions = new Conditions(conditionSet, serverless.status?.conditions, context.clock.now());
    judge(conditions, isNew, hasBackends(context, serverless));
    const { name, generation: observedGeneration } = serverless.metadata;
    const names = { serviceName: name, privateServiceName: privateName(serverless) };
    await writeStatus(
      context,
      serverless,
      { ...names, observedGeneration, conditions: conditions.list },
      knative,
    );
    return isNew ? { at: nowOf(context) } : undefined;
  },
};

/** compat cluster 5.6: requests go through the activator, so there are endpoints as soon as there is a pod. */
function judge(conditions: Conditions, isNew: boolean, isServed: boolean): void {
  if (isNew) {
    conditions.markUnknown('EndpointsPopulated', 'CreatingPublicService', notReady);
    return;
  }
  if (isServed) conditions.markTrue('EndpointsPopulated');
  else conditions.markUnknown('EndpointsPopulated', 'NoHealthyBackends', notReady);
  const proxied = 'ActivatorEndpointsPopulated';
  conditions.markTrue(proxied, proxied, 'Revision is backed by Activator');
}

function hasBackends(context: SimulationContext, serverless: ServerlessService): boolean {
  const { name = '' } = serverless.spec?.objectRef ?? {};
  const target = storedObject(context, deploymentKind, { ...keyOfObject(serverless), name }) as
    | Deployment
    | undefined;
  return (target?.status?.readyReplicas ?? 0) > 0;
}

const privateName = ({ metadata }: KubeObject): string => childName(metadata.name, '-private');

/** True when the Services did not exist. */
async function bringUp(context: SimulationContext, serverless: ServerlessService): Promise<boolean> {
  const missing = servicesFor(serverless).filter(
    (service) => !storedObject(context, serviceKind, keyOfObject(service)),
  );
  for (const service of missing) await context.objects.create(service, knative);
  return missing.length > 0;
}

const portsOf = ({ spec }: ServerlessService) => {
  const isHttp2 = spec?.protocolType === 'h2c';
  return {
    http: {
      name: isHttp2 ? 'http2' : 'http',
      port: isHttp2 ? 81 : 80,
      protocol: 'TCP',
      targetPort: isHttp2 ? 8013 : 8012,
      ...(isHttp2 && { appProtocol: 'kubernetes.io/h2c' }),
    },
    https: { name: 'https', port: 443, protocol: 'TCP', targetPort: 8112 },
  };
};

function servicesFor(serverless: ServerlessService): KubeObject[] {
  const { name, annotations = {} } = serverless.metadata;
  const { http, https } = portsOf(serverless);
  const meta = (own: string, type: string) =>
    ownedMeta(serverless, {
      name: own,
      labels: {
        ...serverless.metadata.labels,
        'networking.internal.knative.dev/serverlessservice': name,
        'networking.internal.knative.dev/serviceType': type,
      },
      annotations,
    });
  const metrics = ['http-autometric', 'http-usermetric'].map((port, index) => ({
    name: port,
    port: 9090 + index,
    protocol: 'TCP',
    targetPort: port,
  }));
  const { targetPort } = http;
  const direct = { name: `${http.name}-istio`, port: targetPort, protocol: 'TCP', targetPort };
  const selector = { [label.revisionUid]: serverless.metadata.labels?.[label.revisionUid] ?? '' };
  const ports = [{ ...http, port: 80 }, https, ...metrics, direct];
  return [
    { ...serviceKind, metadata: meta(privateName(serverless), 'Private'), spec: { ports, selector } },
    { ...serviceKind, metadata: meta(name, 'Public'), spec: { ports: [http, https] } },
  ];
}
