import type { KubeObject } from '#base/model';
import type { LoadBalancerAddress, NetworkingInfo, NetworkingRef } from './networking-info.ts';

type Destination = { destination?: { host?: string } };
type Routes = { route?: Destination[] }[];
type VirtualServiceView = KubeObject<{ http?: Routes; tls?: Routes; tcp?: Routes }>;

/** compat engine T-11: an Istio VirtualService leads to the Services its routes name, `name`, `name.namespace` or in full. */
export function virtualServiceNetworking(object: KubeObject): NetworkingInfo {
  const { spec, metadata } = object as VirtualServiceView;
  const routes = [...(spec?.http ?? []), ...(spec?.tls ?? []), ...(spec?.tcp ?? [])];
  const hosts = routes
    .flatMap(({ route }) => route ?? [])
    .flatMap(({ destination }) => destination?.host ?? []);
  return refsTo(hosts.map((host) => serviceNamed(host, metadata.namespace)));
}

function serviceNamed(host: string, home: string | undefined): NetworkingRef {
  const [name = '', namespace = home] = host.split('.');
  return { kind: 'Service', ...(namespace && { namespace }), name };
}

type ServiceEntryView = KubeObject<{ workloadSelector?: { labels?: Record<string, string> } }>;

/** compat engine T-11: a ServiceEntry leads to the Pods that its selector finds. */
export function serviceEntryNetworking(object: KubeObject): NetworkingInfo {
  const labels = (object as ServiceEntryView).spec?.workloadSelector?.labels;
  return labels ? { targetLabels: labels, targetRefs: [{ kind: 'Pod' }] } : {};
}

type Address = { type?: string; value?: string };
type Listener = { hostname?: string; protocol?: string; port?: number };
type GatewayView = KubeObject<{ listeners?: Listener[] }, { addresses?: Address[] }>;

/** compat engine T-11: where a Gateway listens: each listener at its host, or at every address when it takes any host. */
export function gatewayNetworking(object: KubeObject): NetworkingInfo {
  const { spec, status } = object as GatewayView;
  const ingress = (status?.addresses ?? []).flatMap(addressOf);
  const addresses = ingress.flatMap(({ hostname, ip }) => hostname ?? ip ?? []);
  const urls = (spec?.listeners ?? []).flatMap((listener) => listenerUrls(listener, addresses));
  return {
    ...(ingress.length > 0 && { ingress }),
    ...(urls.length > 0 && { externalURLs: urls }),
  };
}

/** Only their implementation can interpret addresses of other types. */
function addressOf({ type, value }: Address): LoadBalancerAddress[] {
  if (!value) return [];
  if (type === 'Hostname') return [{ hostname: value }];
  return !type || type === 'IPAddress' ? [{ ip: value }] : [];
}

/** The port is left out where it is the scheme's own. A bare IPv6 address is no host of a URL and gives none. */
function listenerUrls({ hostname, protocol, port }: Listener, addresses: readonly string[]): string[] {
  const isSecure = protocol === 'HTTPS' || protocol === 'TLS';
  const scheme = isSecure ? 'https' : 'http';
  const isUsual = port === undefined || port === (isSecure ? 443 : 80);
  const shown = isUsual ? '' : `:${port}`;
  const hosts = hostname && hostname !== '*' ? [hostname] : addresses;
  return hosts.filter((host) => !/[\s:]/.test(host)).map((host) => `${scheme}://${host}${shown}`);
}

type Ref = { group?: string; kind?: string; name?: string; namespace?: string };
type RouteView = KubeObject<{ parentRefs?: Ref[]; rules?: { backendRefs?: Ref[] }[] }>;

/** compat engine T-11: a route of the Gateway API belongs to its parents and leads to the backends of its rules. */
export function routeNetworking(object: KubeObject): NetworkingInfo {
  const { spec, metadata } = object as RouteView;
  const parent = { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: metadata.namespace };
  const backend = { group: undefined, kind: 'Service', namespace: metadata.namespace };
  const backends = (spec?.rules ?? []).flatMap(({ backendRefs }) => backendRefs ?? []);
  return refsTo([
    ...(spec?.parentRefs ?? []).flatMap((ref) => filledRef(ref, parent)),
    ...backends.flatMap((ref) => filledRef(ref, backend)),
  ]);
}

type Defaults = { group: string | undefined; kind: string; namespace: string | undefined };

function filledRef(ref: Ref, defaults: Defaults): NetworkingRef[] {
  const { name } = ref;
  const group = ref.group || defaults.group;
  const namespace = ref.namespace || defaults.namespace;
  const kind = ref.kind || defaults.kind;
  return name ? [{ ...(group && { group }), kind, ...(namespace && { namespace }), name }] : [];
}

function refsTo(refs: readonly NetworkingRef[]): NetworkingInfo {
  const unique = new Map(refs.map((ref) => [`${ref.group}/${ref.kind}/${ref.namespace}/${ref.name}`, ref]));
  return unique.size > 0 ? { targetRefs: [...unique.values()] } : {};
}
