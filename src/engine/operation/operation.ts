import {
  type Application,
  type Operation,
  type OperationState,
  parseDurationOrSeconds,
  printTime,
  type RetryStrategy,
} from '#base/model';
import { equal, FairleadError } from '#base/std';

/**
 * What a pass over an operation should do first. The state is the one to continue with, and to write if it is
 * new.
 */
export type OperationPass =
  | { readonly do: 'run'; readonly state: OperationState }
  | { readonly do: 'wait'; readonly state: OperationState; readonly ms: number };

export type OperationPassOptions = {
  readonly now: Date;
  /** compat engine R-42: measured from the start, over all retries; 0 is never. */
  readonly timeoutMs?: number;
};

/** compat engine R-33: a running operation is reconciled again after this time even if nothing happens. */
const backstopMs = 30_000;

const completed: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Error']);

export const isCompleted = ({ phase }: Pick<OperationState, 'phase'>): boolean => completed.has(phase);

/**
 * compat engine: starts the requested operation, resumes a running one, or waits until a
 * retry is due.
 */
export function planPass(
  app: Application,
  operation: Operation,
  { now, timeoutMs = 0 }: OperationPassOptions,
): OperationPass {
  const state = app.status?.operationState;
  const isNew = !state || isCompleted(state) || !isSameRequest(state, operation);
  // dev engine A-30: an Application that is being deleted is not synced any more, and its hooks must not
  // block the deletion
  if (app.metadata.deletionTimestamp)
    return {
      do: 'run',
      state: ended(isNew ? begin(operation, now) : state, 'the application is being deleted'),
    };
  if (isNew) return { do: 'run', state: begin(operation, now) };
  if (isOverdue(state, now, timeoutMs))
    return {
      do: 'run',
      state: ended(state, 'the sync took longer than controller.sync.timeout.seconds allows'),
    };
  if (state.phase !== 'Running' || !state.finishedAt) return { do: 'run', state };
  const ms = retryAt(state).getTime() - now.getTime();
  if (ms <= 0) return { do: 'run', state: retry(state) };
  return { do: 'wait', state, ms: Math.min(ms, nextPassMs(state, { now, timeoutMs })) };
}

/** compat engine R-33: when a pass over this operation is due at the latest: the backstop, or the timeout if that is sooner. */
export function nextPassMs(state: OperationState, { now, timeoutMs = 0 }: OperationPassOptions): number {
  const deadline = deadlineOf(state, timeoutMs);
  if (deadline === undefined || state.phase !== 'Running') return backstopMs;
  return Math.min(backstopMs, Math.max(0, deadline.getTime() - now.getTime() + 1));
}

/** When the operation is terminated for taking too long; undefined: never. */
export function deadlineOf({ startedAt }: OperationState, timeoutMs: number): Date | undefined {
  return timeoutMs > 0 ? new Date(Date.parse(startedAt) + timeoutMs) : undefined;
}

/**
 * dev engine R-32: a user who replaces `operation` wants the new one; Argo CD continues with the first. A
 * retry may have put the revisions it began with into its own copy, or have removed them.
 */
function isSameRequest({ operation, retryCount = 0 }: OperationState, requested: Operation): boolean {
  return retryCount > 0 ? equal(unpinned(operation), unpinned(requested)) : equal(operation, requested);
}

function unpinned({ sync = {}, ...rest }: Operation): Operation {
  const { revision: _revision, revisions: _revisions, ...what } = sync;
  return { ...rest, sync: what };
}

function ended({ finishedAt: _waiting, ...state }: OperationState, why: string): OperationState {
  return { ...state, phase: 'Terminating', message: `terminated: ${why}` };
}

function begin(operation: Operation, now: Date): OperationState {
  return { operation, phase: 'Running', startedAt: printTime(now) };
}

function isOverdue({ phase, startedAt }: OperationState, now: Date, timeoutMs: number): boolean {
  return timeoutMs > 0 && phase === 'Running' && now.getTime() - Date.parse(startedAt) > timeoutMs;
}

/**
 * compat engine R-37: a new attempt keeps nothing but its number, so the dry run and every hook run again. It
 * keeps the revisions first resolved, unless the retry policy resolves them again.
 */
function retry(state: OperationState): OperationState {
  const { finishedAt: _finished, syncResult, ...rest } = state;
  const { operation } = state;
  const pinned = { ...operation, sync: { ...operation.sync, ...revisionsIn(syncResult) } };
  return {
    ...rest,
    operation: operation.retry?.refresh ? unpinned(operation) : pinned,
    phase: 'Running',
    message: `attempt ${(state.retryCount ?? 0) + 1} begins`,
  };
}

/** The revisions a result was made at, in the field where it has them. */
export function revisionsIn(result: OperationState['syncResult']): {
  revision?: string;
  revisions?: string[];
} {
  return {
    ...(result?.revision && { revision: result.revision }),
    ...(result?.revisions?.length && { revisions: result.revisions }),
  };
}

export type Ending = { readonly phase: 'Succeeded' | 'Failed' | 'Error'; readonly message: string };

/** compat engine … R-39: how an attempt ended, or that another one follows. Check with isCompleted(). */
export function finish(state: OperationState, ending: Ending, now: Date): OperationState {
  const ended = { ...state, ...ending, finishedAt: printTime(now) };
  const { retryCount = 0, operation } = state;
  const limit = operation.retry?.limit ?? 0;
  if (ending.phase === 'Succeeded' || state.phase === 'Terminating') return ended;
  if (retryCount >= limit && limit >= 0) return ended;

  const waiting: OperationState = { ...ended, phase: 'Running', retryCount: retryCount + 1 };
  try {
    // dev engine R-38: the true time, where Argo CD prints that of the attempt before
    const at = printTime(retryAt(waiting));
    return { ...waiting, message: `${ending.message}; attempt ${retryCount + 2} begins at ${at}` };
  } catch (thrown) {
    return { ...ended, phase: 'Error', message: `${ending.message}; ${FairleadError.from(thrown).message}` };
  }
}

/**
 * compat engine R-41: requests the termination of the running operation; undefined when none can be
 * terminated.
 */
export function requestTermination(app: Application): OperationState | undefined {
  const state = app.status?.operationState;
  if (!app.operation || !state || isCompleted(state)) return undefined;
  return { ...state, phase: 'Terminating' };
}

/**
 * compat engine R-36: our state, updated when a user requested termination while the controller took a step.
 */
export function heedTermination(ours: OperationState, fresh: OperationState | undefined): OperationState {
  const requested = fresh?.phase === 'Terminating' && fresh.startedAt === ours.startedAt;
  return requested && ours.phase === 'Running' ? { ...ours, phase: 'Terminating' } : ours;
}

/** When a waiting operation continues. Throws InvalidSpec for an unreadable backoff (engine R-39). */
export function retryAt({ finishedAt, retryCount = 0, operation }: OperationState): Date {
  return new Date(Date.parse(finishedAt ?? '') + retryDelay(operation.retry ?? {}, retryCount));
}

/** compat engine R-38: duration × factor^k, capped; k counts from one, so the first wait is already doubled. */
export function retryDelay({ backoff = {} }: RetryStrategy, attempt: number): number {
  const first = parseDurationOrSeconds(backoff.duration || '5s');
  const cap = parseDurationOrSeconds(backoff.maxDuration || '3m');
  const delay = first * (backoff.factor ?? 2) ** attempt;
  return cap > 0 ? Math.min(cap, delay) : delay;
}
