import { type KubeObject, printSelector } from '#base/model';
import { equal } from '#base/std';
import type { StoredEvent } from '#embedded/apiserver';
import type { JsonObject } from '#kubernetes/schema';
import { endpointSliceKind, endpointsKind, podKind, serviceKind } from './kinds.ts';
import { isReady, type Pod, phaseOf } from './pod/view.ts';
import { SelectorIndex } from './selector-index.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
} from './simulation-context.ts';
import {
  change,
  controlled,
  controllerManager,
  isDeleting,
  ownedMeta,
  storedObject,
  writeStatus,
} from './write.ts';

type Service = KubeObject<
  {
    readonly type?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
    readonly clusterIP?: string;
  },
  { readonly loadBalancer?: { readonly ingress?: readonly object[] } }
>;
type ServicePort = {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
  readonly appProtocol?: string;
};

/** Publishes the endpoints of a Service, and assigns a load balancer address to it if its type requires one. */
export function createServiceController(): Controller {
  const index = new SelectorIndex();
  const known = (context: SimulationContext, { object }: StoredEvent) => {
    // the old selector stays in the index until the service's own pass
    if (object.kind === 'Service') index.put(keyOfObject(object), (object as Service).spec?.selector);
    return object.kind === 'Service' ? [] : index.selecting(object, context);
  };
  return {
    type: serviceKind,
    wakes: [
      { type: serviceKind, keys: known },
      { type: podKind, keys: known },
    ],
    gone: (_context, key) => index.drop(key),
    async reconcile(context, object): Promise<NextPass | undefined> {
      const service = object as Service;
      if (isDeleting(service)) return undefined;
      if (service.spec?.selector && service.spec.type !== 'ExternalName') await publish(context, service);
      return service.spec?.type === 'LoadBalancer' ? giveAddress(context, service) : undefined;
    },
  };
}

type Backend = { readonly pod: Pod; readonly ip: string; readonly ready: boolean };

function backendsOf(context: SimulationContext, service: Service): Backend[] {
  const { selector = {}, publishNotReadyAddresses } = service.spec ?? {};
  const labelSelector = printSelector(
    Object.entries(selector).map(([key, value]) => ({ key, operator: '=' as const, values: [value] })),
  );
  const { namespace } = keyOfObject(service);
  return (context.objects.list(podKind, { namespace, labelSelector }) as readonly Pod[])
    .filter((pod) => pod.status?.podIP !== undefined && !['Succeeded', 'Failed'].includes(phaseOf(pod)))
    .map((pod) => ({
      pod,
      ip: pod.status?.podIP ?? '',
      ready: publishNotReadyAddresses === true || (isReady(pod) && !isDeleting(pod)),
    }));
}

async function publish(context: SimulationContext, service: Service): Promise<void> {
  const backends = backendsOf(context, service);
  await publishSlice(context, service, backends);
  await publishEndpoints(context, service, backends);
}

const targetRef = ({ metadata }: Pod): JsonObject => {
  const { name, namespace, uid } = metadata;
  return { kind: 'Pod', name, namespace, uid };
};

/** The number of a named port in the first pod that has it; undefined when none has. */
function portOf({ targetPort, port = 0 }: ServicePort, backends: readonly Backend[]): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  if (targetPort === undefined) return port;
  return backends
    .flatMap(({ pod }) => pod.spec?.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .find(({ name }) => name === targetPort)?.containerPort;
}

/** compat cluster 5.5: a service without backends has no ports; a name that no pod has is left out. */
const portsFor = ({ spec }: Service, backends: readonly Backend[]): JsonObject[] =>
  backends.length === 0
    ? []
    : (spec?.ports ?? []).flatMap(({ name = '', protocol = 'TCP', appProtocol, ...rest }) => {
        const port = portOf(rest, backends);
        return port === undefined ? [] : [{ name, protocol, port, ...(appProtocol && { appProtocol }) }];
      });

/** compat cluster 5.5: a pod whose subdomain is this service is published with its hostname. */
function hostnameIn({ metadata }: Service, { spec }: Pod): { hostname?: string } {
  const { hostname, subdomain } = spec ?? {};
  return hostname !== undefined && subdomain === metadata.name ? { hostname } : {};
}

