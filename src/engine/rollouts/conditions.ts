import { type Condition, conditionOf } from '#base/model';
import { manualTrafficOf } from '#engine/traffic';
import { knativeOf } from './knative/settings.ts';
import type { Draft } from './pass.ts';
import { availableOf, deadlineOf, hashOf, total } from './replica-sets.ts';
import { blueGreenOf, type Rollout, type RolloutStatus, replicasOf, stepsOf } from './rollout.ts';
import { isSaturated } from './scale.ts';

type RolloutCondition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
};

/** What has conditions and a time: the plan of a Rollout, or of an Experiment. */
type Conditioned = { readonly status: { conditions?: Condition[] }; readonly nowText: string };

/** compat rollouts RS-1: a condition is rewritten only when its status or reason changes; true: it was. */
export function setRolloutCondition(draft: Conditioned, reported: RolloutCondition, renews = false): boolean {
  const { status, nowText } = draft;
  const old = conditionOf(status.conditions ?? [], reported.type);
  if (!renews && old?.status === reported.status && old.reason === reported.reason) return false;
  const since = old?.status === reported.status ? old.lastTransitionTime : undefined;
  const { type, reason, message } = reported;
  const written: Condition = {
    ...{ type, status: reported.status, lastUpdateTime: nowText, lastTransitionTime: since ?? nowText },
    ...{ reason, message },
  };
  status.conditions = [...(status.conditions ?? []).filter((one) => one.type !== type), written];
  return true;
}

/** compat rollouts RK-14: the condition that says that a person has pinned the traffic, or why a record of that has no effect. */
export const manualTrafficType = 'ManualTraffic';

/** Whether the controller or a person holds the update. */
const isHeld = (rollout: Rollout): boolean =>
  (rollout.status?.pauseConditions ?? []).length > 0 ||
  rollout.spec?.paused === true ||
  (knativeOf(rollout) !== undefined && manualTrafficOf(rollout).record !== undefined);

export function dropCondition({ status }: Pick<Conditioned, 'status'>, type: string): void {
  status.conditions = (status.conditions ?? []).filter((one) => one.type !== type);
}

export const progressing = (
  status: RolloutCondition['status'],
  reason: string,
  message: string,
): RolloutCondition => ({
  ...{ type: 'Progressing', status, reason, message },
});

/** compat rollouts RS-1: what pauses, resumes and retries do to the conditions, at the start of a pass. */
export function notePauses(draft: Draft): void {
  const { rollout, status } = draft;
  const { conditions = [], abort } = rollout.status ?? {};
  const reason = conditionOf(conditions, 'Progressing')?.reason;
  const isPaused = isHeld(rollout);
  const isAbortNoted = reason === 'RolloutAborted';
  if (!abort && isAbortNoted)
    setRolloutCondition(draft, progressing('Unknown', 'RolloutRetry', 'Retrying Rollout after abort'));
  if (isAbortNoted) return;
  if (isPaused !== (reason === 'RolloutPaused') && !isCompleted(status)) {
    if (isPaused) setRolloutCondition(draft, progressing('Unknown', 'RolloutPaused', 'Rollout is paused'));
    else if (reason === 'RolloutPaused')
      setRolloutCondition(draft, progressing('Unknown', 'RolloutResumed', 'Rollout is resumed'));
  }
  const wasPaused = conditionOf(conditions, 'Paused')?.status === 'True';
  if (isPaused !== wasPaused) notePaused(draft, isPaused);
}

const notePaused = (draft: Draft, isPaused: boolean): void =>
  void setRolloutCondition(draft, {
    type: 'Paused',
    status: isPaused ? 'True' : 'False',
    reason: 'RolloutPaused',
    message: isPaused ? 'Rollout is paused' : 'Rollout is not paused',
  });

const isCompleted = ({ stableRS, currentPodHash }: RolloutStatus): boolean =>
  stableRS !== undefined && stableRS !== '' && stableRS === currentPodHash;

