import type { Condition, Health, KubeObject } from '#base/model';
import { isObject } from '#base/std';
import {
  type Checks,
  conditionOf,
  conditionsOf,
  degraded,
  type HealthCheck,
  type HealthOf,
  healthy,
  progressing,
  say,
  waitingForSpec,
} from './verdict.ts';

/**
 * The vocabulary of the shipped checks. A check is a list of rules; the first rule with a result decides, and
 * an object that no rule decides is Progressing. A clause checks one condition; `conditions` walks a status
 * from top to bottom, as Argo CD's checks do, so that the order in which a controller lists its conditions
 * counts.
 */
export type HealthRule = (object: KubeObject) => Health | undefined;
export type ConditionRule = (condition: Condition, object: KubeObject) => Health | undefined;

/** The first result; without any, Progressing with the controller's message about readiness. */
export function check(...rules: readonly HealthRule[]): HealthCheck {
  return (object) => {
    for (const rule of rules) {
      const found = rule(object);
      if (found) return found;
    }
    return waiting(object);
  };
}

/** The same check for several kinds of one group. */
export function sameFor(group: string, kinds: readonly string[], judge: HealthCheck): Checks {
  return Object.fromEntries(kinds.map((kind) => [`${group}/${kind}`, judge]));
}

function waiting(object: KubeObject): Health {
  if (!object.status) return progressing('waiting for the first status');
  const ready = conditionOf(object, 'Ready');
  return progressing(
    (ready && ready.status !== 'True' && say(ready)) || 'waiting for the controller to finish',
  );
}

/** The first condition, in listed order, that a clause has a result for. */
export function conditions(...clauses: readonly ConditionRule[]): HealthRule {
  return (object) => firstAnswer(conditionsOf(object), object, clauses);
}

/** Like conditions(), for a list that is not at `status.conditions`. */
export function firstAnswer(
  list: readonly Condition[],
  object: KubeObject,
  clauses: readonly ConditionRule[],
): Health | undefined {
  for (const condition of list) {
    for (const clause of clauses) {
      const found = clause(condition, object);
      if (found) return found;
    }
  }
  return undefined;
}

/** A condition of this type and status; with reasons, only when it has one of them. */
export function on(
  type: string,
  status: string,
  verdict: HealthOf,
  reasons?: readonly string[],
): ConditionRule {
  return (condition) =>
    condition.type === type &&
    condition.status === status &&
    (!reasons || reasons.includes(condition.reason ?? ''))
      ? verdict(describeCondition(condition))
      : undefined;
}

/** A condition of this type with any other status. */
export function unless(type: string, status: string, verdict: HealthOf): ConditionRule {
  return (condition) =>
    condition.type === type && condition.status !== status
      ? verdict(describeCondition(condition))
      : undefined;
}

/** A condition with this reason, whatever its type and status. */
export function because(reason: string, verdict: HealthOf): ConditionRule {
  return (condition) => (condition.reason === reason ? verdict(describeCondition(condition)) : undefined);
}

/** Skips a condition that reports another generation. */
export function fresh(clause: ConditionRule): ConditionRule {
  return (condition, object) => (isOutdated(condition, object) ? undefined : clause(condition, object));
}

/** The condition names a generation, and it is not the present one. */
export const isOutdated = ({ observedGeneration }: Condition, { metadata }: KubeObject): boolean =>
  observedGeneration !== undefined &&
  metadata.generation !== undefined &&
  observedGeneration !== metadata.generation;

/** `Ready=False`, when the condition itself has no message. */
export const describeCondition = (condition: Condition): string =>
  say(condition) ?? `${condition.type}=${condition.status}`;

/** True is Healthy, False is Degraded, and anything else is still to come. */
export const settledBy = (type: string): HealthRule =>
  conditions(on(type, 'True', healthy), on(type, 'False', degraded));

/** Reads a dotted path; undefined wherever it leaves the objects. */
export function reader(path: string): (object: KubeObject) => unknown {
  const steps = path.split('.');
  return (object) => {
    let value: unknown = object;
    for (const step of steps) {
      if (!isObject(value)) return undefined;
      value = value[step];
    }
    return value;
  };
}

/** A word of the status decides; words that are not in the table go to `other`, or decide nothing. */
export function phases(
  path: string,
  table: Readonly<Record<string, HealthOf>>,
  other?: HealthOf,
): HealthRule {
  const read = reader(path);
  const words = new Map(Object.entries(table));
  return (object) => {
    const value = read(object);
    if (value === undefined || value === null || value === '') return undefined;
    const word = String(value);
    const verdict = words.get(word) ?? other;
    return verdict?.(withDetail(word, object));
  };
}

/** `Failed: no such bucket`, where the status explains itself. */
function withDetail(word: string, { status }: KubeObject): string {
  if (!isObject(status)) return word;
  const { message, reason } = status;
  const detail = [message, reason].find((text) => typeof text === 'string' && text !== '' && text !== word);
  return detail ? `${word}: ${detail}` : word;
}

/** A field with exactly this value. */
export function where(path: string, wanted: unknown, verdict: HealthOf, message: string): HealthRule {
  const read = reader(path);
  return (object) => (read(object) === wanted ? verdict(message) : undefined);
}

/** `spec.suspend`, `spec.paused` and their kin: the user has paused the object. */
export const resting = (path: string, verdict: HealthOf): HealthRule =>
  where(path, true, verdict, `${path} is set, so nothing is reconciled`);

/** The controller reports an observed generation other than the current one. */
export const outdated: HealthRule = (object) => {
  const seen = observed(object);
  return seen !== undefined && isOther(object, seen) ? progressing(waitingForSpec) : undefined;
};

/** The same; a controller that reports no generation has observed none. */
export const unobserved: HealthRule = (object) =>
  isOther(object, observed(object)) ? progressing(waitingForSpec) : undefined;

const observed = (object: KubeObject): unknown =>
  isObject(object.status) ? object.status.observedGeneration : undefined;

const isOther = ({ metadata }: KubeObject, seen: unknown): boolean =>
  metadata.generation !== undefined && seen !== metadata.generation;

/** Decides whatever the rules before it left open. */
export const otherwise =
  (verdict: HealthOf, message?: string): HealthRule =>
  () =>
    verdict(message);

/** No status yet: the rules below do not run. */
export const silent: HealthRule = (object) => (object.status ? undefined : waiting(object));

/** Conditions are missing altogether. */
export const unconditioned: HealthRule = (object) => {
  const { status } = object;
  return isObject(status) && status.conditions ? undefined : waiting(object);
};
