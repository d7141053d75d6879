import { type SchemaType, schemaType } from '#embedded/cel';
import type { FieldCheck } from '../validate/check.ts';
import type { Schema } from './judged.ts';
import { type CompiledRule, compileRule, type ValidationRule } from './rules.ts';
import type { RuleCost, SchemaPlace } from './schema-place.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** compat cluster 3.15: the rules of one schema node; they are compiled only where the schema itself is valid. */
export function checkRules(check: FieldCheck, schema: Schema, place: SchemaPlace, isSound: boolean): void {
  const rules = check.field('x-kubernetes-validations').items();
  if (rules.length === 0) return;
  const before = check.errors.length;
  for (const rule of rules) checkWording(rule, schema);
  if (!isSound || check.errors.length > before) return;
  const isResource = place.role === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const type = schemaType(schema, 'selfType', isResource);
  if (!type) return;
  for (const rule of rules) {
    const compiled = compileRule(rule.object as ValidationRule, type);
    checkCosts(rule, compiled, type, place);
    checkCompiled(rule, compiled, place);
  }
}

/** compat cluster 3.15: the estimated cost limits of one rule, and of all rules of a schema. */
const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;
const largestRequest = 3 * 1024 * 1024;

function checkCosts(
  check: FieldCheck,
  { program, message }: CompiledRule,
  type: SchemaType,
  place: SchemaPlace,
): void {
  const times = place.times ?? Math.floor(largestRequest / (type.minSize + 1));
  const cost = (program?.maxCost(type) ?? 0) * times;
  observe(check.field('rule'), cost, 'estimated rule cost', place);
  if (message) {
    observe(
      check.field('messageExpression'),
      message.maxCost(type),
      'estimated messageExpression cost',
      place,
    );
  }
}

function observe(check: FieldCheck, cost: number, name: string, { costs }: SchemaPlace): void {
  costs.push({ check, cost });
  if (cost > ruleLimit) check.forbidden(tooCostly(name, cost / ruleLimit));
}

function tooCostly(name: string, factor: number): string {
  const times = factor > 100 ? 'more than 100x' : `${factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Checks the cost of all rules of a schema together; the error names the most expensive ones. */
export function checkTotal(root: FieldCheck, costs: readonly RuleCost[]): void {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= schemaLimit) return;
  const worst = costs.toSorted((a, b) => b.cost - a.cost).slice(0, 4);
  for (const { check } of worst.filter(({ cost }) => cost >= schemaLimit / 100)) {
    check.forbidden(
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
    );
  }
  const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  root.forbidden(tooCostly(name, total / schemaLimit));
}

function checkWording(check: FieldCheck, schema: Schema): void {
  const {
    rule = '',
    message = '',
    messageExpression = '',
    reason,
    fieldPath = '',
  } = check.object as ValidationRule;
  checkMessage(check, rule.trim(), message);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    check.field('messageExpression').lacking('messageExpression must be non-empty if specified');
  }
  if (reason !== undefined && !reasons.includes(reason)) check.field('reason').unsupported(reasons);
  if (fieldPath === '') return;
  const path = check.field('fieldPath');
  if (fieldPath.trim() === '') path.invalid('must be non-empty if specified');
  if (fieldPath.includes('\n')) path.invalid('must not contain line breaks');
  if (!isPath(fieldPath, schema)) path.invalid('must be a valid path');
}

function checkMessage(check: FieldCheck, rule: string, message: string): void {
  const field = check.field('message');
  const trimmed = message.trim();
  if (rule === '') check.field('rule').lacking('rule is not specified');
  else if (message !== '' && trimmed === '') field.invalid('must be non-empty if specified');
  else if (trimmed.includes('\n')) field.invalid('must not contain line breaks');
  else if (rule.includes('\n') && trimmed === '') {
    field.lacking('message must be specified if rule contains line breaks');
  }
}

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/gy;

/** Whether a path such as `.spec['my.field']` leads to a field that the schema declares. */
function isPath(path: string, schema: Schema): boolean {
  let at: Schema | undefined = schema;
  let length = 0;
  step.lastIndex = 0;
  for (let found = step.exec(path); found && at; found = step.exec(path)) {
    at = declared(at, found[1] ?? (found[2] ?? '').replaceAll(/\\(.)/g, '$1'));
    length += found[0].length;
  }
  return at !== undefined && length === path.length;
}

function declared({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties) return Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** compat cluster 3.15: the rule as the real server prints it, by its Go names. */
const shown = (rule: ValidationRule) => ({
  Rule: rule.rule ?? '',
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

function checkCompiled(check: FieldCheck, compiled: CompiledRule, { uncorrelated }: SchemaPlace): void {
  const { rule, error, messageError, usesOld } = compiled;
  if (error !== undefined) check.field('rule').invalid(error, shown(rule));
  if (messageError !== undefined) check.field('messageExpression').invalid(messageError, shown(rule));
  if (usesOld && uncorrelated !== undefined) {
    check
      .field('rule')
      .invalid(`oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`);
  }
  if (!usesOld && rule.optionalOldSelf !== undefined && error === undefined) {
    check.field('optionalOldSelf').invalid('may not be set if oldSelf is not used in rule');
  }
}
