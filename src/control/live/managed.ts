import { type KubeObject, keyOf, type ResourceKey } from '#base/model';
import type { ClusterCache } from './cluster-cache.ts';

/**
 * compat T-12, T-13: an application's live objects are those that carry its mark and have no owner, and whatever
 * stands where one of its targets goes. What a controller made (ReplicaSets, Revisions, …) is never among them.
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
