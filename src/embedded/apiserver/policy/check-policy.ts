import { dnsSubdomainProblems, labelKeyProblems } from '#base/model';
import { CelProgram, type CelType } from '#embedded/cel';
import { checkMatch } from '../validate/admission-rules.ts';
import type { FieldCheck } from '../validate/check.ts';
import {
  compileExpression,
  type PolicyScope,
  wantsBool,
  wantsText,
  wantsTextOrNothing,
} from './expressions.ts';
import { typeOf } from './policy.ts';

/** compat cluster 3.13: the requirements for a policy; its expressions are compiled when it is written. */
export function checkPolicy(object: FieldCheck): void {
  const spec = object.field('spec');
  spec.field('failurePolicy').oneOf(['Fail', 'Ignore']);
  const kind = spec.field('paramKind');
  if (kind.isSet) for (const field of ['apiVersion', 'kind']) kind.field(field).required();
  const match = spec.field('matchConstraints');
  if (!match.isSet) match.lacking();
  else {
    if (match.field('resourceRules').items().length === 0) match.field('resourceRules').lacking();
    checkMatch(match);
  }
  const scope: PolicyScope = { hasParams: kind.isSet };
  checkConditions(spec.field('matchConditions'), scope);
  const types = checkVariables(spec.field('variables'), scope);
  const within: PolicyScope = { ...scope, variables: types };
  const [validations, annotations] = [spec.field('validations'), spec.field('auditAnnotations')];
  if (validations.items().length === 0 && annotations.items().length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    validations.lacking(why);
    annotations.lacking(why);
  }
  for (const one of validations.items()) checkValidation(one, within);
  const name = object.field('metadata').field('name').text;
  for (const one of annotations.items()) checkAnnotation(one, name, within);
}

/** Conditions of policies and of webhooks. */
export function checkConditions(conditions: FieldCheck, scope: PolicyScope): void {
  const seen = new Set<string>();
  for (const one of conditions.items()) {
    const [expression, name] = [one.field('expression'), one.field('name')];
    if (expression.text.trim() === '') expression.lacking();
    else compiled(expression, scope, wantsBool);
    if (name.text === '') name.lacking();
    else if (seen.has(name.text)) name.duplicate();
    else name.problems(labelKeyProblems(name.text));
    seen.add(name.text);
  }
}

function compiled(check: FieldCheck, scope: PolicyScope, types?: readonly CelType[]) {
  const program = compileExpression(check.text, scope, types);
  if (!(program instanceof CelProgram)) check.invalid(program.error);
  return program;
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const isIdentifier = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !reserved.has(name);

function checkVariables(variables: FieldCheck, scope: PolicyScope): ReadonlyMap<string, CelType> {
  const types = new Map<string, CelType>();
  for (const one of variables.items()) {
    const [name, expression] = [one.field('name'), one.field('expression')];
    if (name.text.trim() === '') name.lacking('name is not specified');
    else if (!isIdentifier(name.text)) name.invalid('must be a valid CEL identifier');
    else if (types.has(name.text)) name.duplicate();
    if (expression.text.trim() === '') expression.lacking('expression is not specified');
    else
      types.set(
        name.text,
        typeOf({ program: compiled(expression, { ...scope, variables: new Map(types) }) }),
      );
  }
  return types;
}

function checkValidation(one: FieldCheck, scope: PolicyScope): void {
  const expression = one.field('expression');
  if (expression.text.trim() === '') expression.lacking('expression is not specified');
  else compiled(expression, scope, wantsBool);
  checkMessage(one.field('message'), expression.text);
  const message = one.field('messageExpression');
  if (message.text !== '' && message.text.trim() === '') message.invalid('must be non-empty if specified');
  else if (message.isSet) compiled(message, scope, wantsText);
  one.field('reason').oneOf(['Forbidden', 'Invalid', 'RequestEntityTooLarge']);
}

function checkMessage(message: FieldCheck, expression: string): void {
  const trimmed = message.text.trim();
  if (message.text !== '' && trimmed === '') message.invalid('must be non-empty if specified');
  else if (trimmed.includes('\n')) message.invalid('must not contain line breaks');
  else if (trimmed === '' && expression.trim().includes('\n'))
    message.lacking('message must be specified if expression contains line breaks');
}

function checkAnnotation(one: FieldCheck, policy: string, scope: PolicyScope): void {
  const [key, value] = [one.field('key'), one.field('valueExpression')];
  const whole = `${policy}/${key.text}`;
  for (const problem of labelKeyProblems(whole)) key.invalid(problem, whole);
  if (value.text.trim() === '') value.lacking('valueExpression is not specified');
  else compiled(value, scope, wantsTextOrNothing);
}

const actions = ['Audit', 'Deny', 'Warn'];

/** compat cluster 3.13: the requirements for a binding. */
export function checkBinding(object: FieldCheck): void {
  const spec = object.field('spec');
  const name = spec.field('policyName');
  if (name.isSet) name.problems(dnsSubdomainProblems(name.text));
  else name.lacking();
  if (spec.field('paramRef').isSet) checkParamRef(spec.field('paramRef'));
  if (spec.field('matchResources').isSet) checkMatch(spec.field('matchResources'));
  checkActions(spec.field('validationActions'));
}

function checkParamRef(ref: FieldCheck): void {
  const [name, selector, missing] = [
    ref.field('name'),
    ref.field('selector'),
    ref.field('parameterNotFoundAction'),
  ];
  if (name.isSet && selector.isSet) {
    for (const part of [name, selector]) part.forbidden('name and selector are mutually exclusive');
  } else if (!name.isSet && !selector.isSet) ref.lacking('one of name or selector must be specified');
  if (!missing.isSet) missing.lacking();
  else missing.oneOf(['Deny', 'Allow']);
}

function checkActions(list: FieldCheck): void {
  const seen = new Set<string>();
  for (const action of list.items()) {
    if (!actions.includes(action.text)) action.unsupported(actions);
    if (seen.has(action.text)) action.duplicate();
    seen.add(action.text);
  }
  if (seen.size === 0) list.lacking('at least one validation action is required');
  if (seen.has('Deny') && seen.has('Warn')) {
    list.invalid(
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
  }
}
