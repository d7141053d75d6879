import { keyFrom, type Tally } from '#base/model';
import { isDue, type SyncPlan, type SyncTask, taskId } from './task.ts';

/**
 * The progress of a sync: all planned tasks, of all phases, and the pruned objects, which have no task any
 * more. SyncFail hooks count once they have begun.
 */
export function tallyOf({ tasks, recorded }: Pick<SyncPlan, 'tasks' | 'recorded'>): Tally {
  const planned = tasks.filter(
    (task) => task.state !== 'pending' || (task.phase !== 'SyncFail' && isDue(task)),
  );
  const known = new Set(tasks.map(({ id }) => id));
  const gone = recorded.filter((one) => !known.has(taskId(keyFrom(one), one.syncPhase ?? 'Sync'))).length;
  return { done: planned.filter(isOver).length + gone, total: planned.length + gone };
}

const isOver = ({ state }: SyncTask): boolean => state === 'succeeded' || state === 'failed';
