import { labelKeyProblems } from '#base/model';
import type { FieldCheck } from './check.ts';

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const listed = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;

function required(check: FieldCheck, values: readonly string[]): void {
  if (!check.isSet) check.lacking(listed(values));
  else check.oneOf(values);
}

/** compat cluster 3.13: the pod failure policy of a Job. */
export function checkFailurePolicy(spec: FieldCheck): void {
  const template = spec.field('template').field('spec');
  const names = ['containers', 'initContainers'].flatMap((list) =>
    template
      .field(list)
      .items()
      .map((container) => container.field('name').text),
  );
  for (const rule of spec.field('podFailurePolicy').field('rules').items()) {
    checkRule(rule, names, spec.field('backoffLimitPerIndex').isSet);
  }
}

function checkRule(rule: FieldCheck, names: readonly string[], isPerIndex: boolean): void {
  const action = rule.field('action');
  if (action.value !== 'FailIndex') required(action, actions);
  else if (!isPerIndex) action.invalid('requires the backoffLimitPerIndex to be set');
  const [codes, conditions] = [rule.field('onExitCodes'), rule.field('onPodConditions')];
  const count = conditions.items().length;
  if (codes.isSet) checkExitCodes(codes, names);
  for (const condition of conditions.items()) checkCondition(condition);
  if (codes.isSet && count > 0) {
    rule.bare('specifying both OnExitCodes and OnPodConditions is not supported');
  }
  if (!codes.isSet && count === 0) {
    rule.bare('specifying one of OnExitCodes and OnPodConditions is required');
  }
}

function checkCondition(condition: FieldCheck): void {
  const type = condition.field('type');
  for (const problem of labelKeyProblems(type.text)) type.invalid(problem, type.text);
  required(condition.field('status'), ['False', 'True', 'Unknown']);
}

function checkExitCodes(codes: FieldCheck, names: readonly string[]): void {
  const operator = codes.field('operator');
  required(operator, ['In', 'NotIn']);
  const name = codes.field('containerName');
  if (name.value !== undefined && !names.includes(name.text)) {
    name.invalid('must be one of the container or initContainer names in the pod template');
  }
  const values = codes.field('values');
  const numbers = values.items().map(({ value }) => Number(value));
  if (numbers.length === 0) values.invalid('at least one value is required', values.value ?? null);
  for (const [at, value] of values.items().entries()) {
    if (operator.value === 'In' && value.value === 0) value.invalid('must not be 0 for the In operator');
    if (numbers.indexOf(Number(value.value)) < at) value.duplicate();
  }
  if (numbers.some((value, at) => at > 0 && (numbers[at - 1] ?? 0) > value))
    values.invalid('must be ordered');
}

/** compat cluster 3.13: the indexes whose success completes a Job. */
export function checkSuccessPolicy(spec: FieldCheck): void {
  const rules = spec.field('successPolicy').field('rules');
  const completions = Number(spec.field('completions').value ?? 0);
  if (rules.items().length === 0) {
    rules.lacking('at least one rules must be specified when the successPolicy is specified');
  }
  for (const rule of rules.items()) {
    const [count, indexes] = [rule.field('succeededCount'), rule.field('succeededIndexes')];
    if (count.value === undefined && indexes.value === undefined) {
      rule.lacking('at least one of succeededCount or succeededIndexes must be specified');
    }
    count.notNegative();
    if (Number(count.value ?? 0) > completions) {
      count.invalid(`must be less than or equal to ${completions} (the number of specified completions)`);
    }
  }
}
