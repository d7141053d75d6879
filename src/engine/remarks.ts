import { groupOf } from '#base/model';
import { isObject } from '#base/std';
import { type IgnoreRules, ignoredIn } from './diff/ignore.ts';
import type { Pair } from './pairs.ts';

/** compat engine X-43: an ignore rule and declared traffic contradict each other, and the rule wins. */
export function trafficHints(pairs: readonly Pair[], rules: IgnoreRules): string[] {
  return pairs.flatMap(({ key, target }) => {
    if (!target || groupOf(target) !== 'serving.knative.dev' || !isObject(target.spec)) return [];
    if (target.spec.traffic === undefined) return [];
    const isIgnored = ignoredIn(target, rules).paths.some(
      (path) => path[0] === 'spec' && (path.length === 1 || path[1] === 'traffic'),
    );
    if (!isIgnored) return [];
    return [`${key} declares spec.traffic, which an ignore rule leaves out; remove one of the two`];
  });
}
