import { parseDuration } from '#base/model';
import { isAtTarget, stepIndexOf } from './canary-replicas.ts';
import { knativeOf } from './knative/settings.ts';
import { type Draft, isResumed, pauseOf } from './pass.ts';
import { type CanaryStep, type IntOrText, type Rollout, stepsOf } from './rollout.ts';
import { sizesFor } from './traffic.ts';

/** The step that is under way; undefined: there are none, or all are done. */
export const currentStep = (rollout: Rollout): CanaryStep | undefined =>
  stepsOf(rollout)[stepIndexOf(rollout) ?? 0];

/** The length of a pause in seconds; throws InvalidSpec. */
export function pauseSeconds(duration: IntOrText): number {
  if (typeof duration === 'number') return duration;
  return /^-?\d+$/.test(duration) ? Number(duration) : parseDuration(duration) / 1000;
}

/** A step as events and the command line spell it. */
export function describeStep(step: CanaryStep): string {
  const { setWeight, pause, setCanaryScale, plugin, setHeaderRoute, setMirrorRoute } = step;
  if (setWeight !== undefined) return `setWeight: ${setWeight}`;
  if (pause) return pause.duration === undefined ? 'pause' : `pause: ${pause.duration}`;
  if (step.experiment) return 'experiment';
  if (step.analysis) return 'analysis';
  if (setCanaryScale) return describeScale(setCanaryScale);
  const named = Object.entries({ plugin, setHeaderRoute, setMirrorRoute }).find(([, value]) => value);
  return named ? `${named[0]}: ${named[1]?.name ?? ''}` : 'invalid';
}

function describeScale({ weight, replicas, matchTrafficWeight }: NonNullable<CanaryStep['setCanaryScale']>) {
  if (weight !== undefined) return `setCanaryScale{weight: ${weight}}`;
  return matchTrafficWeight
    ? 'setCanaryScale{matchTrafficWeight: true}'
    : `setCanaryScale{replicas: ${replicas}}`;
}

/** When the pause of the current step ends by itself; undefined: it does not. */
export function pauseEnd(rollout: Rollout): number | undefined {
  const duration = currentStep(rollout)?.pause?.duration;
  const since = pauseOf(rollout, 'CanaryPauseStep')?.startTime;
  if (duration === undefined || since === undefined) return undefined;
  return Date.parse(since) + pauseSeconds(duration) * 1000;
}

/** compat rollouts RN-7: whether the current step has done its work. */
export function isStepDone(draft: Draft): boolean {
  const { rollout, pass } = draft;
  const step = currentStep(rollout);
  if (!step || rollout.spec?.paused) return false;
  if (step.pause) return isPauseDone(draft);
  if (step.setWeight !== undefined) return isWeightSet(draft, step.setWeight);
  if (step.setCanaryScale) return isAtTarget(rollout, pass.roles, sizesFor(draft));
  if (step.analysis) return draft.status.canary?.currentStepAnalysisRunStatus?.status === 'Successful';
  if (step.experiment) return isExperimentDone(draft);
  // dev compat rollouts RN-7: at once, but not before a router has the route
  return draft.areRoutesSet && (step.setHeaderRoute !== undefined || step.setMirrorRoute !== undefined);
}

function isWeightSet(draft: Draft, weight: number): boolean {
  const { rollout, pass, status } = draft;
  const { weights } = status.canary ?? {};
  if (!knativeOf(rollout))
    return isAtTarget(rollout, pass.roles, sizesFor(draft)) && weights?.verified !== false;
  // compat rollouts RK-5: Knative has no pods of ours to count, it reports the traffic that it sends
  return (
    weights?.verified === true &&
    weights.canary.weight === weight &&
    weights.canary.podTemplateHash === status.currentPodHash
  );
}

function isPauseDone({ rollout, pass }: Draft): boolean {
  if (isResumed(rollout)) return true;
  const end = pauseEnd(rollout);
  return end !== undefined && pass.now.getTime() >= end;
}

function isExperimentDone({ rollout, pass, status }: Draft): boolean {
  const name = status.canary?.currentExperiment;
  const { phase } = pass.experiments.find(({ metadata }) => metadata.name === name)?.status ?? {};
  // compat rollouts RW-12: a person who lifts the pause after an inconclusive Experiment goes on to the next step
  return phase === 'Successful' || (phase === 'Inconclusive' && isResumed(rollout));
}
