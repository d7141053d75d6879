import { annotation, isKind, type KubeObject } from '#model';
import { isTrue } from './annotations.ts';

type NetworkingRef = {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
};
type LoadBalancerAddress = { readonly hostname?: string; readonly ip?: string };
export type NetworkingInfo = {
  readonly targetLabels?: Readonly<Record<string, string>>;
  readonly targetRefs?: readonly NetworkingRef[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly ingress?: readonly LoadBalancerAddress[];
  readonly externalURLs?: readonly string[];
};

/** How an object takes part in traffic; undefined when it does not. */
export function networkingOf(object: KubeObject): NetworkingInfo | undefined {
  const found = byKind(object);
  const links = linksOf(object);
  const own = isTrue(object, annotation.ignoreDefaultLinks) ? [] : (found?.externalURLs ?? []);
  const urls = [...new Set([...own, ...links])].sort();
  const { externalURLs: _own, ...rest } = found ?? {};
  const info = { ...rest, ...(urls.length > 0 && { externalURLs: urls }) };
  return Object.keys(info).length > 0 ? info : undefined;
}

function byKind(object: KubeObject): NetworkingInfo | undefined {
  if (isKind(object, '', 'Service')) return serviceNetworking(object);
  if (isKind(object, '', 'Pod')) return object.metadata.labels && { labels: object.metadata.labels };
  if (isKind(object, 'networking.k8s.io', 'Ingress') || isKind(object, 'extensions', 'Ingress')) {
    return ingressNetworking(object);
  }
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
  { rules?: Rule[]; tls?: { hosts?: string[] }[]; defaultBackend?: Backend; backend?: Backend },
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

function ingressUrls({ spec }: IngressView, addresses: readonly LoadBalancerAddress[]): string[] {
  const secure = new Set((spec?.tls ?? []).flatMap(({ hosts }) => hosts ?? []));
  const everywhere = (spec?.tls ?? []).some(({ hosts }) => !hosts?.length);
  return (spec?.rules ?? []).flatMap(({ host, http }) => {
    const hosts = host ? [host] : addresses.flatMap(({ hostname, ip }) => hostname ?? ip ?? []);
    const paths = http?.paths?.map(({ path }) => plainPath(path)) ?? [''];
    return hosts.flatMap((name) => {
      const scheme = secure.has(name) || everywhere ? 'https' : 'http';
      return paths.map((path) => `${scheme}://${name}${path}`);
    });
  });
}

/** Patterns are not addresses: what follows the first special character is left out. */
const plainPath = (path = ''): string => path.replace(/[^A-Za-z0-9\-._~/%].*$/, '').replace(/\/$/, '');

function urlNetworking(object: KubeObject): NetworkingInfo | undefined {
  const url = (object as KubeObject<unknown, { url?: string }>).status?.url;
  return url && isWeb(url) ? { externalURLs: [url] } : undefined;
}
