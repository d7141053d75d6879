import type {
  Application,
  ApplicationCondition,
  ApplicationSummary,
  Health,
  KubeObject,
  OrphanedResources,
  ResourceKey,
} from '#base/model';
import { glob } from '../glob.ts';
import type { HostInfo } from './hosts.ts';
import { linksOf } from './networking.ts';
import { type LiveNode, type NodeRef, namesOf, parentNamesOf, refOf } from './node.ts';
import type { TrafficShare } from './node-info.ts';
import type { InfoItem } from './pod-info.ts';

/** A node of GET /applications/{name}/resource-tree. */
export type TreeNode = NodeRef & {
  readonly parentRefs?: readonly NodeRef[];
  readonly resourceVersion?: string;
  readonly createdAt?: string;
  readonly images?: readonly string[];
  readonly health?: Health;
  readonly networkingInfo?: LiveNode['networkingInfo'];
  readonly info?: readonly InfoItem[];
};
export type ApplicationTree = {
  readonly nodes: readonly TreeNode[];
  readonly orphanedNodes: readonly TreeNode[];
  /** The nodes its Pods run on; filled in by the caller, which has the whole cluster. */
  readonly hosts?: readonly HostInfo[];
};

/** How the tree finds its way; a cluster cache keeps this up to date, indexNodes() makes one from a list. */
export type NodeIndex = {
  readonly node: (key: ResourceKey) => LiveNode | undefined;
  readonly childrenOf: (node: LiveNode) => readonly LiveNode[];
};

type Managed = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };

export type TreeOptions = {
  /** compat engine T-10: a child the project does not permit is hidden with everything below it. */
  readonly denies?: (node: LiveNode) => boolean;
};

/** compat engine T-9: the managed objects and everything below them. */
export function resourceTree(
  managed: readonly Managed[],
  index: NodeIndex,
  options: TreeOptions = {},
): ApplicationTree {
  const grown = new Growth(index, options);
  const missing: TreeNode[] = [];
  for (const { key, target } of managed) {
    const root = index.node(key);
    if (root) grown.add(root, undefined);
    else if (target) missing.push({ ...refOf(target), health: { status: 'Missing' } });
  }
  return { nodes: [...grown.nodes(), ...missing], orphanedNodes: [] };
}

export type OrphanOptions = TreeOptions & {
  readonly rules: OrphanedResources;
  /** Marked for an Application that exists, this one or another. */
  readonly isOwned: (node: LiveNode) => boolean;
};

/**
 * compat engine T-8: objects of the destination namespace that belong to no Application, with everything
 * below them.
 */
export function orphanedNodes(
  topLevel: readonly LiveNode[],
  index: NodeIndex,
  managed: ReadonlySet<ResourceKey>,
  { rules, isOwned, ...options }: OrphanOptions,
): readonly TreeNode[] {
  const grown = new Growth(index, options);
  for (const node of topLevel) {
    const known = managed.has(node.key) || node.owners.length > 0 || isOwned(node);
    if (!known && !isExcused(node, rules) && !options.denies?.(node)) grown.add(node, undefined);
  }
  return grown.nodes();
}

/** compat engine T-8: only where the project enables the warning, which is off by default. */
export function orphanWarning(
  rules: OrphanedResources | undefined,
  orphans: readonly TreeNode[],
): ApplicationCondition | undefined {
  const roots = orphans.filter(({ parentRefs }) => !parentRefs?.length);
  if (!rules?.warn || roots.length === 0) return undefined;
  const [first] = roots;
  const more = roots.length > 1 ? ` and ${roots.length - 1} more` : '';
  return {
    type: 'OrphanedResourceWarning',
    message: `Git does not declare ${first?.kind} ${first?.name}${more} in the destination namespace; declare, delete or ignore it in the project`,
  };
}

function isExcused(
  { group = '', kind, namespace, name }: LiveNode,
  { ignore = [] }: OrphanedResources,
): boolean {
  if (group === '' && kind === 'Service' && name === 'kubernetes' && namespace === 'default') return true;
  if (group === '' && kind === 'ServiceAccount' && name === 'default') return true;
  if (group === '' && kind === 'ConfigMap' && name === 'kube-root-ca.crt') return true;
  return ignore.some(
    (rule) =>
      glob(rule.group ?? '', group) &&
      (!rule.kind || glob(rule.kind, kind)) &&
      (!rule.name || glob(rule.name, name)),
  );
}

/** Walks down from the roots. A node met twice gets another parent but is not walked again, which cuts cycles. */
class Growth {
  readonly #index: NodeIndex;
  readonly #options: TreeOptions;
  readonly #found = new Map<ResourceKey, { node: LiveNode; parents: NodeRef[] }>();
  readonly #traffic = new Map<string, TrafficShare[]>();

