import type { ApplicationSet } from '#base/model';
import { resumedBy, resumedWarning, type SetPlan } from '#engine';

/** By the spec of a set: the next change of the spec, which may be the fix, ends the warning. */
const resumed = new WeakMap<ApplicationSet['spec'], Set<string>>();

/** compat sources §7: warns of paused applications that this plan, or an earlier one for the same spec, resumes. */
export function resumedWarnings({ spec }: ApplicationSet, plan: SetPlan): string[] {
  const names = resumed.get(spec) ?? new Set<string>();
  for (const name of resumedBy(plan)) names.add(name);
  if (names.size === 0) return [];
  resumed.set(spec, names);
  return [resumedWarning([...names])];
}
