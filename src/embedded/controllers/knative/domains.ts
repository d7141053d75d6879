import type { KubeObject } from '#base/model';
import type { SimulationContext } from '../simulation-context.ts';
import { configOf } from './config.ts';
import { label, systemNamespace } from './kinds.ts';
import { childName } from './names.ts';

export const clusterDomain = 'svc.cluster.local';
export const domainConfig = { namespace: systemNamespace, name: 'config-domain' };

/**
 * compat cluster 5.6: of the domains of config-domain whose selector matches the route, the one with the most
 * labels.
 */
export function domainOf(context: SimulationContext, route: KubeObject): string {
  const { labels = {} } = route.metadata;
  if (labels[label.visibility] === 'cluster-local') return clusterDomain;
  const fitting = Object.entries(configOf(context)(domainConfig.name))
    .filter(([name]) => !name.startsWith('_'))
    .map(([name, text]) => ({ name, wanted: selectorOf(text) }))
    .filter(({ wanted }) => wanted.every(([key, value]) => labels[key] === value))
    .sort((a, b) => b.wanted.length - a.wanted.length);
  return fitting[0]?.name ?? context.settings.knativeDomain;
}

/** The pairs below `selector:`, one on each line. */
function selectorOf(text: string): [string, string][] {
  return [...text.matchAll(/^\s+([^\s:]+):\s*["']?([^\s"']*)["']?\s*$/gm)].map(([, key = '', value = '']) => [
    key,
    value,
  ]);
}

/** `<tag>-<route>`, or the route alone. */
export const hostLabel = (route: KubeObject, tag: string | undefined): string =>
  tag ? childName(`${tag}-`, route.metadata.name) : route.metadata.name;

export const hostOf = (route: KubeObject, tag: string | undefined, domain: string): string =>
  `${hostLabel(route, tag)}.${route.metadata.namespace ?? ''}.${domain}`;
