import { printTime } from '#base/model';
import { limitsOf } from './canary-replicas.ts';
import { type Draft, pauseOf } from './pass.ts';
import {
  availableOf,
  byNewestRevision,
  deadlineOf,
  hashOf,
  oldestFirst,
  revisionOf,
  sizeOf,
  total,
} from './replica-sets.ts';
import {
  blueGreenOf,
  canaryOf,
  isPromoted,
  type Rollout,
  type RolloutReplicaSet,
  replicasOf,
  rolloutKey,
} from './rollout.ts';

const desiredOf = ({ metadata }: RolloutReplicaSet): number | undefined => {
  const text = metadata.annotations?.[rolloutKey.desiredReplicas];
  return text === undefined ? undefined : Number(text);
};

/** compat rollouts RH-6: whether the size of the Rollout changed since its ReplicaSets were scaled. */
export function isScalingEvent({ rollout, pass }: Draft): boolean {
  const { fresh, stable } = pass.roles;
  return [fresh, stable].some(
    (set) =>
      set !== undefined &&
      sizeOf(set) > 0 &&
      desiredOf(set) !== undefined &&
      desiredOf(set) !== replicasOf(rollout),
  );
}

/** Whether the ReplicaSet has all the pods of the Rollout, and knows that they are all. */
export const isSaturated = (rollout: Rollout, set: RolloutReplicaSet | undefined): boolean =>
  set !== undefined &&
  sizeOf(set) === replicasOf(rollout) &&
  desiredOf(set) === replicasOf(rollout) &&
  availableOf(set) === replicasOf(rollout);

/** Scales one ReplicaSet; true: its size changes. */
export function scale(draft: Draft, set: RolloutReplicaSet, size: number): boolean {
  const { rollout } = draft;
  const wanted = replicasOf(rollout);
  const isResized = sizeOf(set) !== size;
  if (!isResized && desiredOf(set) === wanted) return false;
  const expires = size === 0 && deadlineOf(set) !== undefined && !delaysAbort(draft);
  draft.patch(set, {
    metadata: {
      resourceVersion: set.metadata.resourceVersion,
      annotations: {
        [rolloutKey.desiredReplicas]: String(wanted),
        ...(expires && { [rolloutKey.scaleDownDeadline]: null }),
      },
    },
    spec: { replicas: size },
  });
  if (!isResized) return false;
  const way = sizeOf(set) < size ? 'up' : 'down';
  draft.event(
    'ScalingReplicaSet',
    `Scaled ${way} ReplicaSet ${set.metadata.name} (revision ${revisionOf(set)}) from ${sizeOf(set)} to ${size}`,
  );
  return true;
}

const date = (draft: Draft, set: RolloutReplicaSet, deadline: string | null): void =>
  draft.patch(set, {
    metadata: {
      resourceVersion: set.metadata.resourceVersion,
      annotations: { [rolloutKey.scaleDownDeadline]: deadline },
    },
  });

/** compat rollouts RH-7: a ReplicaSet that is new or stable again is not scaled down any more. */
export function removeDeadlines(draft: Draft): void {
  const { fresh, stable } = draft.pass.roles;
  const kept = new Set([delaysAbort(draft) ? undefined : fresh, stable]);
  for (const set of kept) if (set && deadlineOf(set) !== undefined) date(draft, set, null);
}

/** How long the new ReplicaSet stays after an abort, in seconds; undefined: for good. */
function abortDelay(rollout: Rollout): number | undefined {
  const delay = (canaryOf(rollout) ?? blueGreenOf(rollout))?.abortScaleDownDelaySeconds ?? 30;
  return delay === 0 ? undefined : delay;
}

/** compat rollouts RW-10: whether the new ReplicaSet of an aborted update goes only after a while. */
function delaysAbort({ rollout, pass, isAborted }: Draft): boolean {
  const canary = canaryOf(rollout);
  if (!isAborted || !pass.roles.stable || (canary && !canary.trafficRouting)) return false;
  if (abortDelay(rollout) === undefined) return false;
  // dev compat rollouts RQ-8: with dynamicStableScale the pods leave with the traffic, and an explicit delay starts after it
  return !canary?.dynamicStableScale || canary.abortScaleDownDelaySeconds !== undefined;
}

