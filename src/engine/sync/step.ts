import type { ResourceResult } from '#model';
import { cleanUp, leftovers } from './cleanup.ts';
import { newResult } from './observe.ts';
import { isSameStep } from './order.ts';
import { known, merge, outcomeResult } from './results.ts';
import {
  type HookRemoval,
  type Moment,
  nameOf,
  type Outcome,
  type Step,
  type SyncPlan,
  type SyncTask,
} from './task.ts';
import { terminate } from './terminate.ts';

/** The whole sync policy: given what we know now, what is the one next thing to do? */
export function nextStep(plan: SyncPlan, moment: Moment = {}): Step {
  if (moment.terminating) return terminate(plan);
  return refuse(plan, moment) ?? validate(plan, moment) ?? advance(plan, moment);
}

/** compat S-2, S-3, S-6: reasons not to begin, looked at in every pass. */
function refuse(plan: SyncPlan, { conditions = [] }: Moment): Step | undefined {
  const told = (type: string): string[] =>
    conditions.filter((condition) => condition.type === type).map(({ message }) => message);
  const shared = plan.options.failOnSharedResource ? told('SharedResourceWarning') : [];
  if (shared.length > 0) return finish(plan, 'Failed', `FailOnSharedResource: ${shared.join('; ')}`);

  const broken = [...told('ComparisonError'), ...told('InvalidSpecError')];
  if (broken.length > 0) return finish(plan, 'Error', broken.join('; '));

  const invalid = plan.tasks.filter(({ problem }) => problem !== undefined);
  if (invalid.length === 0) return undefined;
  const failed = invalid.map((task) =>
    newResult(task, { status: 'SyncFailed', message: task.problem ?? '' }),
  );
  return {
    do: 'finish',
    phase: 'Failed',
    message: `nothing was applied: ${listed(invalid.map((task) => `${nameOf(task)}: ${task.problem}`))}`,
    results: merge(known(plan), failed),
  };
}

/** compat S-24, S-25: before the first write everything is tried without writing. */
function validate(plan: SyncPlan, moment: Moment): Step | undefined {
  if (plan.dryRunOnly) return rehearse(plan, moment);
  if (isStarted(plan)) return undefined;
  const namespace = plan.tasks.find((task) => isMissingDestination(plan, task));
  if (namespace) return applyStep(plan, [namespace], 0);

  const { dryRun } = moment;
  if (!dryRun) {
    const tasks = plan.tasks.filter((task) => task.target && !task.skipDryRun && isDue(task));
    return tasks.length > 0 ? { do: 'dry-run', tasks, results: known(plan) } : undefined;
  }
  const failed = dryRun.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  return {
    do: 'finish',
    phase: 'Failed',
    message: `nothing was applied: the dry run failed for ${listed(failed.map(spoken))}`,
    results: merge(known(plan), failed.map(outcomeResult)),
  };
}

/** compat S-25: an operation that only rehearses records every result and ends. */
function rehearse(plan: SyncPlan, { dryRun }: Moment): Step {
  const tasks = plan.tasks.filter((task) => task.target && !task.skipDryRun && isDue(task));
  if (!dryRun && tasks.length > 0) return { do: 'dry-run', tasks, results: known(plan) };
  const outcomes = dryRun ?? [];
  const applied = outcomes.map((outcome): ResourceResult => {
    const result = outcomeResult(outcome);
    return outcome.ok ? { ...result, hookPhase: 'Succeeded' } : result;
  });
  const pruned = plan.tasks.filter(({ target }) => !target).map((task) => prunePreview(task));
  const failed = outcomes.filter(({ ok }) => !ok);
  return {
    do: 'finish',
    phase: failed.length > 0 ? 'Failed' : 'Succeeded',
    message:
      failed.length > 0
        ? `the dry run failed for ${listed(failed.map(spoken))}`
        : 'dry run: nothing was written',
    results: merge(known(plan), [...applied, ...pruned]),
  };
}

function prunePreview(task: SyncTask): ResourceResult {
  if (task.prune.do === 'skip') return skippedPrune(task);
  return newResult(task, { status: 'Pruned', hookPhase: 'Succeeded', message: 'would be pruned (dry run)' });
}

/** Tasks that are waited for and whose object the cache does not show: read them directly, then plan again. */
export function unseen(plan: SyncPlan): readonly SyncTask[] {
  return awaited(plan, openTasks(plan)).filter(({ live }) => !live);
}

