import { conditionOf, printSelector, selectorOf } from '#base/model';
import { clone, equal } from '#base/std';
import { dropCondition, reportStart, setRolloutCondition, updateConditions } from './conditions.ts';
import { stepHash, templateHash } from './hash.ts';
import { Draft, isResumed, type RolloutPlan } from './pass.ts';
import { phaseOf } from './phase.ts';
import { actualOf, availableOf, hashOf, readyOf, total } from './replica-sets.ts';
import { blueGreenOf, canaryOf, type PauseCondition, type Rollout, rolloutKey, stepsOf } from './rollout.ts';

/** The hash of the current template: that of its ReplicaSet, if it has one. */
const currentHash = ({ rollout, pass }: Draft): string =>
  hashOf(pass.roles.fresh) || templateHash(rollout.spec?.template ?? {}, rollout.status?.collisionCount);

/** compat rollouts RN-8: whether the template changed since the last pass. */
export const isTemplateChanged = (draft: Draft): boolean => {
  const known = draft.rollout.status?.currentPodHash ?? '';
  return known !== '' && known !== currentHash(draft);
};

export const areStepsChanged = ({ rollout }: Draft): boolean => {
  const known = rollout.status?.currentStepHash ?? '';
  return known !== '' && known !== stepHash(canaryOf(rollout)?.steps);
};

/** The counts of pods. compat rollouts RB-9: with blue-green those of the active ReplicaSet. */
export function countPods(draft: Draft): void {
  const { pass, rollout, status } = draft;
  const { all, fresh } = pass.roles;
  status.currentPodHash = currentHash(draft);
  status.replicas = total(all, actualOf);
  status.updatedReplicas = actualOf(fresh);
  status.readyReplicas = total(all, readyOf);
  status.availableReplicas = total(all, availableOf);
  status.HPAReplicas = hpaReplicas(draft);
  status.selector = printSelector(selectorOf(rollout.spec?.selector));
  const active = all.find((set) => hashOf(set) === status.blueGreen?.activeSelector);
  if (!blueGreenOf(rollout) || !active) return;
  status.HPAReplicas = actualOf(active);
  status.availableReplicas = availableOf(active);
  status.readyReplicas = readyOf(active);
  status.selector = printSelector(selectorOf(active.spec?.selector));
}

/** dev compat rollouts RQ-7: an autoscaler that counts both versions would inflate the size; an annotation counts one. */
function hpaReplicas({ rollout, pass }: Draft): number {
  const { all, stable, fresh } = pass.roles;
  const isStableOnly = rollout.metadata.annotations?.['fairlead.io/hpa-basis'] === 'stable';
  const { trafficRouting, dynamicStableScale } = canaryOf(rollout) ?? {};
  const isUpdating = stable !== undefined && stable !== fresh;
  if (isStableOnly && isUpdating && trafficRouting && !dynamicStableScale) return actualOf(stable);
  return total(all, actualOf);
}

/** compat rollouts RN-8: a new template starts over. */
export function resetStatus(draft: Draft): void {
  const { rollout, status } = draft;
  draft.clearPauses();
  draft.isAbortRemoved = true;
  delete status.promoteFull;
  const { restartAt } = rollout.spec ?? {};
  if (restartAt) status.restartedAt = restartAt;
  for (const name of ['prePromotionAnalysisRunStatus', 'postPromotionAnalysisRunStatus'] as const)
    delete status.blueGreen?.[name];
  delete status.blueGreen?.scaleUpPreviewCheckPoint;
  for (const name of [
    'currentStepAnalysisRunStatus',
    'currentBackgroundAnalysisRunStatus',
    'stepPluginStatuses',
    'currentExperiment',
  ] as const)
    delete status.canary?.[name];
  setIndex(draft, stepsOf(rollout).length > 0 ? 0 : undefined);
  draft.areRunsReconciled = true;
}

export function setIndex({ status }: Draft, index: number | undefined): void {
  if (index === undefined) delete status.currentStepIndex;
  else status.currentStepIndex = index;
}

/** compat rollouts RN-10: the current template becomes the stable one. */
export function promote(draft: Draft, reason: string): void {
  const { rollout, status } = draft;
  draft.clearPauses();
  draft.isAbortRemoved = true;
  delete status.promoteFull;
  delete status.blueGreen?.scaleUpPreviewCheckPoint;
  if (canaryOf(rollout)) {
    const count = stepsOf(rollout).length;
    setIndex(draft, count > 0 ? count : undefined);
  }
  if (status.stableRS === status.currentPodHash) return;
  // the first version begins and completes in one pass
  if (!conditionOf(status.conditions ?? [], 'Completed')) reportStart(draft);
  status.stableRS = status.currentPodHash ?? '';
  draft.event(
    'RolloutCompleted',
    `Rollout completed update to revision ${draft.revision} (${status.currentPodHash}): ${reason}`,
  );
}

