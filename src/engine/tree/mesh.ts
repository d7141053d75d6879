import type { KubeObject } from '#model';
import type { LoadBalancerAddress, NetworkingInfo, NetworkingRef } from './networking-info.ts';

type Destination = { destination?: { host?: string } };
type Routes = { route?: Destination[] }[];
type VirtualServiceView = KubeObject<{ http?: Routes; tls?: Routes; tcp?: Routes }>;

/** compat T-11: an Istio VirtualService leads to the Services its routes name, `name`, `name.namespace` or in full. */
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

/** compat T-11 */
export function serviceEntryNetworking(object: KubeObject): NetworkingInfo {
  const labels = (object as ServiceEntryView).spec?.workloadSelector?.labels;
  return labels ? { targetLabels: labels } : {};
}

type Address = { type?: string; value?: string };
type Listener = { hostname?: string; protocol?: string };
type GatewayView = KubeObject<{ listeners?: Listener[] }, { addresses?: Address[] }>;

/** compat T-11: where a Gateway listens. A listener for any host is reached at the Gateway's own address. */
export function gatewayNetworking(object: KubeObject): NetworkingInfo {
  const { spec, status } = object as GatewayView;
  const ingress = (status?.addresses ?? []).flatMap(({ type, value }): LoadBalancerAddress[] => {
    if (!value) return [];
    return type === 'Hostname' ? [{ hostname: value }] : [{ ip: value }];
  });
  const [address] = ingress.map(({ hostname, ip }) => hostname ?? ip);
  const urls = (spec?.listeners ?? []).flatMap(({ hostname, protocol }) => {
    const host = hostname && !hostname.startsWith('*') ? hostname : address;
    return host && (protocol === 'HTTP' || protocol === 'HTTPS') ? `${protocol.toLowerCase()}://${host}` : [];
  });
  return {
    ...(ingress.length > 0 && { ingress }),
    ...(urls.length > 0 && { externalURLs: urls }),
  };
}

type Backend = { group?: string; kind?: string; name?: string; namespace?: string };
type RouteView = KubeObject<{ rules?: { backendRefs?: Backend[] }[] }>;

/** compat T-11: a route of the Gateway API leads to the backends of its rules. */
export function routeNetworking(object: KubeObject): NetworkingInfo {
  const { spec, metadata } = object as RouteView;
  const backends = (spec?.rules ?? []).flatMap(({ backendRefs }) => backendRefs ?? []);
  return refsTo(
    backends.flatMap(({ group, kind = 'Service', name, namespace = metadata.namespace }): NetworkingRef[] =>
      name ? [{ ...(group && { group }), kind, ...(namespace && { namespace }), name }] : [],
    ),
  );
}

function refsTo(refs: readonly NetworkingRef[]): NetworkingInfo {
  const unique = new Map(refs.map((ref) => [`${ref.group}/${ref.kind}/${ref.namespace}/${ref.name}`, ref]));
  return unique.size > 0 ? { targetRefs: [...unique.values()] } : {};
}
