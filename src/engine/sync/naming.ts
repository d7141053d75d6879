import { nameOf, type Outcome, type SyncTask } from './task.ts';

const maxListed = 3;

export const spoken = ({ task, message }: Outcome): string => `${nameOf(task)}: ${message}`;

export const counted = (tasks: readonly SyncTask[]): string =>
  tasks.length === 1 ? '1 object' : `${tasks.length} objects`;

/** The first few, and how many there are besides. */
export function listed(parts: readonly string[]): string {
  const more = parts.length - maxListed;
  return more > 0 ? `${parts.slice(0, maxListed).join('; ')}; and ${more} more` : parts.join('; ');
}

export function naming(tasks: readonly SyncTask[]): string {
  const first = tasks[0] ? nameOf(tasks[0]) : 'nothing';
  return tasks.length > 1 ? `${first} and ${tasks.length - 1} more` : first;
}
