import { keyFrom } from '#base/model';
import type { LiveCluster } from '#control/live';
import { type CompareOptions, definedType } from '#engine';

/** How the cluster describes its custom kinds; undefined for a kind, or a version of it, that it does not serve. */
export function customTypesIn({ cache }: Pick<LiveCluster, 'cache'>): NonNullable<CompareOptions['typeOf']> {
  return ({ group, version, kind }) => {
    const served = cache.resource(group, kind);
    if (!served) return undefined;
    const name = `${served.plural}.${group}`;
    const key = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', name };
    return definedType(cache.get(keyFrom(key)), version);
  };
}
