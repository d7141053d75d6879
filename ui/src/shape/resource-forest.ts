import {
  type Application,
  type HealthCode,
  keyFrom,
  parseTime,
  type ResourceKey,
  type ResourceStatus,
  type SyncStatusCode,
} from '#base/model';
import type { ResourceNode, ResourceTree } from '#serve/api';
import { pruneDisabledFor } from './prune-disabled.ts';
import { healthCode, syncCode } from './state.ts';

/** One resource as the tree, the list and the panel show it: the live node joined with its sync status. */
export type TreeItem = {
  readonly key: ResourceKey;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly version?: string;
  readonly uid?: string;
  /** Changes whenever the live object does. */
  readonly resourceVersion?: string;
  /** Absent where the kind has no health of its own. */
  readonly health?: HealthCode;
  readonly message?: string;
  /** Absent for what a controller made: only Git's own resources are compared. */
  readonly sync?: SyncStatusCode;
  readonly createdAt?: number;
  readonly isHook: boolean;
  /** Live, and gone from Git. */
  readonly isPrunable: boolean;
  /** Prunable, and protected by Prune=false. */
  readonly isKept: boolean;
  /** No application has it: it is only in the namespace. */
  readonly isOrphan?: boolean;
  readonly wave: number;
  readonly images: readonly string[];
  readonly info: readonly { readonly name: string; readonly value: string }[];
  readonly urls: readonly string[];
  readonly children: readonly TreeItem[];
};

/** compat server §10.1: with `orphaned`, what is in its namespace and belongs to no application stands below the rest. */
export function orphansOf(app: Application, tree: ResourceTree | undefined): TreeItem[] {
  const nodes = tree?.orphanedNodes ?? [];
  if (nodes.length === 0) return [];
  return forestOf({ ...app, status: {} }, { nodes }).map((item) => ({ ...item, isOrphan: true }));
}

/** The roots of an application's tree with everything below them, in a steady order. */
export function forestOf(app: Application, tree: ResourceTree | undefined): TreeItem[] {
  const managed = new Map((app.status?.resources ?? []).map((one) => [keyFrom({ group: '', ...one }), one]));
  const live = new Map((tree?.nodes ?? []).map((node) => [keyFrom({ group: '', ...node }), node]));
  const isKept = pruneDisabledFor(app);
  const { roots, below } = parentage(live);
  const seen = new Set<ResourceKey>();
  const grow = (key: ResourceKey): TreeItem => {
    seen.add(key);
    const children = (below.get(key) ?? []).filter((child) => !seen.has(child)).map(grow);
    return itemOf(key, {
      node: live.get(key),
      status: managed.get(key),
      children: children.sort(byPlace),
      isKept,
    });
  };
  const grown = roots.map(grow);
  const missing = [...managed.keys()].filter((key) => !live.has(key)).map(grow);
  const lost = [...live.keys()].filter((key) => !seen.has(key)); // parents that form a ring
  const rest = lost.flatMap((key) => (seen.has(key) ? [] : [grow(key)]));
  return [...grown, ...missing, ...rest].sort(byPlace);
}

type Live = ReadonlyMap<ResourceKey, ResourceNode>;

function parentage(live: Live): { roots: ResourceKey[]; below: Map<ResourceKey, ResourceKey[]> } {
  const byUid = new Map([...live].flatMap(([key, { uid }]) => (uid ? [[uid, key] as const] : [])));
  const roots: ResourceKey[] = [];
  const below = new Map<ResourceKey, ResourceKey[]>();
  for (const [key, { parentRefs = [] }] of live) {
    const parents = parentRefs.map((ref) => byUid.get(ref.uid ?? '') ?? keyFrom({ group: '', ...ref }));
    const parent = parents.find((one) => one !== key && live.has(one));
    const siblings = parent === undefined ? roots : (below.get(parent) ?? []);
    siblings.push(key);
    if (parent !== undefined) below.set(parent, siblings);
  }
  return { roots, below };
}

type Sides = {
  readonly node: ResourceNode | undefined;
  readonly status: ResourceStatus | undefined;
  readonly children: readonly TreeItem[];
  isKept(key: ResourceKey): boolean;
};

function itemOf(key: ResourceKey, { node, status, children, isKept }: Sides): TreeItem {
  const createdAt = parseTime(node?.createdAt);
  return {
    key,
    ...identityOf(node ?? status),
    ...healthOf(node, status),
    ...(status?.status && { sync: syncCode(status.status) }),
    ...(createdAt !== undefined && { createdAt }),
    ...(node?.uid && { uid: node.uid }),
    ...(node?.resourceVersion && { resourceVersion: node.resourceVersion }),
    isHook: status?.hook === true,
    isPrunable: status?.requiresPruning === true,
    isKept: status?.requiresPruning === true && isKept(key),
    wave: status?.syncWave ?? 0,
    images: node?.images ?? [],
    info: node?.info ?? [],
    urls: (node?.networkingInfo?.externalURLs ?? []).filter(isWebAddress),
    children,
  };
}

function identityOf(
  one: ResourceNode | ResourceStatus | undefined,
): Pick<TreeItem, 'group' | 'kind' | 'namespace' | 'name' | 'version'> {
  const { group = '', kind = '', namespace = '', name = '', version } = one ?? {};
  return { group, kind, namespace, name, ...(version && { version }) };
}

function healthOf(
  node: ResourceNode | undefined,
  status: ResourceStatus | undefined,
): Pick<TreeItem, 'health' | 'message'> {
  const health = node?.health ?? status?.health;
  if (!health?.status) return node ? {} : { health: 'Missing' };
  return { health: healthCode(health.status), ...(health.message && { message: health.message }) };
}

/** Only what a browser may open: a live object can hold any text, a script included. */
export const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

/** A page, or a letter to write: what a deep link may lead to. */
export const isLinkAddress = (url: string): boolean => isWebAddress(url) || /^mailto:/i.test(url);

/** By wave, then by common kinds, then name. State plays no part: positions stay stable. */
function byPlace(a: TreeItem, b: TreeItem): number {
  return a.wave - b.wave || rank(a.kind) - rank(b.kind) || compare(a.kind, b.kind) || compareNames(a, b);
}

const compareNames = (a: TreeItem, b: TreeItem): number =>
  compare(a.name, b.name) || compare(a.namespace, b.namespace);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const kinds = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'PersistentVolumeClaim',
  'Service',
  'Configuration',
  'Revision',
  'Route',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'Pod',
  'CronJob',
  'Job',
  'Ingress',
];
const ranks = new Map(kinds.map((kind, at) => [kind, at]));
const rank = (kind: string): number => ranks.get(kind) ?? kinds.length;

/** Every item, parents before children. */
export function* walkForest(items: readonly TreeItem[]): Generator<TreeItem> {
  for (const item of items) {
    yield item;
    yield* walkForest(item.children);
  }
}
