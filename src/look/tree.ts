import { type LiveNode, nodeOf, type ResourceTree, resourceTree } from '#engine';
import type { ClusterCache } from '#live';
import type { KubeObject, ResourceKey } from '#model';
import type { Ctx } from '#std';
import { hasScripts, judge } from './health.ts';
import type { World } from './world.ts';

type Managed = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };
type Cache = Pick<ClusterCache, 'get' | 'ownedBy'>;

/** The managed objects of an application and everything below them, as the cluster has them now. */
export async function treeOf(
  ctx: Ctx,
  world: Pick<World, 'settings' | 'scripts'>,
  cache: Cache,
  managed: readonly Managed[],
): Promise<ResourceTree> {
  const options = await judge(ctx, world, hasScripts(world) ? allBelow(cache, managed) : []);
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

function allBelow(cache: Cache, managed: readonly Managed[]): ReadonlySet<KubeObject> {
  const found = new Set(managed.flatMap(({ key }) => cache.get(key) ?? []));
  // a set hands out what is added while it is walked, and nothing twice
  for (const { metadata } of found) {
    for (const child of metadata.uid ? cache.ownedBy(metadata.uid) : []) found.add(child);
  }
  return found;
}