/** Scales the new ReplicaSet; true: its size changes. */
export function scaleFresh(draft: Draft, size: number): boolean {
  const { fresh } = draft.pass.roles;
  if (!fresh) return false;
  if (keepsForGood(draft)) return false;
  if (!delaysAbort(draft)) return scale(draft, fresh, size);
  const deadline = deadlineOf(fresh);
  if (deadline === undefined) return startAbortDelay(draft, fresh);
  if (deadline > draft.pass.now.getTime()) {
    draft.wake(deadline);
    return false;
  }
  return scale(draft, fresh, 0);
}

/** An abort delay of 0 means never. */
function keepsForGood({ rollout, isAborted, pass }: Draft): boolean {
  const canary = canaryOf(rollout);
  const isRouted = canary ? canary.trafficRouting !== undefined : true;
  const isReplaced = pass.roles.stable !== undefined && pass.roles.stable !== pass.roles.fresh;
  return isAborted && isRouted && isReplaced && abortDelay(rollout) === undefined;
}

function startAbortDelay(draft: Draft, fresh: RolloutReplicaSet): boolean {
  const { rollout, pass } = draft;
  const delayMs = (abortDelay(rollout) ?? 0) * 1000;
  if (availableOf(pass.roles.stable) < replicasOf(rollout) || sizeOf(fresh) === 0) return false;
  const until = pass.now.getTime() + delayMs;
  date(draft, fresh, printTime(new Date(until)));
  draft.wake(until);
  return false;
}

/** Scales the other ReplicaSets down; true: one changes its size. */
export function scaleOthers(draft: Draft): boolean {
  const others = draft.pass.roles.others.filter((set) => sizeOf(set) > 0);
  if (others.length === 0) return false;
  if (blueGreenOf(draft.rollout)) return scaleOthersOfBlueGreen(draft, others);
  return canaryOf(draft.rollout)?.trafficRouting
    ? scaleOthersOfRouted(draft, others)
    : scaleOthersByRatio(draft, others);
}

/** compat rollouts RN-11: pods that are not available first, then those of the newest revision within the limits. */
function scaleOthersByRatio(draft: Draft, others: readonly RolloutReplicaSet[]): boolean {
  const { rollout, pass } = draft;
  const unhealthy = oldestFirst(others).filter((set) => availableOf(set) < sizeOf(set));
  for (const set of unhealthy) scale(draft, set, availableOf(set));
  if (unhealthy.length > 0) return true;
  let budget = total(pass.roles.all, availableOf) - (replicasOf(rollout) - limitsOf(rollout).unavailable);
  let isScaled = false;
  for (const set of others.toSorted(byNewestRevision)) {
    if (budget <= 0) break;
    const size = Math.max(0, sizeOf(set) - budget);
    budget -= sizeOf(set) - size;
    isScaled = scale(draft, set, size) || isScaled;
  }
  return isScaled;
}

/** compat rollouts RN-11: a previous stable version waits, an intermediate one goes at once unless something refers to it. */
function scaleOthersOfRouted(draft: Draft, others: readonly RolloutReplicaSet[]): boolean {
  const { rollout } = draft;
  const { dynamicStableScale, scaleDownDelaySeconds = 30 } = canaryOf(rollout) ?? {};
  const delay = dynamicStableScale ? 0 : scaleDownDelaySeconds;
  const mayWait = (set: RolloutReplicaSet): boolean => isPromoted(rollout) || deadlineOf(set) !== undefined;
  return scaleInTime(draft, others, { delay, mayWait, sizeWhileWaiting: sizeOf });
}

/** compat rollouts RB-7, RB-8. */
function scaleOthersOfBlueGreen(draft: Draft, others: readonly RolloutReplicaSet[]): boolean {
  const { rollout } = draft;
  const delay = blueGreenOf(rollout)?.scaleDownDelaySeconds ?? 30;
  if (pauseOf(rollout, 'InconclusiveAnalysisRun') || isUnverified(draft)) return false;
  const sizeWhileWaiting = (set: RolloutReplicaSet): number =>
    deadlineOf(set) === undefined ? sizeOf(set) : replicasOf(rollout);
  return scaleInTime(draft, others, { delay, mayWait: () => true, sizeWhileWaiting });
}

