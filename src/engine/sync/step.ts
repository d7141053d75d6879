import type { ResourceResult } from '#base/model';
import { cleanUp, isLeaving, leftovers } from './cleanup.ts';
import { counted, listed, naming } from './naming.ts';
import { isSameStep } from './order.ts';
import { end, nothingMatched, refuse, rehearse, validate } from './preflight.ts';
import { alreadyPruned, asApplied, intendedPrune, known, merge, skippedPrune } from './results.ts';
import {
  type HookRemoval,
  isDue,
  type Moment,
  nameOf,
  type SyncPlan,
  type SyncStep,
  type SyncTask,
} from './task.ts';
import { terminate } from './terminate.ts';
import { waitForConfirmation, waitForDeletion, waitForRunning } from './waiting.ts';

/** The whole sync policy: the one next step from the facts of this pass. Linear in the tasks. */
export function nextStep(plan: SyncPlan, moment: Moment = {}): SyncStep {
  if (moment.terminating) return terminate(plan, moment);
  return refuse(plan, moment) ?? prepare(plan, moment) ?? advance(asApplied(plan, finalTasks(plan)), moment);
}

/** compat engine S-24, S-25: before the first write everything is tried without writing; the Namespace comes even before that. */
function prepare(plan: SyncPlan, moment: Moment): SyncStep | undefined {
  if (plan.dryRunOnly) return rehearse(plan, moment);
  if (isStarted(plan) || isHomeless(plan)) return undefined;
  const namespace = plan.tasks.find((task) => isMissingDestination(plan, task));
  return namespace ? applyStep(plan, [namespace], 0) : validate(plan, moment);
}

/**
 * Tasks that the sync waits for and whose object is not in the cache: read them directly, then plan again.
 */
export function unseen(plan: SyncPlan): readonly SyncTask[] {
  return awaited(plan, openTasks(plan)).filter(({ live }) => !live);
}

/** The sync itself: wait for what runs, clean up what ended, start what is next. */
function advance(plan: SyncPlan, moment: Moment): SyncStep {
  const open = openTasks(plan);
  const remade = open.filter(({ isRemade }) => isRemade);
  if (remade.length > 0) return remake(plan, remade, moment);
  const failed = open.filter(({ phase, state }) => phase !== 'SyncFail' && state === 'failed');
  const running = awaited(plan, open);
  if (failed.length > 0) return fail(plan, { failed, running }, moment);
  const due = open.filter((task) => task.phase !== 'SyncFail' && isDue(task));
  const next = due[0] ? describe(due[0]) : 'the sync is done';
  if (running.length > 0) return waitForRunning(plan, running, next, moment);

  const leaving = open.filter(
    ({ result, live }) => result?.status === 'Pruned' && live?.metadata.deletionTimestamp,
  );
  if (leaving.length > 0) return waitForDeletion(plan, leaving, next, moment);

  const first = due[0];
  if (!first) return succeed(plan);
  const released = cleanUp(plan, undefined);
  if (released.length > 0) return deleteHooks(plan, released, 'releasing finished hooks');
  const step = due.filter((task) => isSameStep(task, first));
  const pauseMs = step.length < due.length ? (moment.waveDelayMs ?? 0) : 0;
  return waveStep(plan, { tasks: step, pauseMs }, moment);
}

/**
 * compat engine S-30: a deleted object is recreated as soon as it is gone, before the sync waits for or
 * judges anything else: other objects may need it, and a failure of another object must not leave it missing.
 */
function remake(plan: SyncPlan, tasks: readonly SyncTask[], moment: Moment): SyncStep {
  const gone = tasks.filter(({ live }) => !live || !isLeaving(live));
  return gone.length > 0 ? applyStep(plan, gone, 0) : waitForDeletion(plan, tasks, 'it is recreated', moment);
}

type Wave = { readonly tasks: readonly SyncTask[]; readonly pauseMs: number };

/** compat engine S-18: prunes, then leftovers of earlier hooks, then applies; each only when the former is through. */
function waveStep(plan: SyncPlan, { tasks, pauseMs }: Wave, moment: Moment): SyncStep {
  const [first] = tasks;
  const next = first ? describe(first) : 'the sync is done';
  const unconfirmed = tasks.filter(({ target, prune }) => !target && prune.do === 'confirm');
  if (unconfirmed.length > 0) return waitForConfirmation(plan, unconfirmed, next, moment);
  const stale = leftovers(tasks);
  if (stale.length === 0) return applyStep(plan, tasks, pauseMs);
  const prunes = tasks.filter(({ target }) => !target);
  if (prunes.length > 0) return applyStep(plan, prunes, 0);
  const removable = stale.filter(({ remove, release }) => remove || release);
  if (removable.length > 0)
    return deleteHooks(plan, removable, `deleting earlier ${naming(removable.map((h) => h.task))}`);
  return waitForDeletion(
    plan,
    stale.map(({ task }) => task),
    next,
    moment,
  );
}

