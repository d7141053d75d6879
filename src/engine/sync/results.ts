import { keyFrom, type ResourceResult } from '#base/model';
import { holderOf } from '../deletion/holding.ts';
import { isIntended, newResult } from './observe.ts';
import { type SyncPlan, type SyncStep, type SyncTask, type TaskOutcome, taskId } from './task.ts';

/** The record after a step was taken; write it to operationState at the end of the pass. */
export function record(step: SyncStep, outcomes: readonly TaskOutcome[]): readonly ResourceResult[] {
  if (step.do !== 'delete-hooks') return merge(step.results, outcomes.map(outcomeResult));
  const failed = outcomes.filter(({ ok }) => !ok);
  return merge(
    step.results,
    failed.map(({ task, message }): ResourceResult => {
      const before = task.result ?? newResult(task, { hookPhase: 'Error', message });
      return { ...before, hookPhase: 'Error', message: `the hook could not be removed: ${message}` };
    }),
  );
}

/** compat engine §4.5 */
export function outcomeResult({ task, ok, message, leaves }: TaskOutcome): ResourceResult {
  if (leaves) return newResult(task, { status: 'Pruned', hookPhase: 'Running', message });
  if (!ok) return newResult(task, { status: 'SyncFailed', hookPhase: 'Failed', message });
  if (!task.target) return newResult(task, { status: 'Pruned', hookPhase: 'Succeeded', message });
  return newResult(task, { status: 'Synced', hookPhase: 'Running', message });
}

/** compat engine S-37: what was not pruned, and why. */
export const skippedPrune = (task: SyncTask): ResourceResult =>
  newResult(task, {
    status: 'PruneSkipped',
    hookPhase: 'Succeeded',
    message: task.prune.do === 'skip' ? task.prune.why : '',
  });

export const alreadyPruned = (task: SyncTask): ResourceResult =>
  newResult(task, { status: 'Pruned', hookPhase: 'Succeeded', message: 'already being deleted' });

/** The record of a prune that is about to happen. */
export const intendedPrune = (task: SyncTask): ResourceResult =>
  newResult(task, { status: 'Pruned', hookPhase: 'Running', message: 'about to be pruned' });

/** Newer results over older ones, each at its first position: the list is in order of execution. */
export function merge(
  older: readonly ResourceResult[],
  newer: readonly ResourceResult[],
): readonly ResourceResult[] {
  if (newer.length === 0) return older;
  const byId = new Map(older.map((result) => [idOf(result), result]));
  for (const result of newer) byId.set(idOf(result), result);
  return [...byId.values()];
}

/** The record as it should read now: observed progress over what was written before. */
export function known(plan: SyncPlan): readonly ResourceResult[] {
  // most results of a large sync are those on record, and need not be found by their names again
  const written = new Set(plan.recorded);
  return merge(
    plan.recorded.some(isIntended) ? withoutIntentions(plan) : plan.recorded,
    plan.tasks.flatMap(({ result }) => (result && !written.has(result) ? result : [])),
  );
}

/**
 * compat engine S-20: the sync does not wait for the health of its last step, so the messages of these tasks stay what it did:
 * the message of a wait would stand in the result for ever.
 */
export function asApplied(plan: SyncPlan, tasks: ReadonlySet<SyncTask>): SyncPlan {
  if (tasks.size === 0) return plan;
  const before = new Map(plan.recorded.map((result) => [idOf(result), result]));
  return {
    ...plan,
    tasks: plan.tasks.map((task) => {
      const message = before.get(task.id)?.message;
      const isApplied = task.result && task.state !== 'failed' && tasks.has(task);
      return isApplied && message ? { ...task, result: { ...task.result, message } } : task;
    }),
  };
}

/**
 * engine R-43: an object that the controller was about to prune when it crashed is gone, or it is a task again; the
 * record of a recreation stays.
 */
function withoutIntentions({ recorded, tasks }: SyncPlan): ResourceResult[] {
  const open = new Map(tasks.map((task) => [task.id, task]));
  return recorded.flatMap((result) => {
    if (!isIntended(result)) return result;
    const task = open.get(idOf(result));
    if (!task) return { ...result, hookPhase: 'Succeeded', message: 'pruned' };
    return task.isRemade ? result : [];
  });
}

/** The record at the end: an object that was deleted and could not be recreated has failed. */
export function settled(plan: SyncPlan): readonly ResourceResult[] {
  const lost = plan.tasks.filter(({ isRemade }) => isRemade);
  return merge(
    known(plan),
    lost.map((task) => newResult(task, { status: 'SyncFailed', hookPhase: 'Failed', message: unmade(task) })),
  );
}

function unmade({ live }: SyncTask): string {
  const by = live && holderOf(live);
  const state = live ? `was not gone when the operation ended${by ? `: held by ${by}` : ''}` : 'is gone';
  return `it was deleted to be recreated, and ${state}; sync again`;
}

const idOf = (result: ResourceResult): string => taskId(keyFrom(result), result.syncPhase ?? 'Sync');