/** Without a delay of its own the old version stays until the post-promotion analysis has succeeded. */
function isUnverified({ rollout, status }: Draft): boolean {
  const { postPromotionAnalysis, scaleDownDelaySeconds } = blueGreenOf(rollout) ?? {};
  if (!postPromotionAnalysis || scaleDownDelaySeconds !== undefined || isPromoted(rollout)) return false;
  return status.blueGreen?.postPromotionAnalysisRunStatus?.status !== 'Successful';
}

type Waiting = {
  readonly delay: number;
  mayWait(set: RolloutReplicaSet): boolean;
  sizeWhileWaiting(set: RolloutReplicaSet): number;
};

function scaleInTime(draft: Draft, others: readonly RolloutReplicaSet[], how: Waiting): boolean {
  let waiting = 0;
  let isScaled = false;
  for (const set of others.toSorted(byNewestRevision)) {
    if (isReferenced(draft, set)) continue;
    const isKept = how.mayWait(set) && keepsUntilDeadline(draft, set, { waiting, delay: how.delay });
    if (isKept) waiting += 1;
    isScaled = scale(draft, set, isKept ? how.sizeWhileWaiting(set) : 0) || isScaled;
  }
  return isScaled;
}

/** compat rollouts RH-7: whether an old ReplicaSet keeps its pods for now; dates one that has no date. */
function keepsUntilDeadline(
  draft: Draft,
  set: RolloutReplicaSet,
  { waiting, delay }: { readonly waiting: number; readonly delay: number },
): boolean {
  const { rollout, pass } = draft;
  const strategy = canaryOf(rollout) ?? blueGreenOf(rollout);
  const limit = strategy?.scaleDownDelayRevisionLimit ?? Number.POSITIVE_INFINITY;
  if (waiting >= limit || delay <= 0) return false;
  const now = pass.now.getTime();
  const deadline = deadlineOf(set);
  if (deadline === undefined) date(draft, set, printTime(new Date(now + delay * 1000)));
  const until = deadline ?? now + delay * 1000;
  if (until <= now) return false;
  draft.wake(until);
  return true;
}

/** compat rollouts RH-8: whether the status, a weight or a Service still names the ReplicaSet. */
function isReferenced({ rollout, pass }: Draft, set: RolloutReplicaSet): boolean {
  const hash = hashOf(set);
  const { stableRS, currentPodHash, blueGreen, canary } = rollout.status ?? {};
  const recorded = [
    ...[stableRS, currentPodHash, blueGreen?.activeSelector, blueGreen?.previewSelector],
    ...[canary?.weights?.canary.podTemplateHash, canary?.weights?.stable.podTemplateHash],
  ];
  if (hash !== '' && recorded.includes(hash)) return true;
  const { canaryService, stableService } = canaryOf(rollout) ?? {};
  const { activeService, previewService } = blueGreenOf(rollout) ?? {};
  return [canaryService, stableService, activeService, previewService].some(
    (name) => name && pass.service(name)?.spec?.selector?.[rolloutKey.hash] === hash,
  );
}

/** compat rollouts RH-8: deletes old ReplicaSets without pods, and the runs and experiments of their templates. */
export function collectHistory(draft: Draft): void {
  const { rollout, pass } = draft;
  const limit = rollout.spec?.revisionHistoryLimit ?? 10;
  const others = oldestFirst(pass.roles.others.filter((set) => !set.metadata.deletionTimestamp));
  for (const set of others.slice(0, Math.max(0, others.length - limit))) {
    const { generation = 0 } = set.metadata;
    const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
    if (sizeOf(set) > 0 || replicas > 0 || generation > observedGeneration) continue;
    draft.remove(set);
    for (const one of [...pass.runs, ...pass.experiments])
      if (one.metadata.labels?.[rolloutKey.hash] === hashOf(set)) draft.remove(one);
  }
}
