import { Authorizer, Fault, jsonValue, lazyObject, Program, type Value } from '#embedded/cel';
import { convert } from '../convert.ts';
import type { Item } from '../item.ts';
import type { Resource } from '../kinds.ts';
import { type Attributes, requestView } from './attributes.ts';
import type { Compiled, Policy } from './policy.ts';
import type { World } from './world.ts';

/** compat 3.15: what one expression, all conditions, and all validations of a policy may cost. */
const perCall = 1_000_000;
const forConditions = 2_500_000;
const forValidations = 10_000_000;
const longestMessage = 5 * 1024;

/** Something a policy has against a request. */
export type Violation = { readonly message: string; readonly reason: string };

/** What expressions see of one request; made once, whatever looks at it. */
export class View {
  readonly values: Readonly<Record<string, Value>>;

  constructor(world: World, attributes: Attributes, as: Resource, namespace: Item | undefined) {
    const shown = (item: Item | undefined): Value => jsonValue(item && shownAs(item, attributes, as));
    this.values = {
      object: shown(attributes.object),
      oldObject: shown(attributes.old),
      request: jsonValue(requestView(attributes, as)),
      namespaceObject: jsonValue(namespace),
      authorizer: authorizerFor(world, attributes),
      params: null,
    };
  }
}

/** compat 3.15: an object is shown in the version that the rule asked for. */
export const shownAs = (item: Item, { kind, resource }: Attributes, as: Resource): Item =>
  as === resource || kind.kind !== resource.kind ? item : convert(item, as);

function authorizerFor(
  { access }: World,
  { user, resource, subresource, namespace, name }: Attributes,
): Value {
  const own = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return new Authorizer((verb, deed, account) => {
    const who = account
      ? {
          name: `system:serviceaccount:${account.namespace}:${account.name}`,
          groups: [
            'system:serviceaccounts',
            `system:serviceaccounts:${account.namespace}`,
            'system:authenticated',
          ],
        }
      : user;
    return access.decide(who, { verb, ...deed });
  }, own);
}

/** What evaluating may still cost. */
class Budget {
  left: number;
  constructor(left: number) {
    this.left = left;
  }

  run(program: Compiled['program'], values: Readonly<Record<string, Value>>): Value {
    if (!(program instanceof Program)) return new Fault(program.error);
    const { value, cost, isOverLimit } = program.evaluate(values, Math.min(perCall, Math.max(0, this.left)));
    this.left -= cost;
    if (!isOverLimit) return value;
    return new Fault(
      this.left <= 0
        ? 'validation failed due to running out of cost budget, no further validation rules will be run'
        : 'operation cancelled: actual cost limit exceeded',
    );
  }
}

const failed = (source: string, why: string): string => `expression '${source}' resulted in error: ${why}`;

/** Whether all conditions hold; a text when that cannot be told. One that does not hold outweighs errors. */
export function conditionsHold(
  conditions: readonly Compiled[],
  values: Readonly<Record<string, Value>>,
): boolean | string {
  const budget = new Budget(forConditions);
  const errors: string[] = [];
  for (const { source, program } of conditions) {
    const value = budget.run(program, values);
    if (value === false) return false;
    if (value instanceof Fault) errors.push(failed(source, value.message));
  }
  if (errors.length === 0) return true;
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
}

/** Everything a policy has against a request, with one set of parameters. */
export function judge(policy: Policy, view: View, params: Item | undefined): Violation[] {
  const ownValues = { ...view.values, params: params ? jsonValue(params) : null };
  const isFatal = policy.spec.failurePolicy !== 'Ignore';
  const held = conditionsHold(policy.conditions, ownValues);
  if (typeof held === 'string') return isFatal ? [{ message: held, reason: 'Invalid' }] : [];
  if (!held) return [];
  const budget = new Budget(forValidations);
  const values = { ...ownValues, variables: variablesOf(policy, ownValues, budget) };
  return policy.validations.flatMap((validation) => {
    const { source, program, reason } = validation;
    const value = budget.run(program, values);
    if (value === true) return [];
    if (!(value instanceof Fault)) return [{ message: messageFor(validation, values, budget), reason }];
    return isFatal ? [{ message: failed(source, value.message), reason: 'Invalid' }] : [];
  });
}

function variablesOf(policy: Policy, values: Readonly<Record<string, Value>>, budget: Budget): Value {
  const fields = new Map<string, () => Value>();
  const variables = lazyObject(fields);
  for (const [name, { program }] of policy.variables) {
    fields.set(name, () => {
      const value = budget.run(program, { ...values, variables });
      return value instanceof Fault
        ? new Fault(`composited variable ${JSON.stringify(name)} fails to evaluate: ${value.message}`)
        : value;
    });
  }
  return variables;
}

function messageFor(
  { source, message, messageProgram }: Policy['validations'][number],
  values: Readonly<Record<string, Value>>,
  budget: Budget,
): string {
  const made = messageProgram && budget.run(messageProgram, values);
  const text = typeof made === 'string' ? made.trim() : '';
  const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= longestMessage;
  if (isUsable) return text;
  return message !== '' ? message : `failed expression: ${source}`;
}
