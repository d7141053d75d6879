import type { ApplicationCondition, ApplicationConditionType } from './application-status.ts';
import { compareBytes } from './file-path.ts';
import type { Condition } from './kube-object.ts';
import { printTime } from './timestamp.ts';

/** The condition of this type; undefined when the list is missing or does not have it. */
export function conditionOf<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** True only where the condition exists with status "True"; Unknown and missing are not true. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True';
}

/**
 * The list with one condition set. The transition time changes only with the status; an unchanged condition
 * returns the very same list, so that callers can skip the write.
 */
export function setCondition(
  conditions: readonly Condition[],
  next: Condition,
  now: Date,
): readonly Condition[] {
  const old = conditionOf(conditions, next.type);
  const time = old?.status === next.status ? old.lastTransitionTime : next.lastTransitionTime;
  const settled = { ...old, ...next, lastTransitionTime: time ?? printTime(now) };
  if (!old) return [...conditions, settled];
  if (isSame(old, settled)) return conditions;
  return conditions.map((condition) => (condition === old ? settled : condition));
}

function isSame(a: Condition, b: Condition): boolean {
  const fields = [
    'status',
    'reason',
    'message',
    'observedGeneration',
    'lastTransitionTime',
    'lastUpdateTime',
  ] as const;
  return fields.every((field) => a[field] === b[field]);
}

/** compat engine A-26: what is named an error is an error. */
export const isErrorCondition = ({ type }: ApplicationCondition): boolean => type.endsWith('Error');

/**
 * compat engine A-26: the conditions after an evaluation. Of the evaluated types only `found` remain, other types
 * stay as they are, a condition with known type and message keeps its time, and the list is sorted.
 */
export function setApplicationConditions(
  existing: readonly ApplicationCondition[],
  found: readonly ApplicationCondition[],
  evaluated: ReadonlySet<ApplicationConditionType>,
  now: Date,
): ApplicationCondition[] {
  const times = new Map(existing.map((old) => [identity(old), old.lastTransitionTime]));
  const kept = existing.filter(({ type }) => !evaluated.has(type));
  return [...kept, ...found]
    .map((condition) => ({
      ...condition,
      lastTransitionTime: times.get(identity(condition)) ?? condition.lastTransitionTime ?? printTime(now),
    }))
    .toSorted((a, b) => compareBytes(identity(a), identity(b)));
}

const identity = ({ type, message }: ApplicationCondition): string => `${type}/${message}`;
