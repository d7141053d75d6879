import type { KubeObject } from '#base/model';
import { pruneRevisions, recordRevision } from '../controller-revision.ts';
import { podKind, statefulSetKind } from '../kinds.ts';
import { isActive, phaseOf } from '../pod/view.ts';
import { ownerKey, positive } from '../replica-set.ts';
import { isAvailable, readinessOf } from '../replicas.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  type SimulationContext,
} from '../simulation-context.ts';
import { controlled, isDeleting, storedObject, writeStatus } from '../write.ts';
import { addPod, removePod } from './pods.ts';
import {
  hashOf,
  isParallel,
  isRolling,
  ordinalOf,
  type Plan,
  partitionOf,
  type StatefulSet,
} from './view.ts';

/** Keeps numbered pods, created one after another, each with volumes of its own. */
export const statefulSetController: Controller = {
  type: statefulSetKind,
  wakes: [{ type: podKind, keys: (_context, event) => ownerKey('StatefulSet', event) }],
  async reconcile(context, object): Promise<NextPass | undefined> {
    const set = object as StatefulSet;
    const update = isDeleting(set) ? '' : await recordRevision(context, set, set.spec?.template ?? {});
    const plan = planOf(context, set, update);
    const replaced = isDeleting(set) ? 0 : await takeStep(context, plan);
    const again = await report(context, plan, replaced);
    const used = new Set([update, plan.current, ...plan.pods.map(hashOf)]);
    await pruneRevisions(context, set, used, set.spec?.revisionHistoryLimit ?? 10);
    return again;
  },
};

function planOf(context: SimulationContext, set: StatefulSet, update: string): Plan {
  const { replicas = 1, ordinals } = set.spec ?? {};
  const start = ordinals?.start ?? 0;
  const pods = controlled(context, set, podKind).sort((a, b) => ordinalOf(a) - ordinalOf(b));
  const recorded = set.status?.currentRevision?.slice(set.metadata.name.length + 1);
  return {
    set,
    current: recorded || update,
    update,
    pods,
    ordinals: Array.from({ length: replicas }, (_, i) => start + i),
  };
}

/** Returns how many pods were deleted to be replaced. */
async function takeStep(context: SimulationContext, plan: Plan): Promise<number> {
  if (!(await fillGaps(context, plan))) return 0;
  const { set, ordinals, pods } = plan;
  const wanted = new Set(ordinals);
  const surplus = pods.filter((pod) => !wanted.has(ordinalOf(pod))).toReversed();
  const going = (isParallel(set) ? surplus : surplus.slice(0, 1)).filter((pod) => !isDeleting(pod));
  await Promise.all(going.map((pod) => removePod(context, set, pod, true)));
  if (surplus.length > 0 && !isParallel(set)) return 0;
  return isRolling(set) ? replaceOutdated(context, plan) : 0;
}

/**
 * compat cluster 5.3: lower ordinals first; the next only when all before it are ready, unless the policy is
 * Parallel. False while a pod has to be waited for.
 */
async function fillGaps(context: SimulationContext, plan: Plan): Promise<boolean> {
  const { set, ordinals, pods } = plan;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  for (const ordinal of ordinals) {
    const pod = byOrdinal.get(ordinal);
    if (!pod) await addPod(context, plan, ordinal);
    else if (!isActive(pod) && !isDeleting(pod)) await removePod(context, set, pod);
    const isUp = pod !== undefined && isActive(pod) && isAvailable(context, pod, set.spec?.minReadySeconds);
    if (!isUp && !isParallel(set)) return false;
  }
  return true;
}

/** compat cluster 5.3: highest first, one at a time, none below the partition. */
async function replaceOutdated(
  context: SimulationContext,
  { set, pods, ordinals, update }: Plan,
): Promise<number> {
  const wanted = new Set(ordinals);
  for (const pod of pods.filter((one) => wanted.has(ordinalOf(one))).toReversed()) {
    if (ordinalOf(pod) < partitionOf(set) || isDeleting(pod)) return 0;
    if (hashOf(pod) !== update) {
      await removePod(context, set, pod);
      return 1;
    }
    if (!isAvailable(context, pod, set.spec?.minReadySeconds)) return 0;
  }
  return 0;
}

/**
 * compat cluster 5.3: reports the pods as they were before the step; terminating pods still count as existing and
 * ready.
 */
async function report(
  context: SimulationContext,
  plan: Plan,
  replaced: number,
): Promise<NextPass | undefined> {
  const set = storedObject(context, statefulSetKind, keyOfObject(plan.set)) as StatefulSet | undefined;
  if (!set) return undefined;
  const { current, update, pods } = plan;
  const { name, generation: observedGeneration } = plan.set.metadata;
  const { ready, available, again } = readinessOf(context, pods.filter(isRunning), set.spec?.minReadySeconds);
  const staying = pods.filter((pod) => !isDeleting(pod));
  const updated = staying.filter((pod) => hashOf(pod) === update).length;
  const wanted = plan.ordinals.length;
  const isDone =
    isRolling(set) && replaced === 0 && [pods.length, ready, updated].every((count) => count === wanted);
  const settled = isDone ? update : current;
  await writeStatus(context, set, {
    observedGeneration,
    replicas: pods.length,
    ...positive({
      readyReplicas: ready,
      currentReplicas: staying.filter((pod) => hashOf(pod) === settled).length - replaced,
      updatedReplicas: updated,
    }),
    availableReplicas: available,
    currentRevision: `${name}-${settled}`,
    updateRevision: `${name}-${update}`,
    collisionCount: set.status?.collisionCount ?? 0,
  });
  return again;
}

const isRunning = (pod: KubeObject): boolean => phaseOf(pod) === 'Running';
