import type { ResourceResult } from '#base/model';
import { hasFailedToGo, hasPolicy, isHeld, isLeaving } from './cleanup.ts';
import { known, merge, settled } from './results.ts';
import type { HookRemoval, Moment, SyncPlan, SyncStep, SyncTask } from './task.ts';

const stoppedMessage = 'stopped: the operation was terminated';

/**
 * compat engine R-41: running hooks are deleted, those that ended meanwhile keep their real result, and everything else that
 * was applied stays. SyncFail hooks do not run.
 */
export function terminate(plan: SyncPlan, { isOverdue = false }: Pick<Moment, 'isOverdue'> = {}): SyncStep {
  const hooks = plan.tasks.filter(({ hook }) => hook);
  const stopped = hooks.filter(({ state }) => state === 'running').map(stoppedResult);
  const results = merge(known(plan), stopped);
  const before = new Set(plan.recorded);
  const removals = hooks.flatMap((task) => removalOf(task, before));
  if (removals.length > 0) return { do: 'delete-hooks', hooks: removals, message: 'terminating', results };

  const stuck = hooks.some(hasFailedToGo);
  const why = isOverdue ? ': it took longer than controller.sync.timeout.seconds allows' : '';
  return {
    do: 'finish',
    phase: stuck ? 'Error' : 'Failed',
    message: `${stuck ? 'terminated, but a hook could not be removed' : 'the operation was terminated'}${why}`,
    results: merge(settled(plan), stopped),
  };
}

function removalOf(task: SyncTask, before: ReadonlySet<ResourceResult>): HookRemoval[] {
  const { live, state, result } = task;
  if (!live || !result || state === 'pending' || hasFailedToGo(task)) return [];
  const justEnded = !before.has(result) && hasPolicy(task, 'HookFailed');
  const stops = state === 'running' || result.message === stoppedMessage || justEnded;
  const remove = stops && !isLeaving(live);
  const release = isHeld(live);
  return remove || release ? [{ task, release, remove }] : [];
}

function stoppedResult({ result }: SyncTask): ResourceResult {
  return { ...(result as ResourceResult), hookPhase: 'Failed', message: stoppedMessage };
}
