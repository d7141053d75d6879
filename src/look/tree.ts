import { type LiveNode, nodeOf, type ResourceTree, resourceTree } from '#engine';
import type { ClusterCache } from '#live';
import type { KubeObject, ResourceKey } from '#model';
import { healthOptions } from './look.ts';
import type { World } from './world.ts';

type Managed = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };

/** The managed objects of an application and everything below them, as the cluster has them now. */
export function treeOf(
  world: Pick<World, 'settings'>,
  cache: Pick<ClusterCache, 'get' | 'ownedBy'>,
  managed: readonly Managed[],
): ResourceTree {
  const options = healthOptions(world);
  const nodes = new Map<ResourceKey, LiveNode>();
  const nodeFor = (object: KubeObject): LiveNode => {
    const node = nodeOf(object, options);
    nodes.set(node.key, node);
    return node;
  };
  return resourceTree(managed, {
    node: (key) => {
      const object = cache.get(key);
      return nodes.get(key) ?? (object && nodeFor(object));
    },
    childrenOf: ({ uid }) => (uid ? cache.ownedBy(uid).map(nodeFor) : []),
  });
}
