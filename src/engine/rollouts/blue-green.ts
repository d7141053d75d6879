import { injectMetadata } from './ephemeral-metadata.ts';
import { countPods, finish, isTemplateChanged, promote, resetStatus } from './finish.ts';
import { type Draft, haltReason, isResumed, pauseOf, type RolloutPlan, type RolloutService } from './pass.ts';
import { availableOf, deadlineOf, hashOf, isRollbackInWindow, sizeOf } from './replica-sets.ts';
import { restartPods } from './restart.ts';
import { blueGreenOf, type RolloutReplicaSet, replicasOf } from './rollout.ts';
import { reconcileRuns } from './runs.ts';
import { collectHistory, isSaturated, removeDeadlines, scale, scaleFresh, scaleOthers } from './scale.ts';
import { selectedHash, switchService } from './services.ts';

/** compat rollouts §7: one pass over a Rollout with the blue-green strategy. */
export function planBlueGreen(draft: Draft): RolloutPlan {
  const { rollout, pass } = draft;
  const { activeService = '', previewService } = blueGreenOf(rollout) ?? {};
  const active = pass.service(activeService);
  const preview = previewService ? pass.service(previewService) : undefined;
  const { fresh } = pass.roles;
  // compat rollouts RB-2
  if (preview && fresh && haltReason(draft) === undefined) switchService(draft, preview, hashOf(fresh));
  if (!isTemplateChanged(draft)) {
    restartPods(draft);
    scaleBlueGreen(draft);
    pauseBeforeSwitch(draft, active);
    if (active) switchActive(draft, active);
    reconcileRuns(draft);
    injectMetadata(draft);
  }
  return blueGreenStatus(draft, { active, preview });
}

/** compat rollouts RB-1: stable, new, others, then the history. */
export function scaleBlueGreen(draft: Draft): void {
  const { rollout, pass } = draft;
  const { stable, fresh } = pass.roles;
  if (haltReason(draft) !== undefined) return;
  removeDeadlines(draft);
  if (stable && stable !== fresh) scale(draft, stable, replicasOf(rollout));
  scaleFresh(draft, freshSize(draft));
  scaleOthers(draft);
  collectHistory(draft);
}

/** compat rollouts RB-5. */
function freshSize({ rollout, pass }: Draft): number {
  const size = replicasOf(rollout);
  const count = blueGreenOf(rollout)?.previewReplicaCount;
  const { activeSelector, scaleUpPreviewCheckPoint } = rollout.status?.blueGreen ?? {};
  const active = pass.roles.all.find((set) => hashOf(set) === activeSelector);
  if (count === undefined || !active || active === pass.roles.fresh || rollout.status?.promoteFull)
    return size;
  if (hashOf(pass.roles.fresh) !== rollout.status?.currentPodHash) return count;
  const isPaused = rollout.spec?.paused || (rollout.status?.pauseConditions ?? []).length > 0;
  return scaleUpPreviewCheckPoint && !isPaused ? size : count;
}

/** compat rollouts RB-3: no pause and no analysis are due. */
function isFastTracked({ rollout, pass }: Draft, active: RolloutService): boolean {
  const { fresh } = pass.roles;
  const selected = selectedHash(active);
  return (
    deadlineOf(fresh) !== undefined ||
    rollout.status?.promoteFull === true ||
    selected === '' ||
    selected === hashOf(fresh)
  );
}

const needsPause = ({ rollout }: Draft): boolean => {
  const { autoPromotionEnabled = true, autoPromotionSeconds = 0 } = blueGreenOf(rollout) ?? {};
  return !autoPromotionEnabled || autoPromotionSeconds > 0;
};

/** compat rollouts RB-6. */
function pauseBeforeSwitch(draft: Draft, active: RolloutService | undefined): void {
  const { rollout, pass } = draft;
  const { fresh } = pass.roles;
  if (draft.isAborted || !active || !fresh || haltReason(draft) !== undefined) return;
  const size = freshSize(draft);
  if (sizeOf(fresh) !== size || availableOf(fresh) !== size) return;
  const isDone = rollout.status?.blueGreen?.scaleUpPreviewCheckPoint === true;
  if (isFastTracked(draft, active) || isDone || !needsPause(draft)) {
    draft.removed.add('BlueGreenPause');
    return;
  }
  if (isVerifiedBefore(draft)) holdPause(draft);
}

function holdPause(draft: Draft): void {
  const { rollout } = draft;
  if (!pauseOf(rollout, 'BlueGreenPause')) {
    if (!isResumed(rollout)) draft.added.add('BlueGreenPause');
  } else if (isPauseOver(draft)) draft.removed.add('BlueGreenPause');
  else draft.wake(pauseEnd(draft) ?? Number.POSITIVE_INFINITY);
}

/** When the pause ends by itself; undefined: it does not. */
function pauseEnd({ rollout }: Draft): number | undefined {
  const { autoPromotionEnabled = true, autoPromotionSeconds = 0 } = blueGreenOf(rollout) ?? {};
  const since = pauseOf(rollout, 'BlueGreenPause')?.startTime;
  if (!autoPromotionEnabled || autoPromotionSeconds <= 0 || since === undefined) return undefined;
  return Date.parse(since) + autoPromotionSeconds * 1000;
}