/** compat rollouts RS-1: the conditions after a pass. */
export function updateConditions(draft: Draft): void {
  const isHealthy = isHealthyStatus(draft);
  const becameUnhealthy = noteHealth(draft, isHealthy);
  if (draft.isAborted) noteAbort(draft);
  else noteProgress(draft, isHealthy, becameUnhealthy);
  noteAvailability(draft);
  noteFailures(draft);
  noteCompletion(draft);
}

function noteHealth(draft: Draft, isHealthy: boolean): boolean {
  const { rollout, status } = draft;
  const isPaused = isHeld(rollout);
  const reported = { type: 'Healthy', reason: 'RolloutHealthy' } as const;
  if (isHealthy && !isPaused) {
    setRolloutCondition(draft, { ...reported, status: 'True', message: 'Rollout is healthy' });
    return false;
  }
  if (!conditionOf(status.conditions ?? [], 'Healthy')) return false;
  return setRolloutCondition(draft, { ...reported, status: 'False', message: 'Rollout is not healthy' });
}

function noteAbort(draft: Draft): void {
  const cause = draft.abortMessage ? `: ${draft.abortMessage}` : '';
  const message = `Rollout aborted update to revision ${draft.revision}${cause}`;
  if (setRolloutCondition(draft, progressing('False', 'RolloutAborted', message)))
    draft.event('RolloutAborted', message, 'Warning');
}

