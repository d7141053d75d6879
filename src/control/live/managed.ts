import { type KubeObject, keyOf, type ResourceKey } from '#base/model';
import type { ClusterCache } from './cluster-cache.ts';

/**
 * compat engine T-12, T-13: an application's live objects are those that it tracks and that have no owner, and any object
 * with the key of one of its targets. Objects created by a controller (ReplicaSets, Revisions, …) are never among them.
 */
export function managedBy(
  cache: Pick<ClusterCache, 'trackedBy' | 'get'>,
  instance: string,
  targets: Iterable<ResourceKey>,
): KubeObject[] {
  const found = new Map<ResourceKey, KubeObject>();
  for (const object of cache.trackedBy(instance)) {
    if (!object.metadata.ownerReferences?.length) found.set(keyOf(object), object);
  }
  for (const key of targets) {
    const object = cache.get(key);
    if (object) found.set(key, object);
  }
  return [...found.values()];
}
