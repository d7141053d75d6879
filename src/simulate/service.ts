import type { WatchEvent } from '#devcluster';
import { type KubeObject, printSelector } from '#model';
import type { JsonObject } from '#schema';
import { equal } from '#std';
import { endpointSliceKind, endpointsKind, podKind, serviceKind } from './kinds.ts';
import { isReady, type Pod, phaseOf } from './pod/view.ts';
import { SelectorIndex } from './selector-index.ts';
import { type Again, type Controller, keyOfObject, nowOf, refOf, type World } from './world.ts';
import { change, controlled, controllerManager, isDeleting, look, ownedMeta, writeStatus } from './write.ts';

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

/** Finds the pods behind a Service, and gives it an address outside when it asks for one. */
export function createServiceController(): Controller {
  const index = new SelectorIndex();
  const known = (world: World, { object }: WatchEvent) => {
    // the selector a service had is known until its own pass
    if (object.kind === 'Service') index.put(keyOfObject(object), (object as Service).spec?.selector);
    return object.kind === 'Service' ? [] : index.selecting(object, world);
  };
  return {
    type: serviceKind,
    wakes: [
      { type: serviceKind, keys: known },
      { type: podKind, keys: known },
    ],
    gone: (_world, key) => index.drop(key),
    async reconcile(world, object): Promise<Again | undefined> {
      const service = object as Service;
      if (isDeleting(service)) return undefined;
      if (service.spec?.selector && service.spec.type !== 'ExternalName') await publish(world, service);
      return service.spec?.type === 'LoadBalancer' ? giveAddress(world, service) : undefined;
    },
  };
}

type Backend = { readonly pod: Pod; readonly ip: string; readonly ready: boolean };

function backendsOf(world: World, service: Service): Backend[] {
  const { selector = {}, publishNotReadyAddresses } = service.spec ?? {};
  const labelSelector = printSelector(
    Object.entries(selector).map(([key, value]) => ({ key, operator: '=' as const, values: [value] })),
  );
  const { namespace } = keyOfObject(service);
  return (world.objects.list(podKind, { namespace, labelSelector }) as readonly Pod[])
    .filter((pod) => pod.status?.podIP !== undefined && !['Succeeded', 'Failed'].includes(phaseOf(pod)))
    .map((pod) => ({
      pod,
      ip: pod.status?.podIP ?? '',
      ready: publishNotReadyAddresses === true || (isReady(pod) && !isDeleting(pod)),
    }));
}

async function publish(world: World, service: Service): Promise<void> {
  const backends = backendsOf(world, service);
  await publishSlice(world, service, backends);
  await publishEndpoints(world, service, backends);
}

const targetRef = ({ metadata }: Pod): JsonObject => {
  const { name, namespace, uid } = metadata;
  return { kind: 'Pod', name, namespace, uid };
};

/** The port a name stands for in the first pod that has it. */
function portOf({ targetPort, port = 0 }: ServicePort, backends: readonly Backend[]): number {
  if (typeof targetPort === 'number') return targetPort;
  if (targetPort === undefined) return port;
  const found = backends
    .flatMap(({ pod }) => pod.spec?.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .find(({ name }) => name === targetPort);
  return found?.containerPort ?? port;
}

const portsFor = ({ spec }: Service, backends: readonly Backend[]): JsonObject[] =>
  (spec?.ports ?? []).map((port) => ({
    name: port.name ?? '',
    protocol: port.protocol ?? 'TCP',
    port: portOf(port, backends),
    ...(port.appProtocol && { appProtocol: port.appProtocol }),
  }));

/** compat 5.5: one slice per service is enough here. */
async function publishSlice(world: World, service: Service, backends: readonly Backend[]): Promise<void> {
  const { name, namespace, labels } = service.metadata;
  const endpoints = backends.map(({ pod, ip, ready }) => ({
    addresses: [ip],
    conditions: { ready, serving: isReady(pod), terminating: isDeleting(pod) },
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: targetRef(pod),
  }));
  const ports = portsFor(service, backends);
  const [live] = controlled(world, service, endpointSliceKind);
  if (live) {
    const { endpoints: old, ports: oldPorts } = live as KubeObject & { endpoints?: unknown; ports?: unknown };
    if (equal(old ?? [], endpoints) && equal(oldPorts ?? [], ports)) return;
    await world.objects.patch(refOf(live), { type: 'merge', body: { endpoints, ports } }, controllerManager);
    return;
  }
  const { clusterIP: _ip, ...inherited } = (labels ?? {}) as Record<string, string>;
  const slice = {
    ...endpointSliceKind,
    metadata: ownedMeta(service, {
      name: `${name}-${world.chance.suffix(`slice ${namespace}/${name}/${service.metadata.uid}`, 5)}`,
      generateName: `${name}-`,
      labels: {
        ...inherited,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': name,
        ...(service.spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
      },
    }),
    addressType: 'IPv4',
    endpoints,
    ports,
  };
  await world.objects.create(slice as KubeObject, controllerManager);
}

async function publishEndpoints(world: World, service: Service, backends: readonly Backend[]): Promise<void> {
  const ports = portsFor(service, backends);
  const addresses = (ready: boolean) =>
    backends
      .filter((one) => one.ready === ready)
      .map(({ pod, ip }) => ({ ip, nodeName: pod.spec?.nodeName ?? '', targetRef: targetRef(pod) }));
  const [up, down] = [addresses(true), addresses(false)];
  const subset = {
    ...(up.length > 0 && { addresses: up }),
    ...(down.length > 0 && { notReadyAddresses: down }),
    ports,
  };
  const subsets = backends.length > 0 ? [subset] : [];
  const { name, namespace = '', labels } = service.metadata;
  const live = look(world, endpointsKind, { namespace, name });
  if (live) {
    const { subsets: old } = live as KubeObject & { subsets?: unknown };
    if (!equal(old ?? [], subsets)) await change(world, live, { subsets });
    return;
  }
  const managed = { ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };
  const made = { ...endpointsKind, metadata: { name, namespace, labels: managed }, subsets };
  await world.objects.create(made as KubeObject, controllerManager);
}

/** compat 5.5: an address of the range that is for documentation, after a moment. */
async function giveAddress(world: World, service: Service): Promise<Again | undefined> {
  if ((service.status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
  const { namespace, name } = keyOfObject(service);
  const at = madeAt(world, service) + world.settings.addressMs;
  if (nowOf(world) < at) return { at };
  const ip = outsideAddress(world, `${namespace}/${name}`);
  await writeStatus(world, service, {
    ...service.status,
    loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] },
  });
  return undefined;
}

/** When the object was made, as far as whole seconds tell; never in the future of its own first look. */
export function madeAt(world: World, { metadata }: KubeObject): number {
  const made = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(made) ? nowOf(world) : made;
}

/** 192.0.2.10 to 192.0.2.249 */
export const outsideAddress = ({ chance }: World, what: string): string =>
  `192.0.2.${10 + Math.floor(chance.number(`outside ${what}`) * 240)}`;
