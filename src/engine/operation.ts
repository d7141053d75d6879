import {
  type Application,
  historyLimit,
  type Operation,
  type OperationState,
  parseDurationOrSeconds,
  printTime,
  type RetryStrategy,
  type RevisionHistory,
} from '#model';
import { FairleadError } from '#std';

/** What a pass over an operation should do first. The state is the one to go on with, and to write if it is new. */
export type Turn =
  | { readonly do: 'run'; readonly state: OperationState }
  | { readonly do: 'wait'; readonly state: OperationState; readonly ms: number };

export type TurnOptions = {
  readonly now: Date;
  /** compat R-42: measured from the start, over all retries; 0 is never. */
  readonly timeoutMs?: number;
};

const completed: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Error']);

export const isCompleted = ({ phase }: Pick<OperationState, 'phase'>): boolean => completed.has(phase);

/** compat: starts what was asked for, goes on with what was begun, or waits for a retry to be due. */
export function turn(app: Application, operation: Operation, { now, timeoutMs = 0 }: TurnOptions): Turn {
  const state = app.status?.operationState;
  if (!state || isCompleted(state)) return { do: 'run', state: begin(operation, now) };
  if (isOverdue(state, now, timeoutMs)) {
    const { finishedAt: _waiting, ...rest } = state;
    return {
      do: 'run',
      state: { ...rest, phase: 'Terminating', message: 'the sync took longer than it may' },
    };
  }
  if (state.phase !== 'Running' || !state.finishedAt) return { do: 'run', state };
  const ms = retryAt(state).getTime() - now.getTime();
  return ms > 0 ? { do: 'wait', state, ms } : { do: 'run', state: retry(state) };
}

function begin(operation: Operation, now: Date): OperationState {
  return { operation, phase: 'Running', startedAt: printTime(now) };
}

function isOverdue({ phase, startedAt }: OperationState, now: Date, timeoutMs: number): boolean {
  return timeoutMs > 0 && phase === 'Running' && now.getTime() - Date.parse(startedAt) > timeoutMs;
}

/**
 * compat R-37: a new attempt remembers nothing but its number, so the dry run and every hook run again. It keeps the
 * revisions first resolved, unless it is told to resolve them anew.
 */
function retry(state: OperationState): OperationState {
  const { finishedAt: _finished, syncResult, ...rest } = state;
  const { operation } = state;
  const { revision: _revision, revisions: _revisions, ...unpinned } = operation.sync ?? {};
  const pinned = operation.retry?.refresh ? unpinned : { ...operation.sync, ...pinnedBy(syncResult) };
  return {
    ...rest,
    operation: { ...operation, sync: pinned },
    phase: 'Running',
    message: `attempt ${(state.retryCount ?? 0) + 1} begins`,
  };
}

function pinnedBy(result: OperationState['syncResult']): { revision?: string; revisions?: string[] } {
  return {
    ...(result?.revision && { revision: result.revision }),
    ...(result?.revisions?.length && { revisions: result.revisions }),
  };
}

export type Ending = { readonly phase: 'Succeeded' | 'Failed' | 'Error'; readonly message: string };

/** compat … R-39: how an attempt ended, or that another one follows. Check with isCompleted(). */
export function finish(state: OperationState, ending: Ending, now: Date): OperationState {
  const ended = { ...state, ...ending, finishedAt: printTime(now) };
  const { retryCount = 0, operation } = state;
  const limit = operation.retry?.limit ?? 0;
  if (ending.phase === 'Succeeded' || state.phase === 'Terminating') return ended;
  if (retryCount >= limit && limit >= 0) return ended;

  const waiting: OperationState = { ...ended, phase: 'Running', retryCount: retryCount + 1 };
  try {
    // dev R-38: the true time, where Argo CD prints that of the attempt before
    const at = printTime(retryAt(waiting));
    return { ...waiting, message: `${ending.message}; attempt ${retryCount + 2} begins at ${at}` };
  } catch (thrown) {
    return { ...ended, phase: 'Error', message: `${ending.message}; ${FairleadError.from(thrown).message}` };
  }
}

/** compat R-41: asks a running operation to stop; undefined when there is none that could. */
export function requestTermination(app: Application): OperationState | undefined {
  const state = app.status?.operationState;
  if (!app.operation || !state || isCompleted(state)) return undefined;
  return { ...state, phase: 'Terminating' };
}

/** When a waiting operation goes on. Throws InvalidSpec for a backoff nobody can read. */
export function retryAt({ finishedAt, retryCount = 0, operation }: OperationState): Date {
  return new Date(Date.parse(finishedAt ?? '') + retryDelay(operation.retry ?? {}, retryCount));
}

/** compat R-38: duration × factor^k, capped; k counts from one, so the first wait is already doubled. */
export function retryDelay({ backoff = {} }: RetryStrategy, attempt: number): number {
  const first = parseDurationOrSeconds(backoff.duration || '5s');
  const cap = parseDurationOrSeconds(backoff.maxDuration || '3m');
  const delay = first * (backoff.factor ?? 2) ** attempt;
  return cap > 0 ? Math.min(cap, delay) : delay;
}

/** compat R-44: the history after this operation; the same list when it does not belong there. */
export function historyAfter(app: Application, state: OperationState): readonly RevisionHistory[] {
  const history = app.status?.history ?? [];
  const { sync } = state.operation;
  if (state.phase !== 'Succeeded' || sync?.dryRun || sync?.resources?.length) return history;
  const limit = historyLimit(app.spec);
  const id = (history.at(-1)?.id ?? -1) + 1;
  return limit === 0 ? [] : [...history, historyEntry(state, id)].slice(-limit);
}

function historyEntry(
  { syncResult, operation, startedAt, finishedAt }: OperationState,
  id: number,
): RevisionHistory {
  const { source, sources } = syncResult ?? {};
  return {
    id,
    ...pinnedBy(syncResult),
    ...(source && { source }),
    ...(sources?.length && { sources }),
    deployStartedAt: startedAt,
    deployedAt: finishedAt ?? startedAt,
    ...(operation.initiatedBy && { initiatedBy: operation.initiatedBy }),
  };
}
