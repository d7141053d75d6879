import type { KubeObject, LabelSelector } from '#model';
import { pruneRevisions, recordRevision, revisionLabel } from './controller-revision.ts';
import { amount } from './deployment/view.ts';
import { daemonSetKind, nodeKind, podKind } from './kinds.ts';
import { isActive, type Pod, type PodTemplate } from './pod/view.ts';
import { ownerKey, positive } from './replica-set.ts';
import { isAvailable, podFrom, podName, readinessOf } from './replicas.ts';
import { type Again, type Controller, keyOfObject, type World } from './world.ts';
import { all, controlled, controllerManager, discard, isDeleting, writeStatus } from './write.ts';

type DaemonSet = KubeObject<{
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxUnavailable?: number | string };
  };
}>;

/** Keeps one pod on every node. */
export const daemonSetController: Controller = {
  type: daemonSetKind,
  wakes: [
    { type: podKind, keys: (_world, event) => ownerKey('DaemonSet', event) },
    { type: nodeKind, keys: (world) => all(world, daemonSetKind).map(keyOfObject) },
  ],
  async reconcile(world, object): Promise<Again | undefined> {
    const set = object as DaemonSet;
    if (isDeleting(set)) return undefined;
    const hash = await recordRevision(world, set, set.spec?.template ?? {});
    await cover(world, set, hash);
    await replaceOutdated(world, set, hash);
    const again = await report(world, set, hash);
    const used = new Set([hash, ...controlled(world, set, podKind).map(hashOf)]);
    await pruneRevisions(world, set, used, set.spec?.revisionHistoryLimit ?? 10);
    return again;
  },
};

const hashOf = ({ metadata }: KubeObject): string => metadata.labels?.[revisionLabel] ?? '';
const nodeOf = (pod: KubeObject): string => (pod as Pod).spec?.nodeName ?? '';
const activePods = (world: World, set: DaemonSet) => controlled(world, set, podKind).filter(isActive);

/** A pod where there is none, and none where there is no node any more. */
async function cover(world: World, set: DaemonSet, hash: string): Promise<void> {
  const nodes = all(world, nodeKind).map(({ metadata }) => metadata.name);
  const pods = controlled(world, set, podKind);
  const covered = new Set(pods.map(nodeOf));
  for (const [index, nodeName] of nodes.entries()) {
    if (covered.has(nodeName)) continue;
    const pod = podFrom(set, set.spec?.template ?? {}, podName(world, set, index), {
      labels: { [revisionLabel]: hash },
      spec: { nodeName },
    });
    await world.objects.create(pod, controllerManager);
  }
  const astray = pods.filter((pod) => !isDeleting(pod) && (!isActive(pod) || !nodes.includes(nodeOf(pod))));
  await Promise.all(astray.map((pod) => discard(world, pod)));
}

/** compat 5.3: old pods go while no more than so many are missing. */
async function replaceOutdated(world: World, set: DaemonSet, hash: string): Promise<void> {
  const { type = 'RollingUpdate', rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return;
  const nodes = all(world, nodeKind).length;
  const allowed = Math.max(1, amount(rollingUpdate?.maxUnavailable ?? 1, nodes, Math.ceil));
  const pods = activePods(world, set);
  const missing = nodes - pods.filter((pod) => isAvailable(world, pod, set.spec?.minReadySeconds)).length;
  const outdated = pods.filter((pod) => hashOf(pod) !== hash);
  const broken = outdated.filter((pod) => !isAvailable(world, pod, set.spec?.minReadySeconds));
  const healthy = outdated.filter((pod) => !broken.includes(pod)).slice(0, Math.max(0, allowed - missing));
  await Promise.all([...broken, ...healthy].map((pod) => discard(world, pod)));
}

async function report(world: World, set: DaemonSet, hash: string): Promise<Again | undefined> {
  const wanted = all(world, nodeKind).length;
  const pods = activePods(world, set);
  const { ready, available, again } = readinessOf(world, pods, set.spec?.minReadySeconds);
  const status = {
    currentNumberScheduled: pods.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: wanted,
    numberReady: ready,
    observedGeneration: set.metadata.generation,
    ...positive({
      updatedNumberScheduled: pods.filter((pod) => hashOf(pod) === hash).length,
      numberAvailable: available,
      numberUnavailable: wanted - available,
    }),
  };
  await writeStatus(world, set, status);
  return again;
}
