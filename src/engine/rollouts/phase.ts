import { conditionOf } from '#base/model';
import { manualTrafficType } from './conditions.ts';
import { knativeOf } from './knative/settings.ts';
import {
  blueGreenOf,
  canaryOf,
  type Rollout,
  type RolloutPhase,
  type RolloutStatus,
  replicasOf,
} from './rollout.ts';

/** The phase and its message. */
export type PhaseReport = { readonly phase: RolloutPhase; readonly message: string };

const is = (phase: RolloutPhase, message = ''): PhaseReport => ({ phase, message });

/** compat rollouts RS-2: the first that holds. `waitsFor`: what a Rollout of a Knative Service waits for. */
export function phaseOf(rollout: Rollout, status: RolloutStatus, waitsFor?: string): PhaseReport {
  return (
    unable(status) ??
    overridden(rollout, status) ??
    degraded(status) ??
    paused(rollout, status) ??
    open(rollout, status, waitsFor) ??
    is('Healthy')
  );
}

function open(rollout: Rollout, status: RolloutStatus, waitsFor: string | undefined) {
  if (!knativeOf(rollout)) return unfinished(rollout, status);
  return waitsFor === undefined ? undefined : is('Progressing', waitsFor);
}

const bad: ReadonlySet<string> = new Set(['RolloutAborted', 'ProgressDeadlineExceeded']);

/** What keeps the controller from doing anything. */
function unable({ conditions = [] }: RolloutStatus): PhaseReport | undefined {
  const invalid = conditionOf(conditions, 'InvalidSpec');
  if (invalid?.status === 'True') return is('Degraded', `InvalidSpec: ${invalid.message ?? ''}`);
  const failed = conditions.find(({ reason }) => reason === 'ReconciliationError');
  return failed && is('Degraded', `${failed.reason}: ${failed.message ?? ''}`);
}

/** compat rollouts RK-14: also of an aborted update, because the person decides where the traffic goes. */
function overridden(rollout: Rollout, { conditions = [] }: RolloutStatus): PhaseReport | undefined {
  const found = knativeOf(rollout) && conditionOf(conditions, manualTrafficType);
  return found?.status === 'True' ? is('Paused', found.message) : undefined;
}

function degraded({ conditions = [] }: RolloutStatus): PhaseReport | undefined {
  const failed = conditions.find(({ reason }) => reason !== undefined && bad.has(reason));
  return failed && is('Degraded', `${failed.reason}: ${failed.message ?? ''}`);
}

function paused({ spec }: Rollout, { pauseConditions = [] }: RolloutStatus): PhaseReport | undefined {
  if (spec?.paused) return is('Paused', 'manually paused');
  const [first] = pauseConditions;
  return first && is('Paused', first.reason);
}

function unfinished(rollout: Rollout, status: RolloutStatus): PhaseReport | undefined {
  const { restartAt } = rollout.spec ?? {};
  const { updatedReplicas = 0, availableReplicas = 0, restartedAt } = status;
  if (restartAt && restartAt !== restartedAt && isDue(restartAt, restartedAt))
    return is('Progressing', 'rollout is restarting');
  if (updatedReplicas < replicasOf(rollout)) return is('Progressing', 'more replicas need to be updated');
  if (availableReplicas < updatedReplicas)
    return is('Progressing', 'updated replicas are still becoming available');
  return blueGreenOf(rollout) ? unswitched(rollout, status) : unpromoted(rollout, status);
}

const isDue = (restartAt: string, restartedAt: string | undefined): boolean =>
  Date.parse(restartAt) !== Date.parse(restartedAt ?? '');

function unswitched(rollout: Rollout, status: RolloutStatus): PhaseReport | undefined {
  const { stableRS = '', currentPodHash, blueGreen } = status;
  if (blueGreen?.activeSelector === '' || blueGreen?.activeSelector !== currentPodHash)
    return is('Progressing', 'active service cutover pending');
  if (stableRS !== '' && stableRS === currentPodHash) return undefined;
  return blueGreenOf(rollout)?.postPromotionAnalysis
    ? is('Progressing', 'waiting for analysis to complete')
    : is('Progressing', 'waiting for post-promotion verification to complete');
}

function unpromoted(rollout: Rollout, status: RolloutStatus): PhaseReport | undefined {
  const { stableRS = '', currentPodHash, replicas = 0, updatedReplicas = 0 } = status;
  if (!canaryOf(rollout)?.trafficRouting && replicas > updatedReplicas)
    return is('Progressing', 'old replicas are pending termination');
  if (stableRS === '' || stableRS !== currentPodHash)
    return is('Progressing', 'waiting for all steps to complete');
  return undefined;
}
