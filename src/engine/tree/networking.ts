import { annotation, groupOf, isKind, type KubeObject, parseBool } from '#base/model';
import {
  gatewayNetworking,
  routeNetworking,
  serviceEntryNetworking,
  virtualServiceNetworking,
} from './mesh.ts';
import type { LoadBalancerAddress, NetworkingInfo } from './networking-info.ts';

/** How an object takes part in traffic; undefined when it does not. */
export function networkingOf(object: KubeObject): NetworkingInfo | undefined {
  const found = byKind(object);
  const links = linksOf(object);
  const ignored = parseBool(object.metadata.annotations?.[annotation.ignoreDefaultLinks]) === true;
  const own = ignored ? [] : (found?.externalURLs ?? []);
  const urls = [...new Set([...own, ...links])].sort();
  const { externalURLs: _own, ...rest } = found ?? {};
  const info = { ...rest, ...(urls.length > 0 && { externalURLs: urls }) };
  return Object.keys(info).length > 0 ? info : undefined;
}

const readers: Readonly<Record<string, (object: KubeObject) => NetworkingInfo | undefined>> = {
  '/Pod': ({ metadata }) => metadata.labels && { labels: metadata.labels },
  '/Service': serviceNetworking,
  'extensions/Ingress': ingressNetworking,
  'gateway.networking.k8s.io/Gateway': gatewayNetworking,
  'gateway.networking.k8s.io/GRPCRoute': routeNetworking,
  'gateway.networking.k8s.io/HTTPRoute': routeNetworking,
  'gateway.networking.k8s.io/TCPRoute': routeNetworking,
  'gateway.networking.k8s.io/TLSRoute': routeNetworking,
  'gateway.networking.k8s.io/UDPRoute': routeNetworking,
  'networking.istio.io/ServiceEntry': serviceEntryNetworking,
  'networking.istio.io/VirtualService': virtualServiceNetworking,
  'networking.k8s.io/Ingress': ingressNetworking,
};

function byKind(object: KubeObject): NetworkingInfo | undefined {
  const kind = `${groupOf(object)}/${object.kind}`;
  if (Object.hasOwn(readers, kind)) return readers[kind]?.(object);
  return isKnativeEntry(object) ? urlNetworking(object) : undefined;
}

const isKnativeEntry = (object: KubeObject): boolean =>
  isKind(object, 'serving.knative.dev', 'Service') ||
  isKind(object, 'serving.knative.dev', 'Route') ||
  isKind(object, 'serving.knative.dev', 'DomainMapping');

/** Links a user put on an object. Only web addresses: the browser will follow what we return here. */
export function linksOf({ metadata }: KubeObject): string[] {
  const held = Object.entries(metadata.annotations ?? {}).filter(([name]) =>
    name.startsWith(annotation.linkPrefix),
  );
  return held.map(([, value]) => value).filter((value) => isWeb(value.slice(value.lastIndexOf('|') + 1)));
}

const isWeb = (url: string): boolean => /^https?:\/\/[^\s]+$/i.test(url.trim());

type LoadBalancer = { loadBalancer?: { ingress?: LoadBalancerAddress[] } };
type ServiceView = KubeObject<{ selector?: Record<string, string> }, LoadBalancer>;

function serviceNetworking(object: KubeObject): NetworkingInfo {
  const { spec, status } = object as ServiceView;
  const ingress = status?.loadBalancer?.ingress;
  return { ...(spec?.selector && { targetLabels: spec.selector }), ...(ingress?.length && { ingress }) };
}

type Backend = { service?: { name?: string }; serviceName?: string };
type Rule = { host?: string; http?: { paths?: { path?: string; backend?: Backend }[] } };
type IngressView = KubeObject<
  {
    rules?: Rule[];
    tls?: { hosts?: string[]; secretName?: string }[];
    defaultBackend?: Backend;
    backend?: Backend;
  },
  LoadBalancer
>;

function ingressNetworking(object: KubeObject): NetworkingInfo {
  const { spec = {}, status, metadata } = object as IngressView;
  const paths = (spec.rules ?? []).flatMap((rule) => rule.http?.paths ?? []);
  const backends = [spec.defaultBackend, spec.backend, ...paths.map(({ backend }) => backend)];
  const names = new Set(backends.flatMap((backend) => backend?.service?.name ?? backend?.serviceName ?? []));
  const { namespace } = metadata;
  const targetRefs = [...names].map((name) => ({ kind: 'Service', ...(namespace && { namespace }), name }));
  const ingress = status?.loadBalancer?.ingress;
  const externalURLs = ingressUrls(object as IngressView, ingress ?? []);
  return {
    ...(targetRefs.length > 0 && { targetRefs }),
    ...(ingress?.length && { ingress }),
    ...(externalURLs.length > 0 && { externalURLs }),
  };
}

/** compat engine T-11: a secret for TLS, or the host in its list, makes the address a secure one; a rule without a host takes the first address. */
function ingressUrls({ spec }: IngressView, addresses: readonly LoadBalancerAddress[]): string[] {
  const tls = spec?.tls ?? [];
  const secure = new Set(tls.flatMap(({ hosts }) => hosts ?? []));
  const everywhere = tls.some(({ hosts, secretName }) => secretName || !hosts?.length);
  const [address] = addresses.flatMap(({ hostname, ip }) => hostname || ip || []);
  return (spec?.rules ?? []).flatMap(({ host, http }) => {
    const name = host || address;
    if (!name) return [];
    const scheme = secure.has(name) || everywhere ? 'https' : 'http';
    return (http?.paths ?? []).map(({ path }) => `${scheme}://${name}${plainPath(path)}`);
  });
}

/** Patterns are not addresses: what follows the first special character is left out. */
const plainPath = (path = ''): string => path.replace(/[^A-Za-z0-9\-._~/%].*$/, '');

function urlNetworking(object: KubeObject): NetworkingInfo | undefined {
  const url = (object as KubeObject<unknown, { url?: string }>).status?.url;
  return url && isWeb(url) ? { externalURLs: [url] } : undefined;
}
