import { Lru } from '#base/std';
import type { LiveCluster } from '#control/live';
import type { DiffCache } from '#engine';

/** Resources whose last comparison is cached, per cluster. */
const capacity = 50_000;

const byCluster = new WeakMap<LiveCluster['cache'], Lru<DiffCache>>();

/** The cached comparisons of the applications of a cluster (engine D-31). Dropped with the cluster. */
export function clusterDiffCache({ cache }: Pick<LiveCluster, 'cache'>): Lru<DiffCache> {
  const known = byCluster.get(cache);
  if (known) return known;
  const made = new Lru<DiffCache>({ capacity, weigh: ({ entries }) => entries.size + 1 });
  byCluster.set(cache, made);
  return made;
}