function isPauseOver(draft: Draft): boolean {
  const { rollout, pass } = draft;
  if (draft.added.size > 0) return false;
  if (rollout.status?.blueGreen?.scaleUpPreviewCheckPoint || !needsPause(draft)) return true;
  const end = pauseEnd(draft);
  if (end !== undefined && pass.now.getTime() >= end) return true;
  return isResumed(rollout);
}

function isVerifiedBefore({ rollout, status }: Draft): boolean {
  if (!blueGreenOf(rollout)?.prePromotionAnalysis) return true;
  const name = status.blueGreen?.prePromotionAnalysisRunStatus;
  return name?.status === 'Successful';
}

/** compat rollouts RB-3: the active Service selects what the state allows. */
function switchActive(draft: Draft, active: RolloutService): void {
  const { rollout, pass } = draft;
  const stableHash = rollout.status?.stableRS ?? '';
  if (draft.isAborted) {
    if (stableHash !== '') switchService(draft, active, stableHash);
    return;
  }
  if (haltReason(draft) !== undefined || !isSaturated(rollout, pass.roles.fresh)) return;
  const mayMove = isFastTracked(draft, active) || (isPauseOver(draft) && isVerifiedNow(draft));
  if (!mayMove) return;
  switchService(draft, active, hashOf(pass.roles.fresh));
  draft.removed.add('BlueGreenPause');
  draft.isResumeConsumed = true;
}

/** The verdict of the pre-promotion run as the run itself has it now. */
function isVerifiedNow(draft: Draft): boolean {
  if (!blueGreenOf(draft.rollout)?.prePromotionAnalysis) return true;
  const name = draft.rollout.status?.blueGreen?.prePromotionAnalysisRunStatus?.name;
  return draft.pass.runs.find(({ metadata }) => metadata.name === name)?.status?.phase === 'Successful';
}

type Services = {
  readonly active: RolloutService | undefined;
  readonly preview: RolloutService | undefined;
};

function blueGreenStatus(draft: Draft, { active, preview }: Services): RolloutPlan {
  const { rollout, pass, status } = draft;
  status.stableRS = rollout.status?.stableRS ?? '';
  const isChanged = isTemplateChanged(draft);
  if (isChanged) resetStatus(draft);
  if (rollout.status?.promoteFull || isRollbackInWindow(rollout, pass.roles)) {
    draft.clearPauses();
    draft.isAbortRemoved = true;
  }
  status.blueGreen = {
    ...status.blueGreen,
    ...(preview && { previewSelector: selectionAfter(draft, preview) }),
    ...(active && { activeSelector: selectionAfter(draft, active) }),
  };
  countPods(draft);
  // compat rollouts RW-11: there is nothing to abort
  if (status.stableRS !== '' && status.stableRS === status.currentPodHash) draft.isAbortRemoved = true;
  const reason = isChanged ? undefined : promotionReason(draft);
  if (reason !== undefined) promote(draft, reason);
  else noteCheckPoint(draft);
  return finish(draft);
}

/** What a Service selects once the writes of this pass are made. */
function selectionAfter({ writes }: Draft, service: RolloutService): string {
  for (const write of writes) {
    if (write.verb !== 'patch' || write.ref.kind !== 'Service' || write.ref.name !== service.metadata.name)
      continue;
    return selectedHash({ ...service, spec: (write.body as RolloutService).spec ?? {} });
  }
  return selectedHash(service);
}

/** compat rollouts RB-7, RN-10. */
function promotionReason(draft: Draft): string | undefined {
  const { rollout, pass, status } = draft;
  const { activeSelector = '', postPromotionAnalysisRunStatus: run } = status.blueGreen ?? {};
  if (!pass.roles.stable) return 'Initial deploy';
  if (activeSelector !== status.currentPodHash) return undefined;
  if (rollout.status?.promoteFull) return 'Full promotion requested';
  if (isRollbackInWindow(rollout, pass.roles)) return 'Rollback within window';
  if (draft.isAborted) return undefined;
  const isVerified = !blueGreenOf(rollout)?.postPromotionAnalysis || run?.status === 'Successful';
  if (!isVerified && !isBackInTime(pass.roles.fresh)) return undefined;
  return 'Completed blue-green update';
}

const isBackInTime = (fresh: RolloutReplicaSet | undefined): boolean => deadlineOf(fresh) !== undefined;

/** compat rollouts RB-5: from this point on the preview grows to its full size. */
function noteCheckPoint(draft: Draft): void {
  const { rollout, pass, status } = draft;
  const count = blueGreenOf(rollout)?.previewReplicaCount;
  if (count === undefined || rollout.status?.blueGreen?.scaleUpPreviewCheckPoint || isTemplateChanged(draft))
    return;
  if (!isVerifiedBefore(draft) || !isPauseOver(draft) || availableOf(pass.roles.fresh) !== count) return;
  status.blueGreen = { ...status.blueGreen, scaleUpPreviewCheckPoint: true };
  draft.isResumeConsumed = true;
}
