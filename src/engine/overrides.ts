import type { Application, ApplicationCondition, KubeObject } from '#base/model';
import {
  describeOverride,
  isCaughtUp,
  keyOfOverride,
  overridden,
  overridesOf,
  type TrafficOverride,
} from '#engine/traffic';
import type { ObjectDiff } from './diff/diff.ts';
import type { Pair } from './pairs.ts';

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

/** Why the annotation has no effect. */
export function overrideHints(app: Application): string[] {
  const { problem } = overridesOf(app);
  return problem === undefined ? [] : [problem];
}
