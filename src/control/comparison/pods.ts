import { isKind, type KubeObject } from '#base/model';
import type { ClusterCache } from '#control/live';
import type { PodsOf } from '#engine';

/** Objects visited below one object; an owner of more is explained by the Pods found first. */
const most = 2_000;

/** The Pods that an object owns, directly or through others, as the cluster has them now. */
export function podsIn(cache: Pick<ClusterCache, 'ownedBy'>): PodsOf {
  return (object) => {
    const found = new Set([object]);
    // iterating a set includes elements added meanwhile, each of them once
    for (const { metadata } of found) {
      const owned = metadata.uid && found.size < most ? cache.ownedBy(metadata.uid) : [];
      for (const child of owned) found.add(child);
    }
    found.delete(object);
    return [...found].filter((one: KubeObject) => isKind(one, '', 'Pod'));
  };
}
