import { type KubeObject, viewOf } from '#model';
import { configMapKind } from '../kinds.ts';
import type { World } from '../world.ts';
import { look } from '../write.ts';
import { label, systemNamespace } from './kinds.ts';
import { childName } from './names.ts';

export const clusterDomain = 'svc.cluster.local';
export const domainConfig = { namespace: systemNamespace, name: 'config-domain' };

/** compat 5.6: the domain of the ConfigMap config-domain that asks for no labels. */
export function domainOf(world: World, route: KubeObject): string {
  if (route.metadata.labels?.[label.visibility] === 'cluster-local') return clusterDomain;
  const config = look(world, configMapKind, domainConfig);
  const entries = Object.entries((config && viewOf<{ data: Record<string, string> }>(config).data) ?? {});
  const plain = entries.find(([name, selector]) => !name.startsWith('_') && selector.trim() === '');
  return plain?.[0] ?? world.settings.knativeDomain;
}

/** `<tag>-<route>`, or the route alone. */
export const hostLabel = (route: KubeObject, tag: string | undefined): string =>
  tag ? childName(`${tag}-`, route.metadata.name) : route.metadata.name;

export const hostOf = (route: KubeObject, tag: string | undefined, domain: string): string =>
  `${hostLabel(route, tag)}.${route.metadata.namespace ?? ''}.${domain}`;