/** Completes the status: conditions, pauses, abort, phase. */
export function finish(draft: Draft): RolloutPlan {
  dropCondition(draft, 'InvalidSpec');
  updateConditions(draft);
  setAbort(draft);
  setPauses(draft);
  return planOf(draft);
}

/** The plan as it stands, with the phase that its status amounts to. */
export function planOf(draft: Draft): RolloutPlan {
  const { rollout, status, writes, events, wakeAt } = draft;
  status.observedGeneration = String(rollout.metadata.generation ?? 0);
  const generation = rollout.metadata.annotations?.[rolloutKey.workloadGeneration];
  if (rollout.spec?.workloadRef && generation !== undefined) status.workloadObservedGeneration = generation;
  const { phase, message } = phaseOf(rollout, status, draft.waitsFor);
  status.phase = phase;
  if (message === '') delete status.message;
  else status.message = message;
  notePauseChange(draft);
  const isSame = equal(tidy(status), tidy(rollout.status ?? {}));
  return { writes, events, wakeAt, status: isSame ? undefined : tidy(status) };
}

/** Empty parts are left out, as the peer's types print them. */
function tidy(status: Rollout['status'] & object): Rollout['status'] & object {
  const copy = clone(status);
  for (const part of ['canary', 'blueGreen'] as const) {
    const value = copy[part];
    if (value && Object.keys(value).length === 0) delete copy[part];
  }
  if (copy.pauseConditions?.length === 0) delete copy.pauseConditions;
  for (const flag of ['abort', 'promoteFull', 'controllerPause'] as const) if (!copy[flag]) delete copy[flag];
  return copy;
}

function notePauseChange(draft: Draft): void {
  const before = (draft.rollout.status?.pauseConditions ?? []).length > 0;
  const [first] = draft.status.pauseConditions ?? [];
  if (before === (first !== undefined)) return;
  if (first) draft.event('RolloutPaused', `Rollout is paused (${first.reason})`);
  else if (draft.status.abortedAt === undefined) draft.event('RolloutResumed', 'Rollout is resumed');
}

function setAbort({ rollout, status, isAborted, nowText, areRunsReconciled }: Draft): void {
  if (isAborted) {
    status.abort = true;
    status.abortedAt = rollout.status?.abortedAt ?? nowText;
    return;
  }
  delete status.abort;
  if (areRunsReconciled) delete status.abortedAt;
}

/** compat rollouts RW-3: a resume by a person stays recorded until a pass has acted on it. */
function setPauses(draft: Draft): void {
  const { rollout, status, added, removed, nowText } = draft;
  const before = rollout.status?.pauseConditions ?? [];
  const kept = before.filter(({ reason }) => !removed.has(reason));
  const fresh = [...added]
    .filter((reason) => !before.some((one) => one.reason === reason))
    .map((reason): PauseCondition => ({ reason, startTime: nowText }));
  const all = draft.isAborted || draft.arePausesCleared ? [] : [...kept, ...fresh];
  status.pauseConditions = all;
  const isWaiting =
    isResumed(rollout) && !draft.isResumeConsumed && !draft.isAborted && !draft.arePausesCleared;
  status.controllerPause =
    fresh.length > 0 || (all.length > 0 && rollout.status?.controllerPause === true) || isWaiting;
}

/** compat rollouts RV-1: reports what is wrong with the spec, and touches nothing else. */
export function invalidPlan(draft: Draft, problem: string): RolloutPlan {
  const { rollout, status } = draft;
  const message = `The Rollout "${rollout.metadata.name}" is invalid: ${problem}`;
  const old = conditionOf(status.conditions ?? [], 'InvalidSpec');
  const isNew = old?.message !== message;
  setRolloutCondition(draft, { type: 'InvalidSpec', status: 'True', reason: 'InvalidSpec', message }, isNew);
  draft.wake(draft.pass.now.getTime() + 20_000);
  return planOf(draft);
}

const nothing = { all: [], fresh: undefined, stable: undefined, others: [] };

/** compat rollouts RQ-13: reports a pass that fails again and again; the next good pass removes it. */
export function failedPlan(rollout: Rollout, message: string, now: Date): RolloutPlan {
  const none = (): undefined => undefined;
  const reads = { service: none, find: none, template: none, runs: [], experiments: [], pods: [] };
  const draft = new Draft({ rollout, roles: nothing, now, ...reads });
  const type = 'ReconciliationError';
  const isNew = conditionOf(draft.status.conditions ?? [], type)?.message !== message;
  setRolloutCondition(draft, { type, status: 'True', reason: type, message }, isNew);
  return planOf(draft);
}