const describe = ({ phase, wave }: SyncTask): string => `wave ${wave} of ${phase} follows`;

function applyStep(plan: SyncPlan, tasks: readonly SyncTask[], pauseMs: number): SyncStep {
  const prunes = tasks.filter(({ target }) => !target);
  const skipped = prunes.filter(({ prune }) => prune.do === 'skip');
  // compat engine S-37: deleting an object again that is already being deleted only triggers useless watch
  // events
  const leaving = prunes.filter(
    ({ prune, live }) => prune.do === 'delete' && live?.metadata.deletionTimestamp,
  );
  const settled: ResourceResult[] = [...skipped.map(skippedPrune), ...leaving.map(alreadyPruned)];
  const quiet = new Set([...skipped, ...leaving]);
  const doomed = prunes.filter((task) => !quiet.has(task));
  return {
    do: 'apply',
    phase: tasks[0]?.phase ?? 'Sync',
    wave: tasks[0]?.wave ?? 0,
    prune: doomed,
    groups: byKind(tasks.filter(({ target }) => target)),
    pauseMs,
    message: `applying wave ${tasks[0]?.wave ?? 0} of ${tasks[0]?.phase ?? 'Sync'}`,
    results: merge(known(plan), [...settled, ...doomed.map(intendedPrune)]),
  };
}

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

type Failure = { readonly failed: readonly SyncTask[]; readonly running: readonly SyncTask[] };

/**
 * compat engine S-22: SyncFail hooks start together; hooks that run are awaited; then the sync has failed. Where an object did
 * not become healthy, everything that runs was awaited first; where one was refused, only hooks are.
 */
function fail(plan: SyncPlan, { failed, running }: Failure, moment: Moment): SyncStep {
  const refused = failed.some(
    ({ result }) => result?.status === 'SyncFailed' && result.hookPhase !== 'Error',
  );
  const awaiting = refused ? running.filter(({ hook }) => hook) : running;
  const rescue = plan.tasks.filter(({ phase, state }) => phase === 'SyncFail' && state === 'pending');
  if (rescue.length > 0 && (refused || awaiting.length === 0))
    return waveStep(plan, { tasks: rescue, pauseMs: 0 }, moment);
  if (awaiting.length > 0) {
    const next = rescue.length > 0 ? 'the SyncFail hooks run' : 'the sync has failed';
    return waitForRunning(plan, awaiting, next, moment);
  }
  const removals = cleanUp(plan, 'HookFailed');
  if (removals.length > 0) return deleteHooks(plan, removals, 'cleaning up after the failure');

  const verb = refused ? 'could not be applied' : 'did not become healthy or complete';
  const reasons = failed.map((task) => `${nameOf(task)}: ${task.result?.message || task.result?.hookPhase}`);
  const second = plan.tasks.filter(({ phase, state }) => phase === 'SyncFail' && state === 'failed');
  const also = second.length > 0 ? `; SyncFail hooks failed too: ${naming(second)}` : '';
  return end(plan, 'Failed', `${counted(failed)} ${verb}: ${listed(reasons)}${also}`);
}

function succeed(plan: SyncPlan): SyncStep {
  const removals = cleanUp(plan, 'HookSucceeded');
  if (removals.length > 0) return deleteHooks(plan, removals, 'cleaning up after success');
  return end(plan, 'Succeeded', nothingMatched(plan) ?? 'synced: every task was run');
}

function openTasks(plan: SyncPlan): readonly SyncTask[] {
  const done = finalTasks(plan);
  return done.size === 0 ? plan.tasks : plan.tasks.filter((task) => !done.has(task));
}

/** compat engine S-19: hooks are always awaited, other objects only when there is more than one step. */
function awaited(plan: SyncPlan, open: readonly SyncTask[]): readonly SyncTask[] {
  const [first, last] = [plan.tasks[0], plan.tasks.at(-1)];
  const multiStep = first !== undefined && last !== undefined && !isSameStep(first, last);
  return open.filter(({ state, hook }) => state === 'running' && (multiStep || hook));
}

/**
 * compat engine S-20: once the last step is applied and contains no hook, its objects are done, whatever
 * their health. The sync neither waits for them nor judges them.
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

const isMissingDestination = (plan: SyncPlan, task: SyncTask): boolean =>
  task.key === plan.namespaceKey && task.state === 'pending' && task.target !== undefined && !task.live;

/** compat engine S-40: without its Namespace nothing else need be tried. */
const isHomeless = ({ tasks, namespaceKey }: SyncPlan): boolean =>
  tasks.some(({ key, state }) => key === namespaceKey && state === 'failed');

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

const deleteHooks = (plan: SyncPlan, hooks: readonly HookRemoval[], message: string): SyncStep => ({
  do: 'delete-hooks',
  hooks,
  message,
  results: known(plan),
});
