import { abridge } from '#base/std';
import { nameOf, type SyncTask, type TaskOutcome } from './task.ts';

const maxListed = 3;

export const spoken = ({ task, message }: TaskOutcome): string => `${nameOf(task)}: ${message}`;

export const counted = (tasks: readonly SyncTask[]): string =>
  tasks.length === 1 ? '1 object' : `${tasks.length} objects`;

/** Of a longer reason the ends; all of it is in the record of its object. */
const longestPart = 340;

/** The first few, and how many there are besides. */
export function listed(parts: readonly string[]): string {
  const reported = parts.slice(0, maxListed).map((part) => abridge(part, longestPart));
  const more = parts.length - reported.length;
  return more > 0 ? `${reported.join('; ')}; and ${more} more` : reported.join('; ');
}

export function naming(tasks: readonly SyncTask[]): string {
  const first = tasks[0] ? nameOf(tasks[0]) : 'nothing';
  return tasks.length > 1 ? `${first} and ${tasks.length - 1} more` : first;
}
