import {
  type Condition,
  controllerOf,
  type KubeObject,
  type LabelSelector,
  matches,
  selectorOf,
  setCondition,
} from '#base/model';
import { amount } from './deployment/view.ts';
import { disruptionBudgetKind, podKind } from './kinds.ts';
import { isActive, isReady } from './pod/view.ts';
import { type Controller, keyOfObject, type NextPass, type SimulationContext } from './simulation-context.ts';
import { all, isDeleting, storedObject, writeStatus } from './write.ts';

type Budget = KubeObject<
  {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
  },
  { readonly conditions?: readonly Condition[] }
>;

/** Counts how many of the selected pods may be unavailable. */
export const disruptionBudgetController: Controller = {
  type: disruptionBudgetKind,
  wakes: [
    {
      type: podKind,
      keys: (context, { object }) =>
        (all(context, disruptionBudgetKind, object.metadata.namespace) as Budget[])
          .filter(({ spec }) => matches(selectorOf(spec?.selector), object.metadata.labels))
          .map(keyOfObject),
    },
  ],
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (!isDeleting(object)) await count(context, object as Budget);
    return undefined;
  },
};

async function count(context: SimulationContext, budget: Budget): Promise<void> {
  const { selector, minAvailable, maxUnavailable } = budget.spec ?? {};
  const wanted = selectorOf(selector);
  const pods = all(context, podKind, keyOfObject(budget).namespace).filter(
    (pod) => isActive(pod) && matches(wanted, pod.metadata.labels),
  );
  const healthy = pods.filter(isReady).length;
  // compat cluster 5.5: a plain number is compared with the existing pods, anything else with the desired ones
  const expected = typeof minAvailable === 'number' ? pods.length : expectedOf(context, pods);
  const least =
    minAvailable === undefined
      ? expected - amount(maxUnavailable ?? 0, expected, Math.ceil)
      : amount(minAvailable, expected, Math.ceil);
  const allowed = expected > 0 ? Math.max(0, healthy - Math.max(0, least)) : 0;
  if (pods.length === 0) {
    const news = { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' } as const;
    await context.events.record(budget, { ...news, component: 'controllermanager' });
  }
  const condition = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? 'True' : 'False',
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: budget.metadata.generation ?? 0,
  };
  await writeStatus(context, budget, {
    observedGeneration: budget.metadata.generation,
    expectedPods: expected,
    currentHealthy: healthy,
    desiredHealthy: Math.max(0, least),
    disruptionsAllowed: allowed,
    conditions: setCondition(budget.status?.conditions ?? [], condition, context.clock.now()),
  });
}

/** How many pods their controllers desire, each controller counted once. */
function expectedOf(context: SimulationContext, pods: readonly KubeObject[]): number {
  const owners = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const found = owner && storedObject(context, owner, { ...keyOfObject(pod), name: owner.name });
    const above = found && controllerOf(found);
    const top = (above && storedObject(context, above, { ...keyOfObject(pod), name: above.name })) ?? found;
    if (top)
      owners.set(top.metadata.uid ?? '', (top.spec as { replicas?: number } | undefined)?.replicas ?? 1);
  }
  return [...owners.values()].reduce((sum, count) => sum + count, 0);
}