/** The sync itself: wait for what runs, clean up what ended, start what is next. */
function advance(plan: SyncPlan, moment: Moment): Step {
  const open = openTasks(plan);
  const failed = open.filter(({ phase, state }) => phase !== 'SyncFail' && state === 'failed');
  const running = awaited(plan, open);
  if (failed.length > 0) return fail(plan, failed, running);
  if (running.length > 0) return waitFor(plan, running);

  const leaving = open.filter(
    ({ result, live }) => result?.status === 'Pruned' && live?.metadata.deletionTimestamp,
  );
  if (leaving.length > 0) return wait(plan, leaving, `${naming(leaving)} to be gone`);

  const due = open.filter((task) => task.phase !== 'SyncFail' && isDue(task));
  const first = due[0];
  if (!first) return succeed(plan);
  const released = cleanUp(plan, undefined);
  if (released.length > 0) return deleteHooks(plan, released, 'releasing finished hooks');
  const step = due.filter((task) => isSameStep(task, first));
  return waveStep(plan, step, step.length < due.length ? (moment.waveDelayMs ?? 0) : 0);
}

/** compat S-18: prunes, then leftovers of earlier hooks, then applies; each only when the former is through. */
function waveStep(plan: SyncPlan, tasks: readonly SyncTask[], pauseMs: number): Step {
  const unconfirmed = tasks.filter(({ target, prune }) => !target && prune.do === 'confirm');
  if (unconfirmed.length > 0) {
    return wait(
      plan,
      unconfirmed,
      `confirmation to prune ${naming(unconfirmed)}: set the annotation argocd.argoproj.io/deletion-approved`,
    );
  }
  const stale = leftovers(tasks);
  if (stale.length === 0) return applyStep(plan, tasks, pauseMs);
  const prunes = tasks.filter(({ target }) => !target);
  if (prunes.length > 0) return applyStep(plan, prunes, 0);
  const removable = stale.filter(({ remove, release }) => remove || release);
  if (removable.length > 0)
    return deleteHooks(plan, removable, `deleting earlier ${naming(removable.map((h) => h.task))}`);
  const gone = stale.map(({ task }) => task);
  return wait(plan, gone, `${naming(gone)} of an earlier run to be gone`);
}

function applyStep(plan: SyncPlan, tasks: readonly SyncTask[], pauseMs: number): Step {
  const prunes = tasks.filter(({ target }) => !target);
  const skipped = prunes.filter(({ prune }) => prune.do === 'skip');
  // compat S-37: deleting what is already being deleted only wakes everybody up
  const leaving = prunes.filter(
    ({ prune, live }) => prune.do === 'delete' && live?.metadata.deletionTimestamp,
  );
  const settled = [...skipped.map(skippedPrune), ...leaving.map(alreadyPruned)];
  const quiet = new Set([...skipped, ...leaving]);
  return {
    do: 'apply',
    phase: tasks[0]?.phase ?? 'Sync',
    wave: tasks[0]?.wave ?? 0,
    prune: prunes.filter((task) => !quiet.has(task)),
    groups: byKind(tasks.filter(({ target }) => target)),
    pauseMs,
    message: `applying wave ${tasks[0]?.wave ?? 0} of ${tasks[0]?.phase ?? 'Sync'}`,
    results: merge(known(plan), settled),
  };
}

const skippedPrune = (task: SyncTask): ResourceResult =>
  newResult(task, {
    status: 'PruneSkipped',
    hookPhase: 'Succeeded',
    message: task.prune.do === 'skip' ? task.prune.why : '',
  });
const alreadyPruned = (task: SyncTask): ResourceResult =>
  newResult(task, { status: 'Pruned', hookPhase: 'Succeeded', message: 'already being deleted' });

/** Neighbours of one kind go together; the order has put them side by side. */
function byKind(tasks: readonly SyncTask[]): SyncTask[][] {
  const groups: SyncTask[][] = [];
  for (const task of tasks) {
    const last = groups.at(-1);
    if (last?.[0]?.target?.kind === task.target?.kind) last?.push(task);
    else groups.push([task]);
  }
  return groups;
}

/** compat S-22: SyncFail hooks start together; what runs is awaited; then the sync has failed. */
function fail(plan: SyncPlan, failed: readonly SyncTask[], running: readonly SyncTask[]): Step {
  const rescue = plan.tasks.filter(({ phase, state }) => phase === 'SyncFail' && state === 'pending');
  const refused = failed.some(({ result }) => result?.status === 'SyncFailed');
  if (rescue.length > 0 && (refused || running.length === 0)) return waveStep(plan, rescue, 0);
  if (running.length > 0) return waitFor(plan, running);
  const removals = cleanUp(plan, 'HookFailed');
  if (removals.length > 0) return deleteHooks(plan, removals, 'cleaning up after the failure');

  const verb = refused ? 'could not be applied' : 'did not become healthy or complete';
  const reasons = failed.map((task) => `${nameOf(task)}: ${task.result?.message || task.result?.hookPhase}`);
  const second = plan.tasks.filter(({ phase, state }) => phase === 'SyncFail' && state === 'failed');
  const also = second.length > 0 ? `; SyncFail hooks failed too: ${naming(second)}` : '';
  return finish(plan, 'Failed', `${counted(failed)} ${verb}: ${listed(reasons)}${also}`);
}

