import { groupOf, type KubeObject, keyOf } from '#base/model';
import { managedBy } from '#control/live';
import { isExcludedKind } from '#engine';
import type { ComparisonDeps } from './comparison-deps.ts';

/**
 * The objects of an application in a cluster. compat engine T-15: excluded kinds are never compared, pruned or deleted, even
 * while the cache still holds them from before.
 */
export function trackedLiveObjects(
  context: Pick<ComparisonDeps, 'settings'>,
  { cache, server }: { readonly cache: Parameters<typeof managedBy>[0]; readonly server: string },
  instance: string,
  targets: readonly KubeObject[],
): KubeObject[] {
  const { resources } = context.settings();
  return managedBy(cache, instance, targets.map(keyOf)).filter(
    (object) => !isExcludedKind({ group: groupOf(object), kind: object.kind }, server, resources),
  );
}
