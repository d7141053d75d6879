import { Authorizer, CelError, CelProgram, type CelValue, jsonValue, lazyObject } from '#embedded/cel';
import { convert } from '../convert.ts';
import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { AdmissionContext } from './admission-context.ts';
import { type Attributes, requestView } from './attributes.ts';
import type { AdmissionPolicy, Compiled } from './policy.ts';

/** compat cluster 3.15: the cost limits of one expression, of all conditions, and of all validations of a policy. */
const perCall = 1_000_000;
const forConditions = 2_500_000;
const forValidations = 10_000_000;
const longestMessage = 5 * 1024;

/** A policy's objection to a request. */
export type Violation = { readonly message: string; readonly reason: string };

/** The variables of one request for expressions; built once for all policies. */
export class RequestView {
  readonly values: Readonly<Record<string, CelValue>>;

  constructor(
    context: AdmissionContext,
    attributes: Attributes,
    as: ServedResource,
    namespace: Item | undefined,
  ) {
    const shown = (item: Item | undefined): CelValue => jsonValue(item && shownAs(item, attributes, as));
    this.values = {
      object: shown(attributes.object),
      oldObject: shown(attributes.old),
      request: jsonValue(requestView(attributes, as)),
      namespaceObject: jsonValue(namespace),
      authorizer: authorizerFor(context, attributes),
      params: null,
    };
  }
}

/** compat cluster 3.15: an object is passed in the version that the rule names. */
export const shownAs = (item: Item, { kind, resource }: Attributes, as: ServedResource): Item =>
  as === resource || kind.kind !== resource.kind ? item : convert(item, as);

function authorizerFor(
  { access }: AdmissionContext,
  { user, resource, subresource, namespace, name }: Attributes,
): CelValue {
  const own = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return new Authorizer((verb, attributes, account) => {
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
    return access.decide(who, { verb, ...attributes });
  }, own);
}

/** The remaining cost budget. */
class Budget {
  left: number;
  constructor(left: number) {
    this.left = left;
  }

  run(program: Compiled['program'], values: Readonly<Record<string, CelValue>>): CelValue {
    if (!(program instanceof CelProgram)) return new CelError(program.error);
    const { value, cost, isOverLimit } = program.evaluate(values, Math.min(perCall, Math.max(0, this.left)));
    this.left -= cost;
    if (!isOverLimit) return value;
    return new CelError(
      this.left <= 0
        ? 'validation failed due to running out of cost budget, no further validation rules will be run'
        : 'operation cancelled: actual cost limit exceeded',
    );
  }
}

const failed = (source: string, why: string): string => `expression '${source}' resulted in error: ${why}`;

/** Whether all conditions hold; a text is the evaluation error. A condition that is false outweighs errors. */
export function conditionsHold(
  conditions: readonly Compiled[],
  values: Readonly<Record<string, CelValue>>,
): boolean | string {
  const budget = new Budget(forConditions);
  const errors: string[] = [];
  for (const { source, program } of conditions) {
    const value = budget.run(program, values);
    if (value === false) return false;
    if (value instanceof CelError) errors.push(failed(source, value.message));
  }
  if (errors.length === 0) return true;
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
}

/** All violations of a policy by a request, with one set of parameters. */
export function judge(policy: AdmissionPolicy, view: RequestView, params: Item | undefined): Violation[] {
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
    if (!(value instanceof CelError)) return [{ message: messageFor(validation, values, budget), reason }];
    return isFatal ? [{ message: failed(source, value.message), reason: 'Invalid' }] : [];
  });
}

function variablesOf(
  policy: AdmissionPolicy,
  values: Readonly<Record<string, CelValue>>,
  budget: Budget,
): CelValue {
  const fields = new Map<string, () => CelValue>();
  const variables = lazyObject(fields);
  for (const [name, { program }] of policy.variables) {
    fields.set(name, () => {
      const value = budget.run(program, { ...values, variables });
      return value instanceof CelError
        ? new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${value.message}`)
        : value;
    });
  }
  return variables;
}

function messageFor(
  { source, message, messageProgram }: AdmissionPolicy['validations'][number],
  values: Readonly<Record<string, CelValue>>,
  budget: Budget,
): string {
  const made = messageProgram && budget.run(messageProgram, values);
  const text = typeof made === 'string' ? made.trim() : '';
  const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= longestMessage;
  if (isUsable) return text;
  return message !== '' ? message : `failed expression: ${source}`;
}
