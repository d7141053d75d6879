import { equal } from '#base/std';
import { CelError, type CelResult, type CelValue, none, OptionalValue, SchemaValues } from '#embedded/cel';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { FieldError } from '../status.ts';
import type { CompiledRule, RuledSchema, RuleNode, ValidationRule } from './rules.ts';

/** compat cluster 3.15: the cost limits of one rule, and of all rules of one object. */
const perCallLimit = 1_000_000;
const objectLimit = 10_000_000;
const longestMessage = 5 * 1024;

/** A value, the stored value at its path, and whether its errors are old. */
type RuleTarget = {
  readonly path: string;
  readonly value: unknown;
  readonly old: unknown;
  readonly unchanged: () => boolean;
};

/** All errors that the rules find in an object. `warn` gets the old errors, which are tolerated. */
export function ruleErrors(
  node: RuleNode,
  next: unknown,
  live: unknown,
  warn: (message: string) => void,
): FieldError[] {
  const run = new Run(warn);
  run.visit(node, {
    path: '',
    value: next,
    old: live,
    unchanged: once(() => live !== undefined && equal(next, live)),
  });
  return run.errors;
}

function once(compute: () => boolean): () => boolean {
  let known: boolean | undefined;
  return () => {
    known ??= compute();
    return known;
  };
}

const under = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

class Run {
  readonly errors: FieldError[] = [];
  readonly #warn: (message: string) => void;
  readonly #values = new SchemaValues();
  #budget = objectLimit;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  visit(node: RuleNode, place: RuleTarget): void {
    if (place.value === null || place.value === undefined || this.#budget < 0) return;
    this.#judge(node, place);
    for (const part of node.allOf) this.visit(part, { ...place, unchanged: () => false });
    if (Array.isArray(place.value)) this.#items(node, place, place.value);
    else if (isObject(place.value)) this.#fields(node, place, place.value);
  }

  #items({ items, schema }: RuleNode, place: RuleTarget, list: readonly unknown[]): void {
    if (!items) return;
    const before = matcher(schema, place.old);
    for (const [index, value] of list.entries()) {
      const old = before?.(value);
      const unchanged = before ? once(() => old !== undefined && equal(value, old)) : place.unchanged;
      this.visit(items, { path: `${place.path}[${index}]`, value, old, unchanged });
    }
  }

  #fields({ properties, values }: RuleNode, place: RuleTarget, object: JsonObject): void {
    const before = isObject(place.old) ? place.old : {};
    for (const [name, value] of Object.entries(object)) {
      const node = properties.get(name) ?? values;
      if (!node) continue;
      const old = Object.hasOwn(before, name) ? before[name] : undefined;
      const path = properties.has(name) ? under(place.path, name) : `${place.path}[${name}]`;
      this.visit(node, { path, value, old, unchanged: once(() => old !== undefined && equal(value, old)) });
    }
  }

  #judge(node: RuleNode, place: RuleTarget): void {
    if (node.rules.length === 0) return;
    if (this.#budget <= 0) {
      this.#stop(
        failure(
          place,
          node,
          'validation failed due to running out of cost budget, no further validation rules will be run',
        ),
      );
      return;
    }
    const self = this.#values.valueOf(place.value, node.exprSchema);
    const hasOld = place.old !== undefined && place.old !== null;
    const old = hasOld ? this.#values.valueOf(place.old, node.exprSchema) : undefined;
    for (const rule of node.rules) {
      if (this.#budget < 0) return;
      this.#apply(rule, node, place, { self, old });
    }
  }

  #apply(
    compiled: CompiledRule,
    node: RuleNode,
    place: RuleTarget,
    seen: { self: CelValue; old: CelValue | undefined },
  ): void {
    const { rule, program, error, usesOld } = compiled;
    if (error !== undefined) this.errors.push(failure(place, node, `rule compile error: ${error}`));
    if (!program) return;
    const isOptional = rule.optionalOldSelf === true;
    if (usesOld && seen.old === undefined && !isOptional) return;
    const variables = variablesOf(seen, isOptional);
    const outcome = program.evaluate(variables, perCallLimit);
    if (outcome.isOverLimit) {
      const why = `'${text(outcome)}': no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule)}`;
      this.#stop(failure(place, node, why));
      return;
    }
    this.#budget -= outcome.cost;
    if (this.#budget < 0) {
      const why =
        'validation failed due to running out of cost budget, no further validation rules will be run';
      this.#stop(failure(place, node, why));
    } else if (outcome.value instanceof CelError) {
      this.errors.push(failure(place, node, faultText(outcome.value.message, rule)));
    } else if (outcome.value !== true) {
      this.#refuse(compiled, node, place, variables);
    }
  }

  #refuse(
    compiled: CompiledRule,
    node: RuleNode,
    place: RuleTarget,
    variables: Readonly<Record<string, CelValue>>,
  ): void {
    const detail = this.#message(compiled, variables) ?? ownMessage(compiled.rule);
    const error = refusal(compiled.rule, node, place, detail);
    // compat cluster 3.15: an unchanged value may keep its old error
    if (!compiled.usesOld && place.unchanged()) this.#warn(`${error.field}: ${error.type}: ${detail}`);
    else this.errors.push(error);
  }

  #message({ message }: CompiledRule, variables: Readonly<Record<string, CelValue>>): string | undefined {
    if (!message) return undefined;
    const { value, cost } = message.evaluate(variables, perCallLimit);
    this.#budget -= cost;
    if (typeof value !== 'string') return undefined;
    const trimmed = value.trim();
    const isUsable =
      trimmed !== '' && !trimmed.includes('\n') && Buffer.byteLength(trimmed) <= longestMessage;
    return isUsable ? trimmed : undefined;
  }

  #stop(error: FieldError): void {
    this.errors.push(error);
    this.#budget = -1;
  }
}

