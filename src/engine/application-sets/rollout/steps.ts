import type { Application, ApplicationSet, KubeObject, RolloutStep, SelectorRequirement } from '#base/model';
import type { SetSettings } from '../apply/policy.ts';

type ProgressiveSettings = Pick<SetSettings, 'progressiveSyncs'>;

/** compat sources ASY-1: switched on for the server, of this exact type, and configured. */
export function hasRollout({ spec }: ApplicationSet, { progressiveSyncs }: ProgressiveSettings): boolean {
  const { type, rollingSync } = spec.strategy ?? {};
  return progressiveSyncs && type === 'RollingSync' && rollingSync !== undefined && rollingSync !== null;
}

/** compat sources ASY-11. */
export function hasReverseDeletion(set: ApplicationSet, settings: ProgressiveSettings): boolean {
  const { deletionOrder = '', rollingSync } = set.spec.strategy ?? {};
  return (
    hasRollout(set, settings) &&
    deletionOrder.toLowerCase() === 'reverse' &&
    (rollingSync?.steps?.length ?? 0) > 0
  );
}

/** compat sources ASY-4: the number of the first step that selects the application, from 1; -1: none does. */
export function stepOf(app: KubeObject, steps: readonly RolloutStep[]): number {
  const at = steps.findIndex((step) => isInStep(app, step));
  return at < 0 ? -1 : at + 1;
}

/** compat sources ASY-3: all expressions must hold on the labels; none at all selects everything. */
export function isInStep({ metadata }: KubeObject, { matchExpressions = [] }: RolloutStep): boolean {
  return matchExpressions.every((expression) => holds(expression, metadata.labels ?? {}));
}

function holds(
  { key, operator, values = [] }: SelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (operator === 'In') return value !== undefined && values.includes(value);
  // compat sources ASY-3: an operator that does not exist here holds where the label is missing
  return value === undefined || (operator === 'NotIn' && !values.includes(value));
}

/** compat sources ASY-7: how many applications of a step may be updated at once. */
export function updateBudget({ maxUpdate }: RolloutStep, total: number): number {
  if (maxUpdate === undefined || maxUpdate === null) return Number.POSITIVE_INFINITY;
  if (typeof maxUpdate === 'number') return Math.max(0, maxUpdate);
  const percent = percentOf(maxUpdate);
  if (percent === undefined) return 1;
  if (percent === 0) return 0;
  return Math.max(1, Math.floor((total * percent) / 100));
}

function percentOf(text: string): number | undefined {
  const [, digits] = /^(\d+)%$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** compat sources ASY-10: one class of problems, the gravest; undefined: the steps are in order. */
export function rolloutProblem(
  steps: readonly RolloutStep[],
  applications: readonly Application[],
): string | undefined {
  return (
    badOperators(steps) ??
    selectedTwice(steps, applications) ??
    badBudgets(steps) ??
    emptySteps(steps, applications)
  );
}

const listed = (items: readonly string[]): string =>
  items.length > 5 ? `${items.slice(0, 5).join(', ')} (and ${items.length - 5} more)` : items.join(', ');

function badOperators(steps: readonly RolloutStep[]): string | undefined {
  const found = steps.flatMap(({ matchExpressions = [] }, at) =>
    matchExpressions
      .filter(({ operator }) => operator !== 'In' && operator !== 'NotIn')
      .map(({ operator }) => `step ${at + 1} has ${operator}`),
  );
  return found.length > 0 ? `steps allow the operators In and NotIn only: ${listed(found)}` : undefined;
}

function selectedTwice(
  steps: readonly RolloutStep[],
  applications: readonly Application[],
): string | undefined {
  const found = applications.flatMap((app) => {
    const numbers = steps.flatMap((step, at) => (isInStep(app, step) ? [at + 1] : []));
    return numbers.length > 1 ? [`${app.metadata.name} in steps ${numbers.join(' and ')}`] : [];
  });
  return found.length > 0
    ? `applications are selected by several steps, the first counts: ${listed(found)}`
    : undefined;
}

function badBudgets(steps: readonly RolloutStep[]): string | undefined {
  const found = steps.flatMap(({ maxUpdate }, at) =>
    typeof maxUpdate === 'string' && percentOf(maxUpdate) === undefined
      ? [`step ${at + 1} has "${maxUpdate}"`]
      : [],
  );
  return found.length > 0
    ? `maxUpdate must be a number or a percentage such as 25%: ${listed(found)}`
    : undefined;
}

function emptySteps(steps: readonly RolloutStep[], applications: readonly Application[]): string | undefined {
  const found = steps.flatMap((step, at) =>
    applications.some((app) => isInStep(app, step)) ? [] : [String(at + 1)],
  );
  return found.length > 0 ? `steps select no application: ${listed(found)}` : undefined;
}
