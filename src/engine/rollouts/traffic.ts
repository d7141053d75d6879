import {
  isAtTarget,
  isThresholdMet,
  moveByRatio,
  type Sizes,
  setWeightAt,
  stepIndexOf,
  targetWeight,
  weightBefore,
} from './canary-replicas.ts';
import { experimentWeights } from './experiment-weights.ts';
import type { Draft } from './pass.ts';
import { availableOf, hashOf } from './replica-sets.ts';
import {
  type CanaryStep,
  canaryOf,
  isPromoted,
  maxWeightOf,
  type Rollout,
  type RolloutReplicaSet,
  replicasOf,
  stepsOf,
  type WeightDestination,
} from './rollout.ts';
import { type ManagedRoute, routesAtStep } from './routers/managed-routes.ts';

/** compat rollouts RN-4, RN-5: the sizes that this pass moves to. */
export function sizesFor(draft: Draft): Sizes {
  const { rollout, pass } = draft;
  return canaryOf(rollout)?.trafficRouting ? routedSizes(draft) : moveByRatio(rollout, pass.roles);
}

/** compat rollouts RN-5: with a router the pods follow the weight on one side only, or on both with dynamicStableScale. */
function routedSizes({ rollout, pass, status }: Draft): Sizes {
  const size = replicasOf(rollout);
  const max = maxWeightOf(rollout);
  const podsFor = (weight: number): number => Math.ceil((weight * size) / max);
  const atLeast = (count: number): number => {
    const least = Math.min(canaryOf(rollout)?.minPodsPerReplicaSet ?? 0, size); // dev compat rollouts RQ-4
    return count === 0 ? 0 : Math.max(count, least);
  };
  const scale = canaryScale(rollout, pass.roles);
  const weight = scale?.weight ?? targetWeight(rollout, pass.roles);
  const fresh = scale?.replicas ?? atLeast(podsFor(weight));
  if (!canaryOf(rollout)?.dynamicStableScale) return { fresh, stable: size };
  const recorded = status.canary?.weights ?? rollout.status?.canary?.weights;
  const stable = Math.max(podsFor(max - weight), podsFor(recorded?.stable.weight ?? 0));
  const kept = rollout.status?.abort ? podsFor(recorded?.canary.weight ?? 0) : 0;
  return { fresh: atLeast(Math.max(fresh, kept)), stable: atLeast(stable) };
}

type Scale = Pick<NonNullable<CanaryStep['setCanaryScale']>, 'weight' | 'replicas'>;

/** compat rollouts RN-2: the size that a step set apart from the weight; undefined: none is in force. */
function canaryScale(
  rollout: Rollout,
  { fresh, stable }: { fresh: RolloutReplicaSet | undefined; stable: RolloutReplicaSet | undefined },
): Scale | undefined {
  const { promoteFull, abort } = rollout.status ?? {};
  if (promoteFull || !stable || fresh === stable || isPromoted(rollout)) return undefined;
  if (abort && canaryOf(rollout)?.abortScaleDownDelaySeconds !== 0) return undefined;
  const steps = stepsOf(rollout);
  const index = stepIndexOf(rollout);
  if (index === undefined || index >= steps.length) return undefined;
  const scale = steps.slice(0, index + 1).findLast((step) => step.setCanaryScale)?.setCanaryScale;
  return scale?.matchTrafficWeight ? undefined : scale;
}

/** What a router is to do in this pass; undefined: nothing may be written yet. */
export type RouterTarget = {
  readonly weight: number;
  readonly canaryHash: string;
  readonly stableHash: string;
  /** What Services of an Experiment get beside the two versions. */
  readonly additional: readonly WeightDestination[];
  /** The routes that the routers are to have for the Rollout, and no other one. */
  readonly routes: readonly ManagedRoute[];
};

/** What is left for the stable version. */
export const stableWeightOf = (
  rollout: Rollout,
  { weight, additional }: Pick<RouterTarget, 'weight' | 'additional'>,
): number =>
  Math.max(
    0,
    additional.reduce((left, one) => left - one.weight, maxWeightOf(rollout) - weight),
  );

/** compat rollouts RT-4, RT-5. */
export function routerTarget(draft: Draft): RouterTarget | undefined {
  const { rollout, pass } = draft;
  const { fresh, stable } = pass.roles;
  const hashes = { canaryHash: hashOf(fresh), stableHash: hashOf(stable) };
  const previous = dynamicRollback(draft);
  const target =
    previous === undefined
      ? { ...weightInState(draft), ...hashes }
      : { ...alone(weightOnWayBack(draft)), ...hashes, canaryHash: previous };
  return canCarry(rollout, stable, maxWeightOf(rollout) - target.weight) ? target : undefined;
}

type Split = Pick<RouterTarget, 'weight' | 'additional' | 'routes'>;

/** dev compat rollouts RQ-15: without routes of steps, which would go on sending requests to the new version. */
const alone = (weight: number): Split => ({ weight, additional: [], routes: [] });

function weightInState(draft: Draft): Split {
  const { rollout, pass } = draft;
  const { fresh } = pass.roles;
  if (isPromoted(rollout)) return alone(0);
  if (draft.isAborted) return alone(weightOnWayBack(draft));
  const additional = experimentWeights(draft);
  if (availableOf(fresh) === 0) return { ...alone(0), additional };
  if (rollout.status?.promoteFull) return alone(fullWeight(rollout, fresh));
  return { weight: stepWeight(draft), additional, routes: routesAtStep(rollout) };
}

function fullWeight(rollout: Rollout, fresh: RolloutReplicaSet | undefined): number {
  if (!canaryOf(rollout)?.dynamicStableScale) return rollout.status?.canary?.weights?.canary.weight ?? 0;
  return Math.floor((maxWeightOf(rollout) * availableOf(fresh)) / Math.max(1, replicasOf(rollout)));
}

function stepWeight(draft: Draft): number {
  const { rollout, pass } = draft;
  const index = stepIndexOf(rollout);
  if (index === undefined) return maxWeightOf(rollout);
  if (!isAtTarget(rollout, pass.roles, routedSizes(draft))) return weightBefore(rollout, index);
  return setWeightAt(rollout);
}

/** The hash that still gets traffic while the way back to the stable version waits for its pods. */
function dynamicRollback({ rollout, pass }: Draft): string | undefined {
  const weights = rollout.status?.canary?.weights;
  const { fresh } = pass.roles;
  if (!canaryOf(rollout)?.dynamicStableScale || !weights || !isPromoted(rollout)) return undefined;
  const previous = weights.canary.podTemplateHash ?? '';
  const isBack = previous === hashOf(fresh) || availableOf(fresh) >= replicasOf(rollout);
  return isBack ? undefined : previous;
}

/** compat rollouts RN-5: the traffic goes back as far as the stable pods can carry it. */
function weightOnWayBack({ rollout, pass }: Draft): number {
  const { stable } = pass.roles;
  const size = replicasOf(rollout);
  const recorded = rollout.status?.canary?.weights?.canary.weight;
  if (!canaryOf(rollout)?.dynamicStableScale || size === 0) return 0;
  const max = maxWeightOf(rollout);
  const carried = Math.floor((max * availableOf(stable)) / size);
  return Math.min(Math.max(0, max - carried), recorded ?? max);
}

/** compat rollouts RT-5, RQ-10. */
function canCarry(rollout: Rollout, stable: RolloutReplicaSet | undefined, weight: number): boolean {
  if (!stable) return false;
  const wanted = Math.floor((weight * replicasOf(rollout)) / maxWeightOf(rollout));
  return availableOf(stable) >= wanted || isThresholdMet(rollout, stable, wanted);
}