function variablesOf(
  { self, old }: { self: CelValue; old: CelValue | undefined },
  isOptional: boolean,
): Readonly<Record<string, CelValue>> {
  if (isOptional) return { self, oldSelf: old === undefined ? none : new OptionalValue(old) };
  return old === undefined ? { self } : { self, oldSelf: old };
}

const text = ({ value }: CelResult): string => (value instanceof CelError ? value.message : '');

/** A rule as an error names it. */
const nameOf = ({ message, rule }: ValidationRule): string => (message || rule || '').trim();
const ownMessage = (rule: ValidationRule): string =>
  rule.message ? rule.message.trim() : `failed rule: ${nameOf(rule)}`;

function faultText(message: string, rule: ValidationRule): string {
  if (message.startsWith('no such overload')) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`;
  }
  return `${message} evaluating rule: ${nameOf(rule)}`;
}

const failure = ({ path }: RuleTarget, { schema }: RuleNode, detail: string): FieldError => ({
  type: 'Invalid value',
  field: path || '<nil>',
  value: schema.type ?? '',
  detail,
});

function refusal(rule: ValidationRule, { schema }: RuleNode, place: RuleTarget, detail: string): FieldError {
  const field = `${place.path}${rule.fieldPath ?? ''}`.replace(/^\./, '') || '<nil>';
  const valueless = schema.type === 'object' || schema.type === 'array';
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return { type: 'Forbidden', field, detail };
    case 'FieldValueRequired':
      return { type: 'Required value', field, detail };
    case 'FieldValueDuplicate':
      return { type: 'Duplicate value', field, value: place.value, valueless };
    default:
      return { type: 'Invalid value', field, value: place.value, valueless, detail };
  }
}

/** Finds the stored item of a keyed list's item; undefined when the list's items have no identity. */
export function matcher(schema: RuledSchema, old: unknown): ((item: unknown) => unknown) | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: unknown): string =>
    JSON.stringify(keys.map((key) => String(isObject(item) ? item[key] : undefined)));
  const byKey = new Map(old.map((item) => [keyOf(item), item]));
  return (item) => byKey.get(keyOf(item));
}
