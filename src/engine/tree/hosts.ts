import type { KubeObject } from '#base/model';
import { type Amounts, amountsIn } from './amounts.ts';
import { podRequests } from './pod-requests.ts';

/** The node of a Pod and its resource requests, in thousandths. */
export type PodLoad = { readonly node: string; readonly requests: Amounts };
export type NodeCapacity = {
  readonly resources: Amounts;
  readonly system: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
};

/** A machine that runs Pods of an Application; amounts are in thousandths. */
export type HostInfo = {
  readonly name: string;
  readonly resourcesInfo: readonly {
    readonly resourceName: string;
    readonly requestedByApp: number;
    readonly requestedByNeighbors: number;
    readonly capacity: number;
  }[];
  readonly systemInfo: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
};

type PodView = KubeObject<{ nodeName?: string }, { phase?: string }>;

/** A Pod that has ended requests nothing any more. */
export function podLoad(object: KubeObject): { load?: PodLoad } {
  const { spec, status } = object as PodView;
  if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return {};
  return { load: { node: spec.nodeName, requests: podRequests(object) } };
}

type NodeView = KubeObject<
  unknown,
  { capacity?: Record<string, unknown>; nodeInfo?: Record<string, unknown> }
>;

export function nodeCapacity(object: KubeObject): { capacity: NodeCapacity } {
  const { status, metadata } = object as NodeView;
  return {
    capacity: {
      resources: amountsIn(status?.capacity),
      system: status?.nodeInfo ?? {},
      labels: metadata.labels ?? {},
    },
  };
}

/** The properties of a live node that hosts use. */
type Hosted = {
  readonly key: string;
  readonly name: string;
  readonly load?: PodLoad;
  readonly capacity?: NodeCapacity;
};

export type HostOptions = {
  /** Every Pod and Node of the cluster: the requests of other applications' Pods count too. */
  readonly all: Iterable<Hosted>;
  /** Keys of the Pods in the Application's tree. */
  readonly own: ReadonlySet<string>;
  readonly allowedLabels?: readonly string[];
};

/**
 * compat engine T-11: the nodes that run Pods of an Application, with their capacity and the requests on it.
 */
export function hostsOf({ all, own, allowedLabels = [] }: HostOptions): readonly HostInfo[] {
  const machines = new Map<string, NodeCapacity>();
  const requested = new Map<string, { own: Sum; others: Sum }>();
  const used = new Set<string>();
  for (const node of all) {
    if (node.capacity) machines.set(node.name, node.capacity);
    if (!node.load) continue;
    const { node: name, requests } = node.load;
    const sums = requested.get(name) ?? { own: {}, others: {} };
    requested.set(name, sums);
    const isOwn = own.has(node.key);
    if (isOwn) used.add(name);
    add(isOwn ? sums.own : sums.others, requests);
  }
  return [...used].sort().flatMap((name): HostInfo[] => {
    const machine = machines.get(name);
    const sums = requested.get(name) ?? { own: {}, others: {} };
    return machine ? [hostInfo(name, machine, sums, allowedLabels)] : [];
  });
}

type Sum = Record<string, number>;

function add(sum: Sum, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) sum[name] = (sum[name] ?? 0) + amount;
}

function hostInfo(
  name: string,
  { resources, system, labels }: NodeCapacity,
  sums: { own: Sum; others: Sum },
  allowedLabels: readonly string[],
): HostInfo {
  const kept = Object.entries(labels).filter(([key]) => allowedLabels.includes(key));
  return {
    name,
    resourcesInfo: Object.keys(resources)
      .sort()
      .map((resourceName) => ({
        resourceName,
        requestedByApp: sums.own[resourceName] ?? 0,
        requestedByNeighbors: sums.others[resourceName] ?? 0,
        capacity: resources[resourceName] ?? 0,
      })),
    systemInfo: system,
    ...(kept.length > 0 && { labels: Object.fromEntries(kept) }),
  };
}
