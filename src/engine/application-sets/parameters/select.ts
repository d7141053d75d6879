import { type LabelSelector, looseSelectorOf, matches } from '#base/model';
import { flatten } from './flatten.ts';
import type { SetParameters } from './set-parameters.ts';

/**
 * compat sources AS-5: the sets whose flattened parameters satisfy the item's selector, which may compare any text, URLs
 * included. Throws InvalidSpec for a selector that cannot be read.
 */
export function selectSets(
  sets: readonly SetParameters[],
  selector: LabelSelector | undefined,
): readonly SetParameters[] {
  const requirements = looseSelectorOf(selector);
  if (requirements.length === 0) return sets;
  return sets.filter((set) => matches(requirements, flatten(set)));
}
