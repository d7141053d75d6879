import { labelKeyProblems } from '#base/model';
import type { FieldCheck } from './check.ts';
import { checkSelectorFields } from './selector.ts';

export function checkAffinity(affinity: FieldCheck): void {
  const required = affinity.field('nodeAffinity').field('requiredDuringSchedulingIgnoredDuringExecution');
  const terms = required.field('nodeSelectorTerms');
  if (required.isSet && terms.items().length === 0) {
    terms.lacking('must have at least one node selector term');
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const list = affinity.field(kind).field('requiredDuringSchedulingIgnoredDuringExecution');
    for (const term of list.items()) checkTopologyKey(term.field('topologyKey'));
  }
}

function checkTopologyKey(key: FieldCheck): void {
  if (!key.isSet) key.lacking('can not be empty');
  for (const problem of labelKeyProblems(key.text)) key.invalid(problem, key.text);
}

export function checkSpread(constraint: FieldCheck): void {
  const skew = constraint.field('maxSkew');
  if (Number(skew.value ?? 0) <= 0) skew.invalid('must be greater than zero', skew.value ?? 0);
  if (!constraint.field('topologyKey').isSet) constraint.field('topologyKey').lacking('can not be empty');
  const action = constraint.field('whenUnsatisfiable');
  if (!['DoNotSchedule', 'ScheduleAnyway'].includes(action.text)) {
    action.unsupported(['DoNotSchedule', 'ScheduleAnyway'], action.text);
  }
  checkSelectorFields(constraint.field('labelSelector'));
}

export function checkToleration(toleration: FieldCheck): void {
  const key = toleration.field('key');
  const operator = toleration.field('operator');
  const effect = toleration.field('effect');
  if (key.isSet) key.problems(labelKeyProblems(key.text));
  else if (operator.value !== 'Exists') {
    operator.invalid(
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      operator.text,
    );
  }
  if (toleration.field('tolerationSeconds').isSet && effect.value !== 'NoExecute') {
    effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect.text);
  }
  const value = toleration.field('value');
  if (operator.value === 'Exists' && value.isSet) {
    operator.invalid("value must be empty when `operator` is 'Exists'", value.value);
  }
  operator.oneOf(['Equal', 'Exists']);
  effect.oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
}
