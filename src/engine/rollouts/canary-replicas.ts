import { actualOf, availableOf, type Roles, sizeOf, total } from './replica-sets.ts';
import {
  type CanaryStrategy,
  canaryOf,
  type IntOrText,
  isPromoted,
  maxWeightOf,
  type Rollout,
  type RolloutReplicaSet,
  replicasOf,
  stepsOf,
} from './rollout.ts';

/** How many pods the new and the stable ReplicaSet are to have. */
export type Sizes = { readonly fresh: number; readonly stable: number };

/** compat rollouts RN-1: a text without `%` counts as a percentage too. */
function share(value: IntOrText, of: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = Number(value.replace(/%$/, ''));
  return Number.isFinite(percent) ? round((of * percent) / 100) : 0;
}

/** compat rollouts RN-1: how many pods there may be beyond the size, and how many of it may be unavailable. */
export function limitsOf(rollout: Rollout): { readonly surge: number; readonly unavailable: number } {
  const size = replicasOf(rollout);
  const { maxSurge, maxUnavailable } = (canaryOf(rollout) ?? {}) as CanaryStrategy;
  const surge = share(maxSurge ?? '25%', size, Math.ceil);
  const unavailable = share(
    maxUnavailable ?? rollout.spec?.strategy?.blueGreen?.maxUnavailable ?? '25%',
    size,
    Math.floor,
  );
  const least = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(least, size) };
}

/** Where the steps stand; undefined: there are none. */
export function stepIndexOf(rollout: Rollout): number | undefined {
  const { length } = stepsOf(rollout);
  if (length === 0) return undefined;
  const index = rollout.status?.currentStepIndex ?? 0;
  return Math.min(Math.max(index, 0), length);
}

/** compat rollouts RN-2: the weight that the steps request. */
export function targetWeight(rollout: Rollout, { fresh, stable }: Pick<Roles, 'fresh' | 'stable'>): number {
  const max = maxWeightOf(rollout);
  if (rollout.status?.promoteFull || !stable || fresh === stable || isPromoted(rollout)) return max;
  if (rollout.status?.abort) return 0;
  return setWeightAt(rollout);
}

/** The last weight that a step set, up to and including the current one; all of it after the last step. */
export function setWeightAt(rollout: Rollout): number {
  const steps = stepsOf(rollout);
  const index = stepIndexOf(rollout);
  if (index === undefined || index >= steps.length) return maxWeightOf(rollout);
  return weightBefore(rollout, index + 1);
}

/** The weight that the steps before this one set. */
export const weightBefore = (rollout: Rollout, index: number): number =>
  stepsOf(rollout)
    .slice(0, index)
    .findLast(({ setWeight }) => setWeight !== undefined && setWeight !== null)?.setWeight ?? 0;

type Option = { readonly canary: number; readonly all: number };

/** compat rollouts RN-3, RQ-1: the split of pods that is nearest to the weight. */
export function ratio(size: number, weight: number, { max = 100, surge = 0 } = {}): Sizes {
  if (size === 0) return { fresh: 0, stable: 0 };
  const up = Math.ceil((size * weight) / max);
  const down = Math.floor((size * weight) / max);
  const isZeroAllowed = weight === 0 || weight === max || (size === 1 && surge === 0);
  const isTied = (of: number): boolean => (of * (weight / max)) % 1 === 0.5;
  const mayFloor = (of: number): boolean => !isTied(of) && (down !== 0 || isZeroAllowed);
  const options: Option[] = [];
  if (up < size || isZeroAllowed) options.push({ canary: up, all: size });
  if (mayFloor(size)) options.push({ canary: down, all: size });
  if (surge > 0) {
    options.push({ canary: up, all: size + 1 });
    if (mayFloor(size + 1)) options.push({ canary: down, all: size + 1 });
  }
  // dev compat rollouts RQ-1: where the peer finds nothing and takes 0, the lower value, at least 1
  const [first = { canary: Math.max(1, down), all: size }, ...rest] = options;
  const error = ({ canary, all }: Option): number => Math.abs((canary * max) / all - weight);
  const best = rest.reduce((least, one) => (error(one) < error(least) ? one : least), first);
  return { fresh: best.canary, stable: best.all - best.canary };
}

