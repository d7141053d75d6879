import { type KubeObject, keyFrom } from '#base/model';
import type { ClusterCache } from '#control/live';
import { type ApplicationTree, type HostInfo, hostsOf, type LiveNode, nodeOf } from '#engine';

/** An object in the cache is replaced, never changed: its resource requests are computed once. */
const known = new WeakMap<KubeObject, LiveNode>();

function loadOf(object: KubeObject): LiveNode {
  const node = known.get(object) ?? nodeOf(object);
  known.set(object, node);
  return node;
}

/** compat engine T-11: the nodes that run the Pods of a tree, with the resource requests of all other Pods on them. */
export function hostsIn(
  cache: Pick<ClusterCache, 'ofKind'>,
  { nodes }: Pick<ApplicationTree, 'nodes'>,
  allowedLabels: readonly string[],
): readonly HostInfo[] {
  const pods = nodes.filter(({ group = '', kind }) => group === '' && kind === 'Pod');
  if (pods.length === 0) return [];
  const own = new Set<string>(
    pods.map(({ name, namespace }) =>
      keyFrom({ group: '', kind: 'Pod', name, ...(namespace && { namespace }) }),
    ),
  );
  const all = [...cache.ofKind('', 'Pod'), ...cache.ofKind('', 'Node')].map(loadOf);
  return hostsOf({ all, own, allowedLabels });
}
