import type { ReplicaSet } from '../replica-set.ts';
import { available, bounds, type Deployment, everySet, existing, type Sets, sum, wanted } from './view.ts';

/** One replica set that is to have another number of pods. */
export type Rescale = { readonly set: ReplicaSet; readonly replicas: number };

/** compat 5.2: how many pods a replica set starts with: as many as the surge leaves room for. */
export function initialReplicas(deployment: Deployment, { old }: Sets): number {
  const { replicas = 1, strategy } = deployment.spec ?? {};
  if (strategy?.type === 'Recreate') return replicas;
  const room = replicas + bounds(deployment.spec ?? {}).surge - sum(old, wanted);
  return Math.max(0, Math.min(replicas, room));
}

/** The next step of a rolling update: the new set grows within the surge, old ones shrink within what may be missing. */
export function rollingSteps(deployment: Deployment, sets: Sets): Rescale[] {
  const { current } = sets;
  if (!current) return [];
  const { replicas = 1 } = deployment.spec ?? {};
  const grown = growth(deployment, sets, current);
  if (grown !== wanted(current)) return [{ set: current, replicas: grown }];
  const active = sets.old.filter((set) => wanted(set) > 0);
  if (active.length === 0) return [];
  const least = replicas - bounds(deployment.spec ?? {}).unavailable;
  const stuck = wanted(current) - available(current);
  const spare = sum(everySet(sets), wanted) - least - stuck;
  if (spare <= 0) return [];
  const unhealthy = shrink(active, spare, (set) => Math.max(0, existing(set) - available(set)));
  const rest = applyTo(active, unhealthy);
  const surplus = sum(everySet(sets), available) - least;
  const healthy = surplus > 0 ? shrink(rest, surplus, wanted) : [];
  return merged([...unhealthy, ...healthy]);
}

function growth(deployment: Deployment, sets: Sets, current: ReplicaSet): number {
  const { replicas = 1 } = deployment.spec ?? {};
  if (wanted(current) > replicas) return replicas;
  const room = replicas + bounds(deployment.spec ?? {}).surge - sum(everySet(sets), wanted);
  if (room <= 0) return wanted(current);
  return Math.min(replicas, wanted(current) + room);
}

/** Takes up to `limit` pods from the sets, oldest first, no more from each than it offers. */
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
    const step = steps.find((one) => one.set.metadata.name === set.metadata.name);
    return step ? { ...set, spec: { ...set.spec, replicas: step.replicas } } : set;
  });

const merged = (steps: readonly Rescale[]): Rescale[] => [
  ...new Map(steps.map((step) => [step.set.metadata.name, step])).values(),
];

/**
 * compat 5.2: a deployment that was scaled in the middle of a rollout, or while paused, shares the difference among
 * its sets in proportion to their size; what does not divide goes to the largest.
 */
export function proportionalSteps(deployment: Deployment, sets: Sets): Rescale[] {
  const { replicas = 1 } = deployment.spec ?? {};
  const active = everySet(sets).filter((set) => wanted(set) > 0);
  const [only] = active;
  if (active.length <= 1) {
    const target = only ?? sets.current;
    return target && wanted(target) !== replicas ? [{ set: target, replicas }] : [];
  }
  const goal = replicas === 0 ? 0 : replicas + bounds(deployment.spec ?? {}).surge;
  const total = sum(active, wanted);
  const shares = active.map((set) => ({ set, replicas: Math.floor((wanted(set) * goal) / total) }));
  const largest = shares.reduce((a, b) => (wanted(b.set) >= wanted(a.set) ? b : a));
  const missing = goal - shares.reduce((all, share) => all + share.replicas, 0);
  return shares
    .map((share) => (share === largest ? { ...share, replicas: share.replicas + missing } : share))
    .filter((share) => share.replicas !== wanted(share.set));
}
