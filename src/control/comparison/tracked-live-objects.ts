import { groupOf, type KubeObject, keyOf } from '#base/model';
import { managedBy } from '#control/live';
import { isExcludedKind } from '#engine';
import type { ComparisonDeps } from './comparison-deps.ts';

/**
 * What a cluster holds of an application. compat T-15: what is excluded is nobody's to compare, prune or delete, also while
 * it is still held from before it was.
 */
export function trackedLiveObjects(
  world: Pick<ComparisonDeps, 'settings'>,
  { cache, server }: { readonly cache: Parameters<typeof managedBy>[0]; readonly server: string },
  instance: string,
  targets: readonly KubeObject[],
): KubeObject[] {
  const { resources } = world.settings();
  return managedBy(cache, instance, targets.map(keyOf)).filter(
    (object) => !isExcludedKind({ group: groupOf(object), kind: object.kind }, server, resources),
  );
}
