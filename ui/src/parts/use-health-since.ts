import { type AppRef, useManifests } from '../data/use-application.ts';
import { healthSince, type TroubleSince } from '../shape/health-since.ts';
import type { TreeItem } from '../shape/resource-forest.ts';

/** Since when a live resource is as it is; undefined: it is well, its status does not say, or has not come yet. */
export function useHealthSince(item: TreeItem | undefined, place: AppRef): TroubleSince | undefined {
  const health = item?.resourceVersion ? item.health : undefined;
  const isNotWell = health === 'Degraded' || health === 'Progressing';
  const [object] = useManifests(place, item && isNotWell ? [item] : []);
  if (!object || !health || object.metadata.name !== item?.name || object.kind !== item.kind)
    return undefined; // of another
  return healthSince(object, health);
}