/** compat rollouts RN-4: one movement towards the sizes by replica ratio, within the limits. */
export function moveByRatio(rollout: Rollout, roles: Roles): Sizes {
  const size = replicasOf(rollout);
  const { surge, unavailable } = limitsOf(rollout);
  const { fresh, others } = roles;
  const stable = roles.stable === fresh ? undefined : roles.stable;
  const target = stable
    ? ratio(size, targetWeight(rollout, roles), { max: maxWeightOf(rollout), surge })
    : { fresh: size, stable: 0 };
  const grown = grow({ fresh, stable, others }, target, size + surge);
  if (total(others, sizeOf) > 0) return grown;
  const isGrowing = !fresh || target.fresh >= sizeOf(fresh);
  const counted = countedOf(fresh, !isGrowing) + countedOf(stable, isGrowing);
  const least = size - unavailable;
  if (counted <= least) return grown;
  const shrink = (set: RolloutReplicaSet | undefined, now: number, wanted: number): number =>
    set && sizeOf(set) > wanted ? Math.max(wanted, sizeOf(set) - (counted - least)) : now;
  const limits = { most: size + surge, least };
  if (!isGrowing) {
    const drained = shrink(fresh, grown.fresh, target.fresh);
    const [next, other] = clamp([fresh, stable], [drained, grown.stable], limits);
    return { fresh: next, stable: other };
  }
  if (!stable) return grown;
  const drained = shrink(stable, grown.stable, target.stable);
  const [next, other] = clamp([stable, fresh], [drained, grown.fresh], limits);
  return { fresh: other, stable: next };
}

function grow(
  { fresh, stable, others }: Pick<Roles, 'fresh' | 'stable' | 'others'>,
  target: Sizes,
  most: number,
): Sizes {
  let budget = most - total([fresh, stable, ...others], sizeOf);
  const up = (set: RolloutReplicaSet | undefined, wanted: number): number => {
    const now = sizeOf(set);
    if (!set || now >= wanted || budget <= 0) return now;
    const next = Math.min(wanted, now + budget);
    budget -= next - now;
    return next;
  };
  const stableSize = up(stable, target.stable);
  return { stable: stableSize, fresh: up(fresh, target.fresh) };
}

/** What a ReplicaSet counts towards availability: the requested size of one that shrinks already or is drained. */
function countedOf(set: RolloutReplicaSet | undefined, isDrained: boolean): number {
  if (!set) return 0;
  return sizeOf(set) < availableOf(set) || isDrained ? sizeOf(set) : availableOf(set);
}

type Pair<T> = readonly [drained: T, other: T];

/** Takes an overflow off the other side, gives back what availability needs, and takes the rest off the drained side. */
function clamp(
  [drained, other]: Pair<RolloutReplicaSet | undefined>,
  [drainedSize, otherSize]: Pair<number>,
  { most, least }: { readonly most: number; readonly least: number },
): Pair<number> {
  if (!other) return [drainedSize, otherSize];
  const overflow = (next: number): number => Math.max(0, drainedSize + next - most);
  const cut = otherSize - overflow(otherSize);
  const available = Math.min(drainedSize, availableOf(drained)) + Math.min(cut, availableOf(other));
  const lost = Math.max(0, availableOf(other) - cut);
  const next = cut + Math.min(lost, Math.max(0, least - available));
  return [drainedSize - overflow(next), next];
}

/** compat rollouts RN-6: whether both sides have the pods that the step requests. */
export function isAtTarget(rollout: Rollout, roles: Roles, target: Sizes): boolean {
  const canary = canaryOf(rollout);
  if (!isThresholdMet(rollout, roles.fresh, target.fresh)) return false;
  const isRouted = canary?.trafficRouting !== undefined;
  const isChecked = !isRouted || canary?.dynamicStableScale !== true;
  const isStableThere =
    roles.stable !== undefined &&
    sizeOf(roles.stable) === target.stable &&
    actualOf(roles.stable) === target.stable;
  if (isChecked && !isStableThere && !isBrokenStable(roles)) return false;
  return isRouted || total(roles.others, availableOf) === 0;
}

/** dev compat rollouts RQ-10: a stable ReplicaSet that cannot get its pods does not hold a canary that has its own. */
const isBrokenStable = ({ stable, fresh }: Pick<Roles, 'stable' | 'fresh'>): boolean =>
  stable !== undefined &&
  fresh !== stable &&
  sizeOf(stable) > 0 &&
  availableOf(stable) === 0 &&
  (stable.status?.conditions ?? []).some(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );

/** Whether enough pods of the new ReplicaSet are available. */
export function isThresholdMet(
  rollout: Rollout,
  fresh: RolloutReplicaSet | undefined,
  wanted: number,
): boolean {
  const { type = 'Percent', value = -1 } = canaryOf(rollout)?.replicaProgressThreshold ?? {};
  if (!fresh || value < 0)
    return fresh !== undefined && sizeOf(fresh) === wanted && availableOf(fresh) === wanted;
  if (type === 'Pods') return availableOf(fresh) >= value;
  return wanted === 0 || (availableOf(fresh) / wanted) * 100 >= value - 1e-10;
}
