import { type GroupKind, groupOf, type KubeObject } from '#base/model';
import { atOnce, type Ctx } from '#base/std';
import { hasReason, type ObjectRef, refOf } from '#kubernetes/client';
import type { ClusterCache } from './cluster-cache.ts';
import type { LiveCluster } from './clusters.ts';

type Definition = KubeObject & {
  readonly spec?: {
    readonly group?: string;
    readonly scope?: string;
    readonly names?: { readonly kind?: string };
  };
};

/**
 * A kind that is defined and not watched yet: its definition was created a moment ago. Undefined: it is watched, or unknown.
 */
export function definedOnly(
  cache: Pick<ClusterCache, 'resource' | 'ofKind'>,
  { group, kind }: GroupKind,
): { readonly namespaced: boolean } | undefined {
  if (cache.resource(group, kind)) return undefined;
  const definitions = cache.ofKind('apiextensions.k8s.io', 'CustomResourceDefinition') as Definition[];
  const found = definitions.find(({ spec }) => spec?.group === group && spec.names?.kind === kind);
  return found && { namespaced: found.spec?.scope !== 'Cluster' };
}

/** Fetching a thousand uncached objects must not flood a cluster. */
const width = 10;

/** Fetches each; undefined stands for an object that is deleted, or of a kind or a version that is not served. */
export function findEach(
  ctx: Ctx,
  { kube }: Pick<LiveCluster, 'kube'>,
  refs: readonly ObjectRef[],
): Promise<(KubeObject | undefined)[]> {
  return atOnce(width, refs, (ref) =>
    kube.find(ctx, ref).catch((error: unknown) => {
      if (hasReason(error, 'NoMatch')) return undefined;
      throw error;
    }),
  );
}

/** compat engine T-12: fetches objects of kinds that are not watched yet: their definition may be as new as they are. */
export async function findUnwatched(
  ctx: Ctx,
  cluster: Pick<LiveCluster, 'cache' | 'kube'>,
  targets: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const requested = targets.filter((object) =>
    definedOnly(cluster.cache, { group: groupOf(object), kind: object.kind }),
  );
  const found = await findEach(ctx, cluster, requested.map(refOf)); // a defined kind may not be served yet
  return found.flatMap((object) => object ?? []);
}
