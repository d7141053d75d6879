import type { Ctx } from '#base/std';
import type { Tracking } from '#engine';
import type { ApiResource, KubeClient } from '#kubernetes/client';
import type { OnBatch } from './batches.ts';

/** How one cluster is mirrored. */
export type ClusterCacheOptions = {
  readonly kube: Pick<KubeClient, 'list' | 'watch' | 'catalog' | 'invalidate' | 'raw' | 'find'>;
  readonly tracking: Tracking;
  /** Kinds that are not watched and not shown (T-14). */
  isExcluded(group: string, kind: string): boolean;
  /** compat T-19: only these namespaces are read, and nothing outside of namespaces unless it is said; empty: everything. */
  readonly scope?: { readonly namespaces: readonly string[]; readonly clusterResources: boolean };
  /** Kinds of which everything is held whole, because scripts of users read it; left out: none. */
  keepsWhole?(group: string, kind: string): boolean;
  /** compat T-20: what to make of a kind that we may not list; left out: the cluster cannot be read. */
  onForbidden?(ctx: Ctx, resource: ApiResource, namespace: string | undefined): Promise<'fail' | 'skip'>;
  /** Told of the changes that watches bring, for metrics; left out: nobody counts. */
  readonly onBatch?: OnBatch;
};
