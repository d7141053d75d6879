import { type Condition, conditionOf, printTime } from '#base/model';
import type { DeploymentSpec } from './view.ts';

/** A condition of a deployment, without its times. */
export type Word = {
  readonly type: 'Available' | 'Progressing' | 'ReplicaFailure';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};

export const progress = (status: Word['status'], reason: string, message: string): Word => ({
  type: 'Progressing',
  status,
  reason,
  message,
});

/**
 * compat cluster 5.2: a condition with the same status and reason is not written again, whatever its message; one that
 * changes moves to the end, and its transition time stays while its status does.
 */
export function withWord(conditions: readonly Condition[], word: Word, now: Date): readonly Condition[] {
  const old = conditionOf(conditions, word.type);
  if (old?.status === word.status && old.reason === word.reason) return conditions;
  return [...withoutWord(conditions, word.type), dated(word, old, now)];
}

/** Writes the condition again with the current time: progress is dated by its last step. */
export const renewed = (conditions: readonly Condition[], word: Word, now: Date): readonly Condition[] => [
  ...withoutWord(conditions, word.type),
  dated(word, conditionOf(conditions, word.type), now),
];

export const withoutWord = (conditions: readonly Condition[], type: Word['type']): readonly Condition[] =>
  conditions.filter((one) => one.type !== type);

function dated(word: Word, old: Condition | undefined, now: Date): Condition {
  const time = printTime(now);
  const { type, status, reason, message } = word;
  const since = old?.status === status ? old.lastTransitionTime : undefined;
  return { type, status, lastUpdateTime: time, lastTransitionTime: since ?? time, reason, message };
}

/** Whether the deployment has a progress deadline: the largest int32 means that it has none. */
export const hasDeadline = ({ progressDeadlineSeconds: deadline = 600 }: DeploymentSpec): boolean =>
  deadline !== 2 ** 31 - 1;