/** compat cluster 5.5: endpoints and slices have the service's labels. */
const labelsFor = ({ metadata, spec }: Service, own: Record<string, string>): Record<string, string> => ({
  ...metadata.labels,
  ...own,
  ...(spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
});

/** compat cluster 5.5: one slice per service is enough here. */
async function publishSlice(
  context: SimulationContext,
  service: Service,
  backends: readonly Backend[],
): Promise<void> {
  const { name, namespace } = service.metadata;
  const isAll = service.spec?.publishNotReadyAddresses === true;
  const endpoints = backends.map(({ pod, ip, ready }) => ({
    addresses: [ip],
    conditions: { ready, serving: isAll || isReady(pod), terminating: isDeleting(pod) },
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: targetRef(pod),
    ...hostnameIn(service, pod),
  }));
  const ports = portsFor(service, backends);
  const labels = labelsFor(service, {
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    'kubernetes.io/service-name': name,
  });
  const [live] = controlled(context, service, endpointSliceKind);
  if (live) {
    const found = endpoints.length > 0 ? { endpoints, ports } : { endpoints: null, ports: null };
    await change(context, live, { ...found, ...relabelled(live, labels) });
    return;
  }
  const slice = {
    ...endpointSliceKind,
    metadata: ownedMeta(service, {
      name: `${name}-${context.chance.suffix(`slice ${namespace}/${name}/${service.metadata.uid}`, 5)}`,
      generateName: `${name}-`,
      labels,
    }),
    addressType: 'IPv4',
    ...(endpoints.length > 0 && { endpoints, ports }),
  };
  await context.objects.create(slice as KubeObject, controllerManager);
}

/** The patch that leaves exactly these labels. */
function relabelled({ metadata }: KubeObject, labels: Record<string, string>): JsonObject {
  const gone = Object.keys(metadata.labels ?? {}).filter((name) => !Object.hasOwn(labels, name));
  return { metadata: { labels: { ...labels, ...Object.fromEntries(gone.map((name) => [name, null])) } } };
}

async function publishEndpoints(
  context: SimulationContext,
  service: Service,
  every: readonly Backend[],
): Promise<void> {
  // compat cluster 5.5: Endpoints leave out terminating pods
  const isShown = ({ pod }: Backend) => service.spec?.publishNotReadyAddresses === true || !isDeleting(pod);
  const backends = every.filter(isShown);
  const ports = portsFor(service, backends);
  const addresses = (ready: boolean) =>
    backends
      .filter((one) => one.ready === ready)
      .map(({ pod, ip }) => ({
        ip,
        nodeName: pod.spec?.nodeName ?? '',
        targetRef: targetRef(pod),
        ...hostnameIn(service, pod),
      }));
  const [up, down] = [addresses(true), addresses(false)];
  const subset = {
    ...(up.length > 0 && { addresses: up }),
    ...(down.length > 0 && { notReadyAddresses: down }),
    ports,
  };
  const subsets = backends.length > 0 ? [subset] : [];
  const { name, namespace = '' } = service.metadata;
  const labels = labelsFor(service, { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
  const live = storedObject(context, endpointsKind, { namespace, name });
  if (live) {
    const { subsets: old } = live as KubeObject & { subsets?: unknown };
    const same = equal(old ?? [], subsets);
    await change(context, live, { ...(!same && { subsets }), ...relabelled(live, labels) });
    return;
  }
  const made = { ...endpointsKind, metadata: { name, namespace, labels }, subsets };
  await context.objects.create(made as KubeObject, controllerManager);
}

/** compat cluster 5.5: an address of the documentation range, after a delay. */
async function giveAddress(context: SimulationContext, service: Service): Promise<NextPass | undefined> {
  if ((service.status?.loadBalancer?.ingress ?? []).length > 0 || isKeptWaiting(service)) return undefined;
  const { namespace, name } = keyOfObject(service);
  const at = madeAt(context, service) + context.settings.addressMs;
  if (nowOf(context) < at) return { at };
  const ip = outsideAddress(context, `${namespace}/${name}`);
  const loadBalancer = { ingress: [{ ip, ipMode: 'VIP' }] };
  await writeStatus(
    context,
    service,
    { ...service.status, loadBalancer },
    { manager: 'cloud-controller-manager' },
  );
  return undefined;
}

/** An annotation keeps the object without an address for ever. */
export const isKeptWaiting = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['simulate.fairlead.io/address'] === 'never';

/** When the object was created, in whole seconds; never later than its own first pass. */
export function madeAt(context: SimulationContext, { metadata }: KubeObject): number {
  const made = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(made) ? nowOf(context) : made;
}

/** 192.0.2.10 to 192.0.2.249 */
export const outsideAddress = ({ chance }: SimulationContext, what: string): string =>
  `192.0.2.${10 + Math.floor(chance.number(`outside ${what}`) * 240)}`;
