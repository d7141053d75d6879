import type { KubeObject, LabelSelector } from '#base/model';
import { pruneRevisions, recordRevision, revisionLabel } from './controller-revision.ts';
import { amount } from './deployment/view.ts';
import { daemonSetKind, nodeKind, podKind } from './kinds.ts';
import { isActive, type PodTemplate, phaseOf, targetNode } from './pod/view.ts';
import { ownerKey, positive } from './replica-set.ts';
import { isAvailable, podFrom, podName, readinessOf } from './replicas.ts';
import { type Controller, keyOfObject, type NextPass, type SimulationContext } from './simulation-context.ts';
import { all, controlled, controllerManager, discard, isDeleting, writeStatus } from './write.ts';

type DaemonSet = KubeObject<{
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: {
      readonly maxUnavailable?: number | string;
      readonly maxSurge?: number | string;
    };
  };
}>;

/** Keeps one pod on every node. */
export const daemonSetController: Controller = {
  type: daemonSetKind,
  wakes: [
    { type: podKind, keys: (_context, event) => ownerKey('DaemonSet', event) },
    { type: nodeKind, keys: (context) => all(context, daemonSetKind).map(keyOfObject) },
  ],
  async reconcile(context, object): Promise<NextPass | undefined> {
    const set = object as DaemonSet;
    if (isDeleting(set)) return undefined;
    const hash = await recordRevision(context, set, set.spec?.template ?? {});
    const seen = surveyNodes(context, set);
    await cover(context, set, seen, hash);
    if (isRolling(set)) await replaceOutdated(context, set, seen, hash);
    const again = await report(context, set, hash);
    const used = new Set([hash, ...controlled(context, set, podKind).map(hashOf)]);
    await pruneRevisions(context, set, used, set.spec?.revisionHistoryLimit ?? 10);
    return again;
  },
};

const hashOf = ({ metadata }: KubeObject): string => metadata.labels?.[revisionLabel] ?? '';
const isRolling = ({ spec }: DaemonSet): boolean => spec?.updateStrategy?.type !== 'OnDelete';

/** The existing nodes, and the set's pods for each. */
type Seen = { readonly nodes: readonly string[]; readonly pods: ReadonlyMap<string, readonly KubeObject[]> };

function surveyNodes(context: SimulationContext, set: DaemonSet): Seen {
  const nodes = all(context, nodeKind).map(({ metadata }) => metadata.name);
  const pods = new Map<string, KubeObject[]>();
  for (const pod of controlled(context, set, podKind)) {
    const node = targetNode(pod) ?? '';
    pods.set(node, [...(pods.get(node) ?? []), pod]);
  }
  return { nodes, pods };
}

/** Creates missing pods, and deletes pods whose node is gone and pods that have finished. */
async function cover(
  context: SimulationContext,
  set: DaemonSet,
  { nodes, pods }: Seen,
  hash: string,
): Promise<void> {
  const known = new Set(nodes);
  for (const [index, node] of nodes.entries()) {
    if ((pods.get(node) ?? []).length === 0) await addPod(context, set, { node, hash, ordinal: index });
  }
  for (const [node, present] of pods) {
    const astray = present.filter((pod) => !isDeleting(pod) && (!isActive(pod) || !known.has(node)));
    for (const pod of astray) await removePod(context, set, pod, node);
  }
}

/** compat cluster 5.3: taints that keep other pods off a node do not keep these off. */
const tolerations = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
].map(([name, effect]) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));

const network = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' };

type NodeSlot = { readonly node: string; readonly hash: string; readonly ordinal: number };