function succeed(plan: SyncPlan): Step {
  const removals = cleanUp(plan, 'HookSucceeded');
  if (removals.length > 0) return deleteHooks(plan, removals, 'cleaning up after success');
  return finish(plan, 'Succeeded', 'synced: every task was run');
}

function openTasks(plan: SyncPlan): readonly SyncTask[] {
  const done = finalTasks(plan);
  return plan.tasks.filter((task) => !done.has(task));
}

/** compat S-19: hooks are always awaited, other objects only when there is more than one step. */
function awaited(plan: SyncPlan, open: readonly SyncTask[]): readonly SyncTask[] {
  const [first, last] = [plan.tasks[0], plan.tasks.at(-1)];
  const multiStep = first !== undefined && last !== undefined && !isSameStep(first, last);
  return open.filter(({ state, hook }) => state === 'running' && (multiStep || hook));
}

/**
 * compat S-20: once the last step is applied and holds no hook, its objects are done, whatever becomes of them.
 * They are neither awaited nor judged.
 */
function finalTasks({ tasks }: SyncPlan): ReadonlySet<SyncTask> {
  const relevant = tasks.filter(
    (task) => task.phase !== 'SyncFail' && (task.state !== 'pending' || isDue(task)),
  );
  const last = relevant.at(-1);
  const step = last ? relevant.filter((task) => isSameStep(task, last)) : [];
  const isThrough = step.every(
    ({ hook, state, result }) => !hook && state !== 'pending' && result?.status !== 'SyncFailed',
  );
  return new Set(isThrough ? step : []);
}

/** compat S-36: what is unchanged is skipped, but what was begun is seen through. */
const isDue = ({ state, unchanged }: SyncTask): boolean => state === 'pending' && !unchanged;

const isMissingDestination = (plan: SyncPlan, task: SyncTask): boolean =>
  task.key === plan.namespaceKey && task.state === 'pending' && task.target !== undefined && !task.live;

/** Something beyond the destination Namespace was written already, so everything has been validated. */
function isStarted(plan: SyncPlan): boolean {
  return (
    plan.tasks.some(({ key, result }) => result && key !== plan.namespaceKey) ||
    plan.recorded.some(isOwnRecord(plan))
  );
}

const isOwnRecord =
  (plan: SyncPlan) =>
  ({ group, kind, name }: ResourceResult): boolean =>
    `${group}/${kind}//${name}` !== plan.namespaceKey;

function waitFor(plan: SyncPlan, tasks: readonly SyncTask[]): Step {
  const hooks = tasks.filter(({ hook }) => hook);
  const why =
    hooks.length > 0
      ? `hook ${naming([...hooks, ...without(tasks, hooks)])}`
      : `${naming(tasks)} to become healthy`;
  return wait(plan, tasks, why);
}

const without = <T>(all: readonly T[], some: readonly T[]): T[] => all.filter((one) => !some.includes(one));

const wait = (plan: SyncPlan, tasks: readonly SyncTask[], why: string): Step => ({
  do: 'wait',
  for: tasks,
  why: `waiting for ${why}`,
  results: known(plan),
});
const deleteHooks = (plan: SyncPlan, hooks: readonly HookRemoval[], message: string): Step => ({
  do: 'delete-hooks',
  hooks,
  message,
  results: known(plan),
});
const finish = (plan: SyncPlan, phase: 'Succeeded' | 'Failed' | 'Error', message: string): Step => ({
  do: 'finish',
  phase,
  message,
  results: known(plan),
});

const maxListed = 3;
const spoken = ({ task, message }: Outcome): string => `${nameOf(task)}: ${message}`;
const counted = (tasks: readonly SyncTask[]): string =>
  tasks.length === 1 ? '1 object' : `${tasks.length} objects`;

function listed(parts: readonly string[]): string {
  const more = parts.length - maxListed;
  return more > 0 ? `${parts.slice(0, maxListed).join('; ')}; and ${more} more` : parts.join('; ');
}

function naming(tasks: readonly SyncTask[]): string {
  const first = tasks[0] ? nameOf(tasks[0]) : 'nothing';
  return tasks.length > 1 ? `${first} and ${tasks.length - 1} more` : first;
}
