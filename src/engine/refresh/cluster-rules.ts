import { type GroupKind, groupOf, type KubeObject, type RegisteredCluster, type Settings } from '#base/model';
import { equal } from '#base/std';

/**
 * compat engine T-19: why the objects cannot all be read and written in a cluster that is limited to some namespaces; undefined
 * where they can. One such object keeps the whole application from being compared.
 */
export function reachProblem(
  objects: readonly KubeObject[],
  {
    namespaces = [],
    clusterResources = false,
  }: Pick<Partial<RegisteredCluster>, 'namespaces' | 'clusterResources'>,
  isNamespaced: (kind: GroupKind) => boolean | undefined,
): string | undefined {
  if (namespaces.length === 0) return undefined;
  for (const object of objects) {
    const { kind, metadata } = object;
    const { name, namespace = '' } = metadata;
    if (isNamespaced({ group: groupOf(object), kind }) === false) {
      if (!clusterResources)
        return `${kind} ${name} is cluster-wide, and the cluster is limited to ${namespaces.join(', ')}; set clusterResources in its secret`;
    } else if (!namespaces.includes(namespace)) {
      return `${kind} ${namespace}/${name} lies outside ${namespaces.join(', ')}, to which the cluster is limited`;
    }
  }
  return undefined;
}

/**
 * compat engine T-20: the policy for a kind that the controller is forbidden to list. The third result
 * requests an access review first; the caller passes its outcome in `reviewed`: false confirms that listing
 * is not allowed.
 */
export function onForbidden(
  respectRbac: Settings['resources']['respectRbac'],
  reviewed?: boolean,
): 'fail' | 'skip' | 'review' {
  if (respectRbac === '') return 'fail';
  if (respectRbac === 'normal') return 'skip';
  if (reviewed === undefined) return 'review';
  return reviewed ? 'fail' : 'skip';
}

/** compat engine T-21: settings changes that invalidate the cache of every cluster. */
export function invalidatesCaches(before: Settings, after: Settings): boolean {
  return !equal(heldBy(before), heldBy(after));
}

const heldBy = ({ tracking, resources }: Settings) => ({
  tracking,
  exclusions: resources.exclusions,
  inclusions: resources.inclusions,
  overrides: resources.overrides,
  respectRbac: resources.respectRbac,
});