async function addPod(
  context: SimulationContext,
  set: DaemonSet,
  { node, hash, ordinal }: NodeSlot,
): Promise<void> {
  const template = set.spec?.template ?? {};
  const spec = (template.spec ?? {}) as { tolerations?: object[]; affinity?: object; hostNetwork?: boolean };
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
  const generation = set.metadata.annotations?.['deprecated.daemonset.template.generation'];
  const pod = podFrom(set, template, podName(context, set, ordinal), {
    labels: {
      [revisionLabel]: hash,
      ...(generation !== undefined && { 'pod-template-generation': generation }),
    },
    spec: {
      affinity: { ...spec.affinity, nodeAffinity: required },
      tolerations: [...(spec.tolerations ?? []), ...tolerations, ...(spec.hostNetwork ? [network] : [])],
    },
  });
  await context.objects.create(pod, controllerManager);
  await record(context, set, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
}

async function removePod(
  context: SimulationContext,
  set: DaemonSet,
  pod: KubeObject,
  node = '',
): Promise<void> {
  const { name, namespace } = pod.metadata;
  const found = (how: string, end: string) =>
    `Found ${how} daemon pod ${namespace}/${name} on node ${node}, ${end}`;
  if (phaseOf(pod) === 'Failed')
    await record(context, set, 'FailedDaemonPod', found('failed', 'will try to kill it'));
  if (phaseOf(pod) === 'Succeeded')
    await record(context, set, 'SucceededDaemonPod', found('succeeded', 'will try to delete it'));
  await discard(context, pod);
  await record(context, set, 'SuccessfulDelete', `Deleted pod: ${name}`);
}

const record = (context: SimulationContext, set: DaemonSet, reason: string, message: string): Promise<void> =>
  context.events.record(set, {
    type: reason === 'FailedDaemonPod' ? 'Warning' : 'Normal',
    reason,
    message,
    component: 'daemonset-controller',
  });

/**
 * compat cluster 5.3: old pods are deleted while at most maxUnavailable are missing or, with a surge, once the new
 * pod is available.
 */
async function replaceOutdated(
  context: SimulationContext,
  set: DaemonSet,
  seen: Seen,
  hash: string,
): Promise<void> {
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = amount(maxSurge, seen.nodes.length, Math.ceil);
  if (surge > 0) return surgeOver(context, set, seen, { hash, surge });
  const isUp = (pod: KubeObject) => isAvailable(context, pod, set.spec?.minReadySeconds);
  const pods = [...seen.pods.values()].flat().filter(isActive);
  const missing = seen.nodes.length - pods.filter(isUp).length;
  const allowed = Math.max(1, amount(maxUnavailable, seen.nodes.length, Math.ceil));
  const outdated = pods.filter((pod) => hashOf(pod) !== hash);
  const broken = outdated.filter((pod) => !isUp(pod));
  const healthy = outdated.filter(isUp).slice(0, Math.max(0, allowed - missing));
  for (const pod of [...broken, ...healthy]) await removePod(context, set, pod);
}

type Surge = { readonly hash: string; readonly surge: number };

async function surgeOver(
  context: SimulationContext,
  set: DaemonSet,
  seen: Seen,
  { hash, surge }: Surge,
): Promise<void> {
  const isUp = (pod: KubeObject) => isAvailable(context, pod, set.spec?.minReadySeconds);
  let room = surge;
  for (const [ordinal, node] of seen.nodes.entries()) {
    const pods = (seen.pods.get(node) ?? []).filter(isActive);
    const [fresh, old] = [pods.find((pod) => hashOf(pod) === hash), pods.find((pod) => hashOf(pod) !== hash)];
    if (!old) continue;
    if (fresh && isUp(fresh)) await removePod(context, set, old);
    else if (fresh) room -= 1;
    else if (!isUp(old) || room-- > 0) await addPod(context, set, { node, hash, ordinal });
  }
}

/** compat cluster 5.3: of several pods on a node the oldest counts. */
async function report(
  context: SimulationContext,
  set: DaemonSet,
  hash: string,
): Promise<NextPass | undefined> {
  const { nodes, pods } = surveyNodes(context, set);
  const first = nodes.flatMap((node) => {
    const present = (pods.get(node) ?? []).filter(isActive);
    return present.toSorted((a, b) => ageOf(a) - ageOf(b)).slice(0, 1);
  });
  const { ready, available, again } = readinessOf(context, first, set.spec?.minReadySeconds);
  const isScheduled = (node: string) => (pods.get(node) ?? []).some(isActive);
  const status = {
    currentNumberScheduled: nodes.filter(isScheduled).length,
    numberMisscheduled: 0,
    desiredNumberScheduled: nodes.length,
    numberReady: ready,
    observedGeneration: set.metadata.generation,
    ...positive({
      updatedNumberScheduled: first.filter((pod) => hashOf(pod) === hash).length,
      numberAvailable: available,
      numberUnavailable: nodes.length - available,
    }),
  };
  await writeStatus(context, set, status);
  return again;
}

const ageOf = ({ metadata }: KubeObject): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
