import type { Ctx } from '#base/std';
import type { Tracking } from '#engine';
import type { ApiResource, KubeClient } from '#kubernetes/client';
import type { OnBatch } from './batches.ts';

/** How one cluster is mirrored. */
export type ClusterCacheOptions = {
  readonly kube: Pick<KubeClient, 'list' | 'watch' | 'catalog' | 'invalidate' | 'raw' | 'find'>;
  readonly tracking: Tracking;
  /** Kinds that are not watched and not shown (engine T-14). */
  isExcluded(group: string, kind: string): boolean;
  /** compat engine T-19: only these namespaces are read, and cluster-scoped resources only if enabled; empty: everything. */
  readonly scope?: { readonly namespaces: readonly string[]; readonly clusterResources: boolean };
  /** Kinds whose objects are cached with all fields, because users' scripts read them; left out: none. */
  keepsWhole?(group: string, kind: string): boolean;
  /** compat engine T-20: what to do with a kind that we may not list; left out: the cluster cannot be read. */
  onForbidden?(ctx: Ctx, resource: ApiResource, namespace: string | undefined): Promise<'fail' | 'skip'>;
  /** Receives the changes from watches, for metrics; left out: no metrics. */
  readonly onBatch?: OnBatch;
};
