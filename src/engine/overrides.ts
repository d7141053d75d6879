import type { Application, ApplicationCondition, KubeObject } from '#base/model';
import {
  describeManualTraffic,
  describeOverride,
  isCaughtUp,
  keyOfOverride,
  manualTrafficOf,
  overridden,
  overridesOf,
  type TrafficOverride,
} from '#engine/traffic';
import type { ObjectDiff } from './diff/diff.ts';
import type { Pair } from './pairs.ts';
import { gatedService } from './sync/order.ts';

/** A pair to compare; `isOverride`: its target is not the one that dry runs were made with. */
export type ComparedPair = Pair & { readonly isOverride?: true };

/** A recorded override of the traffic of a Knative Service, compared. */
export type OverrideComparison = {
  readonly record: TrafficOverride;
  /** What a sync applies instead of the target. */
  readonly target: KubeObject;
  /** Nothing but the override differs from Git: the live object is as the override wants it. */
  readonly isInEffect: boolean;
};

/** The override of a pair; undefined: there is none, Git declares the same by now, or one of the sides is missing. */
export function overrideOn(
  overrides: readonly TrafficOverride[],
  pair: Pair,
  differ: (pair: ComparedPair) => ObjectDiff,
): OverrideComparison | undefined {
  const { key, target, live } = pair;
  const record = overrides.find((one) => keyOfOverride(one) === key);
  if (!record || !target || !live || isCaughtUp(record, target)) return undefined;
  const wanted = overridden(target, record);
  const { modified } = differ({ ...pair, target: wanted, isOverride: true });
  return { record, target: wanted, isInEffect: !modified };
}

/** One condition for each: people must see that the cluster is not as Git declares it, and why. */
export const overrideConditions = (
  resources: readonly { readonly override?: OverrideComparison }[],
): ApplicationCondition[] =>
  resources.flatMap(({ override }) =>
    override ? [{ type: 'TrafficOverrideWarning' as const, message: describeOverride(override.record) }] : [],
  );

type Managed = { readonly managed: boolean; readonly live?: KubeObject };

/** The live Rollouts of the application that move the traffic of a Knative Service. */
const gatesIn = (resources: readonly Managed[]): readonly KubeObject[] =>
  resources.flatMap(({ managed, live }) =>
    managed && live && gatedService(live) !== undefined ? [live] : [],
  );

/** compat rollouts RK-14: the same for traffic that a person pinned on a Rollout. */
export const manualTrafficConditions = (resources: readonly Managed[]): ApplicationCondition[] =>
  gatesIn(resources).flatMap((rollout) => {
    const { record } = manualTrafficOf(rollout);
    if (!record) return [];
    return [{ type: 'TrafficOverrideWarning' as const, message: describeManualTraffic(rollout, record) }];
  });

/** Why an annotation that records an override has no effect. */
export function overrideHints(app: Application, resources: readonly Managed[]): string[] {
  const { problem } = overridesOf(app);
  const manual = gatesIn(resources).flatMap((rollout) => {
    const found = manualTrafficOf(rollout).problem;
    return found === undefined ? [] : [`Rollout ${rollout.metadata.name}: ${found}`];
  });
  return [...(problem === undefined ? [] : [problem]), ...manual];
}
