import { type Intervals, parseIntervals, sharedBy, totalOf } from './intervals.ts';

/** The successes that complete an indexed job early. */
export type SuccessPolicy = {
  readonly rules?: readonly { readonly succeededIndexes?: string; readonly succeededCount?: number }[];
};

/** compat cluster 5.4: the message of the first rule that is satisfied; undefined when none is. */
export function satisfiedRule(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: Intervals,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return succeededCount !== undefined && totalOf(succeeded) >= succeededCount;
    const wanted = parseIntervals(succeededIndexes, completions);
    if (wanted.length === 0) return false;
    const have = sharedBy(wanted, succeeded);
    return have === totalOf(wanted) || (succeededCount !== undefined && have >= succeededCount);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
