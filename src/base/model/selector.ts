import { FairleadError } from '#base/std';
import { compareBytes } from './file-path.ts';
import { labelKeyProblems, labelValueProblems } from './names.ts';

type SelectorOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
export type SelectorRequirement = { key: string; operator: SelectorOperator; values?: string[] };

/** The object form of a label selector, as manifests write it. */
export type LabelSelector = {
  matchLabels?: Record<string, string>;
  matchExpressions?: SelectorRequirement[];
};

export type RequirementOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';
export type Requirement = {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values: readonly string[];
};

/** All requirements must hold. None at all selects everything. */
export type Selector = readonly Requirement[];

export const everything: Selector = [];

/** Selects nothing: no value is among none. */
export const nothing: Selector = [{ key: '', operator: 'in', values: [] }];

/** Whether labels satisfy every requirement. Missing labels are an empty map. */
export function matches(selector: Selector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return selector.every((requirement) => holds(requirement, valueAt(labels, requirement.key)));
}

function valueAt(labels: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function holds({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
    case '<':
      return ordered(operator, integer(value), integer(values[0]));
    default:
      return value !== undefined && values.includes(value);
  }
}

function ordered(operator: '>' | '<', left: bigint | undefined, right: bigint | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return operator === '>' ? left > right : left < right;
}

/** An int64 as Go reads it; undefined for anything else. */
function integer(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[-+]?[0-9]{1,25}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/**
 * Reads the object form. compat: no selector at all selects nothing, an empty one selects everything.
 * Throws InvalidSpec on a key, value or operator that Kubernetes refuses.
 */
export function selectorOf(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return nothing;
  return inOrder(requirementsOf(selector).map(checkedRequirement));
}

/** As selectorOf, for values that are no labels, such as the URLs among ApplicationSet parameters (sources AS-5). */
export function looseSelectorOf(selector: LabelSelector | undefined): Selector {
  return selector === undefined ? everything : inOrder(requirementsOf(selector).map(checkedShape));
}

const operators: Readonly<Record<string, RequirementOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function requirementsOf({ matchLabels, matchExpressions }: LabelSelector): Requirement[] {
  const exact = Object.entries(matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: '=', values: [value] }),
  );
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }): Requirement => {
    const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    if (known) return { key, operator: known, values: values ?? [] };
    throw new FairleadError(
      'InvalidSpec',
      `"${operator}" is not a valid label selector operator; use In, NotIn, Exists or DoesNotExist`,
    );
  });
  return [...exact, ...expressions];
}

/** A requirement Kubernetes would accept; throws InvalidSpec with its reasons otherwise. */
export function checkedRequirement(requirement: Requirement): Requirement {
  const { key, values } = requirement;
  checkedShape(requirement);
  const problems = [
    ...labelKeyProblems(key).map((problem) => `key "${key}" ${problem}`),
    ...values.flatMap((value) => labelValueProblems(value).map((problem) => `value "${value}" ${problem}`)),
  ];
  if (problems.length > 0) throw new FairleadError('InvalidSpec', `label selector: ${problems.join('; ')}`);
  return requirement;
}

function checkedShape(requirement: Requirement): Requirement {
  const problem = shapeProblem(requirement);
  if (problem) throw new FairleadError('InvalidSpec', `label selector on "${requirement.key}": ${problem}`);
  return requirement;
}

function shapeProblem({ operator, values }: Requirement): string | undefined {
  const [first] = values;
  switch (operator) {
    case 'in':
    case 'notin':
      return first === undefined ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case 'exists':
    case '!':
      return first === undefined ? undefined : 'values set must be empty for exists and does not exist';
    case '>':
    case '<':
      return integer(first) === undefined
        ? "for 'Gt', 'Lt' operators, the value must be an integer"
        : undefined;
    default:
      return values.length === 1 ? undefined : 'exact-match compatibility requires one single value';
  }
}

/** Requirements by key, so that equal selectors print alike. */
export const inOrder = (requirements: readonly Requirement[]): Selector =>
  requirements.toSorted((a, b) => compareBytes(a.key, b.key));

/** The text form, as a query parameter wants it. */
export function printSelector(selector: Selector): string {
  return selector.map(printRequirement).join(',');
}

function printRequirement({ key, operator, values }: Requirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const listed = values.toSorted(compareBytes).join(',');
  return operator === 'in' || operator === 'notin'
    ? `${key} ${operator} (${listed})`
    : key + operator + listed;
}
