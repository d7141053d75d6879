import { parseTime } from '#base/model';
import type { ReplicaSet } from '../replica-set.ts';
import { hasCurrentSize, maxNote, noteOf } from './notes.ts';
import {
  available,
  bounds,
  type Deployment,
  everySet,
  isRecreated,
  type Sets,
  sum,
  wanted,
  wantedOf,
} from './view.ts';

/** A replica set and its desired number of pods, possibly the current one. */
export type Rescale = { readonly set: ReplicaSet; readonly replicas: number };

/** compat cluster 5.2: how many pods the new set may have now: as many as the surge allows. */
export function growth(deployment: Deployment, sets: Sets, current: number): number {
  const replicas = wantedOf(deployment);
  if (current >= replicas || isRecreated(deployment)) return replicas;
  const room = replicas + bounds(deployment.spec ?? {}).surge - sum(sets.old, wanted) - current;
  return room <= 0 ? current : Math.min(replicas, current + room);
}

/** The next step of a rolling update: the new set grows within maxSurge, old ones shrink within maxUnavailable. */
export function rollingSteps(deployment: Deployment, sets: Sets): Rescale[] {
  const { current } = sets;
  if (!current) return [];
  const grown = growth(deployment, sets, wanted(current));
  if (grown !== wanted(current)) return [{ set: current, replicas: grown }];
  const active = sets.old.filter((set) => wanted(set) > 0).sort(byAge);
  const least = wantedOf(deployment) - bounds(deployment.spec ?? {}).unavailable;
  const stuck = wanted(current) - available(current);
  const spare = sum(everySet(sets), wanted) - least - stuck;
  if (active.length === 0 || spare <= 0) return [];
  const unhealthy = shrink(active, spare, (set) => Math.max(0, wanted(set) - available(set)));
  const surplus = sum(everySet(sets), available) - least;
  return [...unhealthy, ...shrink(applyTo(active, unhealthy), surplus, wanted)];
}

const made = ({ metadata }: ReplicaSet): number => parseTime(metadata.creationTimestamp) ?? 0;
const byName = (a: ReplicaSet, b: ReplicaSet): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** Oldest first. */
export const byAge = (a: ReplicaSet, b: ReplicaSet): number => made(a) - made(b) || byName(a, b);

/** Removes up to `limit` pods from the sets, oldest first, at most as many from each as `offers` allows. */
function shrink(sets: readonly ReplicaSet[], limit: number, offers: (set: ReplicaSet) => number): Rescale[] {
  let left = limit;
  const steps: Rescale[] = [];
  for (const set of sets) {
    const taken = Math.min(left, offers(set), wanted(set));
    if (taken <= 0) continue;
    left -= taken;
    steps.push({ set, replicas: wanted(set) - taken });
  }
  return steps;
}

const applyTo = (sets: readonly ReplicaSet[], steps: readonly Rescale[]): ReplicaSet[] =>
  sets.map((set) => {
    const step = steps.find((one) => one.set === set);
    return step ? { ...set, spec: { ...set.spec, replicas: step.replicas } } : set;
  });

/** compat cluster 5.2: the new sizes of the sets when the deployment was scaled, or is paused. */
export function scalingSteps(deployment: Deployment, sets: Sets): Rescale[] {
  const replicas = wantedOf(deployment);
  const active = everySet(sets).filter((set) => wanted(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? sets.current ?? [...sets.old].sort(byAge).at(-1);
    return only && wanted(only) !== replicas ? [{ set: only, replicas }] : [];
  }
  const { current } = sets;
  const isSaturated =
    current !== undefined &&
    hasCurrentSize(current, deployment) &&
    wanted(current) === replicas &&
    available(current) === replicas;
  if (isSaturated) return sets.old.filter((set) => wanted(set) > 0).map((set) => ({ set, replicas: 0 }));
  return isRecreated(deployment) ? [] : proportionalSteps(deployment, active);
}

/**
 * compat cluster 5.2: scaled during a rollout, the sets share the difference in proportion to their size, the
 * largest first; the largest gets the rest that rounding leaves.
 */
function proportionalSteps(deployment: Deployment, active: readonly ReplicaSet[]): Rescale[] {
  const replicas = wantedOf(deployment);
  const goal = replicas === 0 ? 0 : replicas + bounds(deployment.spec ?? {}).surge;
  const missing = goal - sum(active, wanted);
  const tie = missing > 0 ? (a: ReplicaSet, b: ReplicaSet) => byAge(b, a) : byAge;
  const sorted = active.toSorted((a, b) => wanted(b) - wanted(a) || tie(a, b));
  let left = missing;
  const shares = sorted.map((set) => {
    const share = shareOf(deployment, set);
    const taken = missing > 0 ? Math.min(share, left) : Math.max(share, left);
    left -= missing === 0 ? 0 : taken;
    return { set, replicas: wanted(set) + (missing === 0 ? 0 : taken) };
  });
  return shares.map((one, i) => (i === 0 ? { ...one, replicas: Math.max(0, one.replicas + left) } : one));
}

function shareOf(deployment: Deployment, set: ReplicaSet): number {
  const replicas = wantedOf(deployment);
  if (replicas === 0) return -wanted(set);
  const before = Number(noteOf(set, maxNote)) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const most = replicas + bounds(deployment.spec ?? {}).surge;
  return Math.round((wanted(set) * most) / before) - wanted(set);
}
