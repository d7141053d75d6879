import { isThresholdMet, stepIndexOf } from './canary-replicas.ts';
import { injectMetadata } from './ephemeral-metadata.ts';
import { reconcileExperiments } from './experiment-step.ts';
import {
  areStepsChanged,
  countPods,
  finish,
  isTemplateChanged,
  promote,
  resetStatus,
  setIndex,
} from './finish.ts';
import { stepHash } from './hash.ts';
import { type Draft, haltReason, isResumed, pauseOf, type RolloutPlan } from './pass.ts';
import { availableOf, hashOf, isRollbackInWindow, sizeOf } from './replica-sets.ts';
import { restartPods } from './restart.ts';
import { canaryOf, isPromoted, replicasOf, stepsOf } from './rollout.ts';
import { reconcileTraffic } from './routers/reconcile-traffic.ts';
import { reconcileRuns } from './runs.ts';
import { collectHistory, removeDeadlines, scale, scaleFresh, scaleOthers } from './scale.ts';
import { reconcileCanaryServices } from './services.ts';
import { currentStep, describeStep, isStepDone, pauseEnd } from './steps.ts';
import { sizesFor } from './traffic.ts';

/** compat rollouts §4: one pass over a Rollout with the canary strategy. */
export function planCanary(draft: Draft): RolloutPlan {
  if (isTemplateChanged(draft) || areStepsChanged(draft)) return startOver(draft);
  if (restartPods(draft)) return canaryStatus(draft);
  injectMetadata(draft);
  collectHistory(draft);
  reconcileCanaryServices(draft);
  reconcileTraffic(draft);
  reconcileExperiments(draft);
  reconcileRuns(draft);
  if (!scaleCanary(draft)) pauseAtStep(draft);
  return canaryStatus(draft);
}

/** compat rollouts §4: stable, new, others; stops at the first that changes its size. */
export function scaleCanary(draft: Draft): boolean {
  if (haltReason(draft) !== undefined) return false;
  const { stable, fresh } = draft.pass.roles;
  removeDeadlines(draft);
  const sizes = sizesFor(draft);
  if (stable && stable !== fresh && scale(draft, stable, sizes.stable)) return true;
  return scaleFresh(draft, sizes.fresh) || scaleOthers(draft);
}

/** compat rollouts RN-8. */
function startOver(draft: Draft): RolloutPlan {
  const { rollout, pass } = draft;
  const { fresh } = pass.roles;
  const { length } = stepsOf(rollout);
  countPods(draft);
  resetStatus(draft);
  draft.status.currentStepHash = stepHash(canaryOf(rollout)?.steps);
  if (fresh && length > 0) {
    const isBack = rollout.status?.stableRS === hashOf(fresh);
    const isRecent = isRollbackInWindow(rollout, pass.roles) && sizeOf(fresh) > 0;
    if (isBack) draft.event('SkipSteps', 'Rollback to stable ReplicaSets');
    else if (isRecent) draft.event('SkipSteps', 'Rollback to active ReplicaSets within RollbackWindow');
    if (isBack || isRecent) setIndex(draft, length);
  }
  return finish(draft);
}

const gateRemark =
  'spec.strategy.canary.autoPromotionEnabled is false: the Rollout waits after its last step; Argo Rollouts would refuse or ignore the field';

/** compat rollouts RN-7: the pause of the current step, and rollouts RM-1: the one after the last step. */
export function pauseAtStep(draft: Draft): void {
  const { rollout } = draft;
  if (rollout.spec?.paused || rollout.status?.promoteFull || draft.isAborted) return;
  const isGate = isAtLastGate(draft);
  if (!currentStep(rollout)?.pause && !isGate) return;
  if (!pauseOf(rollout, 'CanaryPauseStep') && !isResumed(rollout)) {
    draft.added.add('CanaryPauseStep');
    if (isGate) draft.event('RolloutRemark', gateRemark, 'Warning');
  }
  const end = pauseEnd(rollout);
  if (end !== undefined) draft.wake(end);
}

/** dev compat rollouts RM-1: `autoPromotionEnabled: false` of a canary waits for a person after the last step. */
function isAtLastGate(draft: Draft): boolean {
  const { rollout, pass } = draft;
  if (canaryOf(rollout)?.autoPromotionEnabled !== false || !pass.roles.stable) return false;
  if (isPromoted(rollout) || isRollbackInWindow(rollout, pass.roles)) return false;
  return stepIndexOf(rollout) === stepsOf(rollout).length && isFreshComplete(draft);
}

function isFreshComplete({ rollout, pass }: Draft): boolean {
  const size = replicasOf(rollout);
  return availableOf(pass.roles.fresh) >= size || isThresholdMet(rollout, pass.roles.fresh, size);
}

function canaryStatus(draft: Draft): RolloutPlan {
  const { rollout, pass, status } = draft;
  const { length } = stepsOf(rollout);
  countPods(draft);
  status.stableRS = rollout.status?.stableRS ?? '';
  status.currentStepHash = stepHash(canaryOf(rollout)?.steps);
  setIndex(draft, stepIndexOf(rollout));
  if (rollout.status?.promoteFull || isRollbackInWindow(rollout, pass.roles)) {
    draft.clearPauses();
    draft.isAbortRemoved = true;
    if (length > 0) setIndex(draft, length);
  }
  const reason = promotionReason(draft);
  if (reason !== undefined) promote(draft, reason);
  else if (draft.isAborted) abortIndex(draft, length);
  else if (isStepDone(draft)) completeStep(draft, length);
  return finish(draft);
}

export function abortIndex(draft: Draft, length: number): void {
  const { stableRS, currentPodHash } = draft.status;
  // compat rollouts RW-11: there is nothing to abort
  if (stableRS === currentPodHash) draft.isAbortRemoved = true;
  if (length > 0) setIndex(draft, stableRS === currentPodHash ? length : 0);
}

export function completeStep(draft: Draft, length: number): void {
  const { rollout, status } = draft;
  const step = currentStep(rollout);
  const next = (stepIndexOf(rollout) ?? 0) + 1;
  setIndex(draft, next);
  delete status.canary?.currentStepAnalysisRunStatus;
  delete status.canary?.currentExperiment;
  draft.removed.add('CanaryPauseStep');
  draft.added.delete('CanaryPauseStep');
  draft.isResumeConsumed = true;
  draft.event(
    'RolloutStepCompleted',
    `Rollout step ${next}/${length} completed (${step ? describeStep(step) : ''})`,
  );
}

/** compat rollouts RN-10: why the current template is now the stable one; undefined: it is not. */
function promotionReason(draft: Draft): string | undefined {
  const { rollout, pass } = draft;
  if (!pass.roles.stable) return 'Initial deploy';
  if (draft.isAborted || !isFreshComplete(draft)) return undefined;
  if (rollout.status?.promoteFull) return 'Full promotion requested';
  if (isRollbackInWindow(rollout, pass.roles)) return 'Rollback within window';
  const { length } = stepsOf(rollout);
  if (length > 0 && stepIndexOf(rollout) !== length) return undefined;
  if (draft.status.canary?.weights?.verified === false && !isPromoted(rollout)) return undefined;
  if (isAtLastGate(draft) && !isResumed(rollout)) return undefined;
  return `Completed all ${length} canary steps`;
}