  constructor(index: NodeIndex, options: TreeOptions) {
    this.#index = index;
    this.#options = options;
  }

  add(root: LiveNode, parent: LiveNode | undefined): void {
    const open: [LiveNode, LiveNode | undefined][] = [[root, parent]];
    for (let next = open.pop(); next; next = open.pop()) {
      const [node, above] = next;
      const known = this.#found.get(node.key);
      const parents = known?.parents ?? [];
      if (above && !parents.some(({ uid, name }) => uid === above.uid && name === above.name))
        parents.push(cached(refs, above, nodeRef));
      if (known) continue;
      this.#found.set(node.key, { node, parents });
      this.#noteTraffic(node);
      const children = this.#index.childrenOf(node).filter((child) => !this.#options.denies?.(child));
      for (const child of children.toReversed()) open.push([child, node]);
    }
  }

  nodes(): TreeNode[] {
    return [...this.#found.values()].map(({ node, parents }) => this.#shown(node, parents));
  }

  #noteTraffic({ kind, namespace = '', traffic }: LiveNode): void {
    // a Service repeats the traffic of its Route
    if (kind !== 'Route') return;
    for (const share of traffic ?? []) {
      const id = `${namespace}/${share.revision}`;
      this.#traffic.set(id, [...(this.#traffic.get(id) ?? []), share]);
    }
  }

  #shown(node: LiveNode, parents: readonly NodeRef[]): TreeNode {
    const bare = cached(bareNodes, node, bareNode);
    const traffic = this.#revisionTraffic(node);
    const info = traffic.length > 0 ? { info: [...(bare.info ?? []), ...traffic] } : undefined;
    return parents.length > 0 ? { ...bare, parentRefs: parents, ...info } : { ...bare, ...info };
  }

  /** A Knative Revision does not have its share of traffic; its Route does. */
  #revisionTraffic({ group, kind, namespace = '', name }: LiveNode): InfoItem[] {
    if (group !== 'serving.knative.dev' || kind !== 'Revision') return [];
    const shares = this.#traffic.get(`${namespace}/${name}`) ?? [];
    const percent = shares.reduce((sum, share) => sum + share.percent, 0);
    const tags = shares.flatMap(({ tag }) => tag ?? []);
    return [
      ...(shares.length > 0 ? [{ name: 'Traffic', value: `${percent}%` }] : []),
      ...(tags.length > 0 ? [{ name: 'Tags', value: tags.join(', ') }] : []),
    ];
  }
}

// a node represents one state of one object, and is drawn again and again
const bareNodes = new WeakMap<LiveNode, TreeNode>();
const refs = new WeakMap<LiveNode, NodeRef>();

function cached<T>(known: WeakMap<LiveNode, T>, node: LiveNode, make: (node: LiveNode) => T): T {
  const old = known.get(node);
  if (old !== undefined) return old;
  const made = make(node);
  known.set(node, made);
  return made;
}

/** Without what only serves to find the way. */
function bareNode({ key: _key, owners: _owners, traffic: _traffic, ...node }: LiveNode): TreeNode {
  const { claims: _claims, load: _load, capacity: _capacity, info, ...shown } = node;
  return info?.length ? { ...shown, info } : shown;
}

function nodeRef({ group, version, kind, namespace, name, uid }: LiveNode): NodeRef {
  return {
    ...(group && { group }),
    version,
    kind,
    ...(namespace && { namespace }),
    name,
    ...(uid && { uid }),
  };
}

/** An index over a list of nodes; claims find their StatefulSet by name (engine T-9). */
export function indexNodes(nodes: readonly LiveNode[]): NodeIndex {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const children = new Map<string, LiveNode[]>();
  const put = (owner: string, child: LiveNode): void => {
    const list = children.get(owner);
    if (list) list.push(child);
    else children.set(owner, [child]);
  };
  for (const node of nodes) for (const name of parentNamesOf(node)) put(name, node);
  return {
    node: (key) => byKey.get(key),
    childrenOf: (node) => namesOf(node).flatMap((name) => children.get(name) ?? []),
  };
}

/** status.summary: sorted and without repeats. */
export function summarize(app: Application, { nodes }: ApplicationTree): ApplicationSummary {
  const images = sorted(nodes.flatMap((node) => node.images ?? []));
  const urls = sorted([...linksOf(app), ...nodes.flatMap((node) => node.networkingInfo?.externalURLs ?? [])]);
  const isAppOfApps = nodes.some(({ group, kind }) => group === 'argoproj.io' && kind === 'Application');
  return {
    ...(urls.length > 0 && { externalURLs: urls }),
    ...(images.length > 0 && { images }),
    ...(isAppOfApps && { isAppOfApps }),
  };
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
