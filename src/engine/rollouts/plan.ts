import { FairleadError } from '#base/std';
import { planBlueGreen, scaleBlueGreen } from './blue-green.ts';
import { planCanary, scaleCanary } from './canary.ts';
import { dropCondition, notePauses } from './conditions.ts';
import { countPods, invalidPlan, planOf } from './finish.ts';
import { planKnative, withCandidateUrl } from './knative/plan.ts';
import { Draft, type RolloutPlan, type RolloutState } from './pass.ts';
import { createReplicaSet, syncRevision } from './revision.ts';
import { blueGreenOf } from './rollout.ts';
import { isScalingEvent } from './scale.ts';
import { problemOf } from './validate.ts';
import { noteWorkload, scaleWorkload } from './workload.ts';

/** compat rollouts §4, §7: what is to be done about a Rollout now. Pure: the same state gives the same plan. */
export function planRollout(state: RolloutState): RolloutPlan {
  const pass = withCandidateUrl(state);
  try {
    return plan(pass);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'InvalidSpec') throw error;
    return invalidPlan(new Draft(pass), error.message);
  }
}

function plan(pass: RolloutState): RolloutPlan {
  const draft = new Draft(pass);
  const { rollout } = pass;
  dropCondition(draft, 'ReconciliationError');
  reportArrival(draft);
  const problem = problemOf(draft);
  if (problem !== undefined) return invalidPlan(draft, problem);
  if (pass.knative) return planKnative(draft, pass.knative);
  // compat rollouts §2: an autoscaler reads the size from the spec
  if (rollout.spec?.replicas === undefined) draft.patch(rollout, { spec: { replicas: 1 } });
  noteWorkload(draft);
  notePauses(draft);
  const { fresh } = pass.roles;
  if (!fresh) createReplicaSet(draft);
  else syncRevision(draft, fresh);
  if (fresh && isScalingEvent(draft)) return planScaling(draft);
  const result = blueGreenOf(rollout) ? planBlueGreen(draft) : planCanary(draft);
  scaleWorkload(draft);
  return result;
}

/** compat rollouts RE-1: the first pass over a Rollout. A controller that starts again reports none of those that it knows. */
function reportArrival(draft: Draft): void {
  const { metadata, status } = draft.rollout;
  if (status?.observedGeneration !== undefined) return;
  const message = `Rollout resource added to informer: ${metadata.namespace}/${metadata.name}`;
  draft.event('RolloutAddedToInformer', message);
}

/** compat rollouts RH-6: only sizes and counts change. */
function planScaling(draft: Draft): RolloutPlan {
  if (blueGreenOf(draft.rollout)) scaleBlueGreen(draft);
  else scaleCanary(draft);
  dropCondition(draft, 'InvalidSpec');
  const hash = draft.status.currentPodHash;
  countPods(draft);
  if (hash !== undefined) draft.status.currentPodHash = hash;
  return planOf(draft);
}
