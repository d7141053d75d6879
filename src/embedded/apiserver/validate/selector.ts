import { labelKeyProblems, labelValueProblems } from '#base/model';
import type { FieldCheck } from './check.ts';

/** The parts of a label selector; errors are reported at their own paths. */
export function checkSelectorFields(selector: FieldCheck): void {
  checkLabels(selector.field('matchLabels'));
  for (const one of selector.field('matchExpressions').items()) checkRequirement(one);
}

function checkRequirement(one: FieldCheck): void {
  checkValues(one.field('operator'), one.field('values'));
  const key = one.field('key');
  for (const problem of labelKeyProblems(key.text)) key.invalid(problem, key.text);
}

function checkValues(operator: FieldCheck, values: FieldCheck): void {
  const count = values.items().length;
  if (operator.value === 'In' || operator.value === 'NotIn') {
    if (count === 0) values.lacking("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator.value === 'Exists' || operator.value === 'DoesNotExist') {
    if (count > 0) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else operator.invalid('not a valid selector operator', operator.text);
}

/** Keys and values of a set of labels; errors are reported at the set itself. */
export function checkLabels(labels: FieldCheck): void {
  for (const [key, value] of Object.entries(labels.object)) {
    for (const problem of labelKeyProblems(key)) labels.invalid(problem, key);
    for (const problem of labelValueProblems(String(value))) labels.invalid(problem, value);
  }
}