function noteProgress(draft: Draft, isHealthy: boolean, becameUnhealthy: boolean): void {
  const { pass, rollout } = draft;
  const subject = pass.roles.fresh
    ? `${pass.roles.fresh.kind} "${pass.roles.fresh.metadata.name}"`
    : `Rollout "${rollout.metadata.name}"`;
  if (isHealthy) {
    const message = `${subject} has successfully progressed.`;
    setRolloutCondition(draft, progressing('True', 'NewReplicaSetAvailable', message));
  } else if (becameUnhealthy && isCompleted(draft.status)) {
    const message = 'Rollout does not have minimum availability';
    setRolloutCondition(draft, progressing('True', 'ReplicaSetNotAvailable', message), true);
  } else if (becameUnhealthy || hasProgressed(draft)) {
    setRolloutCondition(draft, progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`), true);
  } else if (isTimedOut(draft)) noteTimeout(draft, `${subject} has timed out progressing.`);
}

function noteTimeout(draft: Draft, message: string): void {
  setRolloutCondition(draft, progressing('False', 'ProgressDeadlineExceeded', message));
  // compat rollouts RK-6: a Knative Service returns to its stable version unless the Rollout says otherwise
  const aborts = draft.rollout.spec?.progressDeadlineAbort ?? knativeOf(draft.rollout) !== undefined;
  if (!aborts || isCompleted(draft.status)) return;
  draft.abort(message);
  noteAbort(draft);
}

/** compat rollouts RN-12: any change of counts, step, hash, stable version or selector. */
function hasProgressed({ rollout, status }: Draft): boolean {
  const old = rollout.status ?? {};
  if (knativeOf(rollout)) return fingerprint(status) !== fingerprint(old);
  const oldPods = (of: RolloutStatus): number => (of.replicas ?? 0) - (of.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) !== (old.updatedReplicas ?? 0) ||
    oldPods(status) < oldPods(old) ||
    (status.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (old.availableReplicas ?? 0) ||
    fingerprint(status) !== fingerprint(old)
  );
}

const fingerprint = ({ stableRS, currentStepIndex, currentStepHash, blueGreen }: RolloutStatus): string =>
  JSON.stringify([
    ...[stableRS ?? '', currentStepIndex ?? -1, currentStepHash ?? ''],
    ...[blueGreen?.activeSelector ?? '', blueGreen?.previewSelector ?? ''],
  ]);

/** Whether the current step lasts as long as it takes. */
function isIndefinite(rollout: Draft['rollout']): boolean {
  const step = stepsOf(rollout)[rollout.status?.currentStepIndex ?? 0];
  return step?.pause !== undefined || step?.analysis !== undefined || step?.experiment !== undefined;
}

/** compat rollouts RN-12. */
function isTimedOut(draft: Draft): boolean {
  const due = deadlineAt(draft);
  if (due === undefined) return false;
  if (draft.pass.now.getTime() > due) return true;
  draft.wake(due + 1000);
  return false;
}

/** When the progress deadline passes; undefined: it is not counted now. */
function deadlineAt({ rollout, status, pass }: Draft): number | undefined {
  const condition = conditionOf(status.conditions ?? [], 'Progressing');
  if (!condition || condition.reason === 'RolloutPaused' || condition.reason === 'RolloutAborted')
    return undefined;
  if (condition.reason === 'ProgressDeadlineExceeded') return 0;
  if (isIndefinite(rollout) || conditionOf(status.conditions ?? [], 'Paused')?.status === 'True')
    return undefined;
  if (pass.roles.others.some((set) => deadlineOf(set) !== undefined)) return undefined;
  const seconds = rollout.spec?.progressDeadlineSeconds ?? 600;
  return (Date.parse(condition.lastUpdateTime ?? '') || 0) + seconds * 1000;
}

function noteAvailability(draft: Draft): void {
  const { rollout, pass, status } = draft;
  const active = pass.roles.all.find((set) => hashOf(set) === status.blueGreen?.activeSelector);
  const isAvailable = blueGreenOf(rollout)
    ? isSaturated(rollout, active)
    : total(pass.roles.all, availableOf) >= replicasOf(rollout);
  setRolloutCondition(draft, {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: 'AvailableReason',
    message: `Rollout ${isAvailable ? 'has' : 'does not have'} minimum availability`,
  });
}

function noteFailures(draft: Draft): void {
  const { fresh, all } = draft.pass.roles;
  const sets = fresh ? [fresh, ...all] : all;
  const failure = sets
    .flatMap((set) => set.status?.conditions ?? [])
    .find(({ type }) => type === 'ReplicaFailure');
  if (!failure) {
    dropCondition(draft, 'ReplicaFailure');
    return;
  }
  const { status, reason = '', message = '' } = failure;
  setRolloutCondition(draft, {
    type: 'ReplicaFailure',
    status: status as RolloutCondition['status'],
    reason,
    message,
  });
}

function noteCompletion(draft: Draft): void {
  const { status } = draft;
  const isDone = isCompleted(status);
  const reported = { type: 'Completed', reason: 'RolloutCompleted', message: 'RolloutCompleted' } as const;
  const isNew = setRolloutCondition(draft, { ...reported, status: isDone ? 'True' : 'False' });
  if (isNew && !isDone) reportStart(draft);
}

/** compat rollouts RE-1: an update, or the first version, has begun. */
export const reportStart = (draft: Draft): void =>
  draft.event(
    'RolloutNotCompleted',
    `Rollout not completed, started update to revision ${draft.revision} (${draft.status.currentPodHash})`,
  );

function isHealthyStatus({ rollout, status, waitsFor }: Draft): boolean {
  const size = replicasOf(rollout);
  const isObserved = rollout.status?.observedGeneration === String(rollout.metadata.generation ?? 0);
  // compat rollouts RK-11
  if (knativeOf(rollout)) return isObserved && isCompleted(status) && waitsFor === undefined;
  const isComplete = blueGreenOf(rollout) ? isSwitched(rollout, status) : isStable(rollout, status);
  return (
    isObserved &&
    isComplete &&
    (status.updatedReplicas ?? 0) === size &&
    (status.availableReplicas ?? 0) === size
  );
}

function isSwitched(rollout: Draft['rollout'], status: RolloutStatus): boolean {
  const { activeSelector, previewSelector } = status.blueGreen ?? {};
  const isPreviewed = !blueGreenOf(rollout)?.previewService || previewSelector === status.currentPodHash;
  return activeSelector === status.currentPodHash && isPreviewed;
}

function isStable(rollout: Draft['rollout'], status: RolloutStatus): boolean {
  const count = stepsOf(rollout).length;
  const isThrough = count === 0 || status.currentStepIndex === undefined || status.currentStepIndex === count;
  return isThrough && isCompleted(status) && (status.replicas ?? 0) === replicasOf(rollout);
}
