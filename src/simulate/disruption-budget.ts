import {
  type Condition,
  type KubeObject,
  type LabelSelector,
  matches,
  selectorOf,
  setCondition,
} from '#model';
import { amount } from './deployment/view.ts';
import { disruptionBudgetKind, podKind } from './kinds.ts';
import { isActive, isReady } from './pod/view.ts';
import { type Again, type Controller, keyOfObject, type World } from './world.ts';
import { all, isDeleting, writeStatus } from './write.ts';

type Budget = KubeObject<
  {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
  },
  { readonly conditions?: readonly Condition[] }
>;

/** Counts how many of the selected pods may be missing. */
export const disruptionBudgetController: Controller = {
  type: disruptionBudgetKind,
  wakes: [
    {
      type: podKind,
      keys: (world, { object }) =>
        (all(world, disruptionBudgetKind, object.metadata.namespace) as Budget[])
          .filter(({ spec }) => matches(selectorOf(spec?.selector), object.metadata.labels))
          .map(keyOfObject),
    },
  ],
  async reconcile(world, object): Promise<Again | undefined> {
    if (!isDeleting(object)) await count(world, object as Budget);
    return undefined;
  },
};

async function count(world: World, budget: Budget): Promise<void> {
  const { selector, minAvailable, maxUnavailable } = budget.spec ?? {};
  const wanted = selectorOf(selector);
  const pods = all(world, podKind, keyOfObject(budget).namespace).filter(
    (pod) => isActive(pod) && matches(wanted, pod.metadata.labels),
  );
  const healthy = pods.filter(isReady).length;
  const least =
    minAvailable === undefined
      ? pods.length - amount(maxUnavailable ?? 0, pods.length, Math.ceil)
      : amount(minAvailable, pods.length, Math.ceil);
  const allowed = Math.max(0, healthy - Math.max(0, least));
  const condition = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? 'True' : 'False',
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: budget.metadata.generation ?? 0,
  };
  await writeStatus(world, budget, {
    observedGeneration: budget.metadata.generation,
    expectedPods: pods.length,
    currentHealthy: healthy,
    desiredHealthy: Math.max(0, least),
    disruptionsAllowed: allowed,
    conditions: setCondition(budget.status?.conditions ?? [], condition, world.clock.now()),
  });
}
