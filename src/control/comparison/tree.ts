import { type Application, type KubeObject, keyFrom, type ResourceKey } from '#base/model';
import type { Ctx } from '#base/std';
import type { ClusterCache } from '#control/live';
import {
  type ApplicationTree,
  explained,
  type LiveNode,
  type NodeIndex,
  namesOf,
  nodeOf,
  orphanedNodes,
  resourceTree,
  trackedBy,
} from '#engine';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';
import { type HealthJudgement, hasScripts, runHealthScripts } from './health.ts';

type Managed = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };
type Cache = Pick<ClusterCache, 'get' | 'ownedBy' | 'inNamespace'>;
/** The parts of a destination that a tree needs. */
type TreeDestination = {
  readonly cluster: { readonly cache: Cache };
  readonly project: Pick<AppDestination['project'], 'spec'>;
  readonly denies: AppDestination['denies'];
};
type TreeContext = Pick<ComparisonDeps, 'settings' | 'scripts' | 'isApplication'>;

/**
 * The managed objects of an application and everything below them, as the cluster has them now; and, where the project
 * watches for them, the orphaned objects in the destination namespace.
 */
export async function treeOf(
  ctx: Ctx,
  context: TreeContext,
  { app, destination }: { readonly app: Pick<Application, 'spec'>; readonly destination: TreeDestination },
  managed: readonly Managed[],
): Promise<ApplicationTree> {
  const { cache } = destination.cluster;
  const rules = destination.project.spec.orphanedResources;
  const namespace = app.spec.destination.namespace;
  const around = rules && namespace ? cache.inNamespace(namespace) : [];
  const roots = managed.flatMap(({ key }) => cache.get(key) ?? []);
  const judged = hasScripts(context) ? allBelow(cache, [...roots, ...around]) : [];
  const { customLabels } = context.settings().resources;
  const index = indexOver(cache, { ...(await runHealthScripts(ctx, context, judged, cache)), customLabels });
  const denies = deniedBy(destination);
  const tree = resourceTree(managed, index, { denies });
  if (!rules) return tree;
  const topLevel = around.filter(({ metadata }) => !metadata.ownerReferences?.length).map(index.nodeFor);
  const known = new Set(managed.map(({ key }) => key));
  const isOwned = ({ key }: LiveNode): boolean => isDeclared(context, cache.get(key));
  return { ...tree, orphanedNodes: orphanedNodes(topLevel, index, known, { rules, isOwned, denies }) };
}

/** The managed resources that the last comparison recorded, for callers that do not compare. */
export function recordedIn({ status }: Application): Managed[] {
  return (status?.resources ?? []).map(({ group = '', kind, namespace, name, version = '' }) => {
    const key = keyFrom({ group, kind, name, ...(namespace && { namespace }) });
    const apiVersion = group ? `${group}/${version}` : version;
    return { key, target: { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } } };
  });
}

type Index = NodeIndex & { readonly nodeFor: (object: KubeObject) => LiveNode };
type NodeOptions = HealthJudgement & { readonly customLabels: readonly string[] };
type Drawn = {
  readonly node: LiveNode;
  readonly verdict: unknown;
  readonly mode: unknown;
  readonly labels: unknown;
};

/** An object in the cache is replaced, never changed: its node is valid until its health assessment or labels change. */
const drawn = new WeakMap<KubeObject, Drawn>();

/** Creates the node of an object when a walk reaches it first. */
function indexOver(cache: Cache, options: NodeOptions): Index {
  const { customLabels: labels, child } = options;
  const mode = child?.mode;
  const { podsOf, ...bare } = options;
  const explain = (object: KubeObject, node: LiveNode, isScripted: boolean): LiveNode =>
    isScripted ? node : explainedNode(object, node, podsOf);
  const nodeFor = (object: KubeObject): LiveNode => {
    const verdict = options.scripted?.(object);
    const known = drawn.get(object);
    if (known && known.verdict === verdict && known.mode === mode && known.labels === labels)
      return explain(object, known.node, verdict !== undefined);
    const node = nodeOf(object, bare);
    drawn.set(object, { node, verdict, mode, labels });
    return explain(object, node, verdict !== undefined);
  };
  return {
    nodeFor,
    node: (key) => {
      const object = cache.get(key);
      return object && nodeFor(object);
    },
    childrenOf: (node) => namesOf(node).flatMap((name) => cache.ownedBy(name).map(nodeFor)),
  };
}

/** Nodes whose message names the problem of a Pod below them: it may change while the object itself does not. */
const explainedNodes = new WeakMap<LiveNode, LiveNode>();

function explainedNode(object: KubeObject, node: LiveNode, podsOf: HealthJudgement['podsOf']): LiveNode {
  const health = node.health && explained(object, node.health, podsOf);
  if (!health || health === node.health) return node;
  const known = explainedNodes.get(node);
  if (known && known.health?.message === health.message) return known;
  const made = { ...node, health };
  explainedNodes.set(node, made);
  return made;
}

/** compat engine T-10: the destination caches its decision for a kind in a namespace, so evaluating each node is cheap. */
function deniedBy({ denies }: TreeDestination): (node: LiveNode) => boolean {
  return ({ group = '', version, kind, namespace = '', name }) => {
    const apiVersion = group ? `${group}/${version}` : version;
    const object = { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } };
    return denies(object, namespace !== '') !== undefined;
  };
}

/** compat engine T-8: an object tracked by an existing application is not an orphan. */
function isDeclared({ settings, isApplication }: TreeContext, object: KubeObject | undefined): boolean {
  const instance = object && trackedBy(object, settings().tracking);
  return instance !== undefined && (isApplication?.(instance) ?? true);
}

function allBelow(cache: Cache, roots: readonly KubeObject[]): ReadonlySet<KubeObject> {
  const found = new Set(roots);
  // iterating a set includes elements added meanwhile, each of them once
  for (const object of found) {
    for (const name of namesOf(nodeOf(object))) for (const child of cache.ownedBy(name)) found.add(child);
  }
  return found;
}
