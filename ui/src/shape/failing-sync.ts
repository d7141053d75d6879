import {
  type Application,
  keyFrom,
  type OperationState,
  parseTime,
  type ResourceKey,
  type ResourceResult,
} from '#base/model';
import { causeOf } from './innermost-cause.ts';
import { counted } from './span.ts';
import { clockTime, duration } from './time.ts';

/** A sync that has failed, and may be tried again. */
export type FailingSync = {
  /** How many attempts failed so far. */
  readonly failures: number;
  /** Why the last one did; absent while the next one runs, which keeps nothing of it. */
  readonly cause?: string;
  /** The resource that it failed at. */
  readonly at?: { readonly key: ResourceKey; readonly kind: string; readonly name: string };
  /** When the next attempt begins, in milliseconds; absent: none follows, or it is running. */
  readonly nextAt?: number;
  readonly isTrying: boolean;
};

/** Its operation has not ended: it runs, or waits for its next attempt. */
export const isUnderway = (state: OperationState | undefined): state is OperationState =>
  state?.phase === 'Running' || state?.phase === 'Terminating';

/** compat engine R-37: an attempt that failed leaves the phase Running, with the time at which it ended. */
export const isWaitingToRetry = (state: OperationState | undefined): boolean =>
  state?.phase === 'Running' && state.finishedAt !== undefined && (state.retryCount ?? 0) > 0;

/** The sync that keeps failing, or has failed for good; undefined: it has not. */
export function failingSync(state: OperationState | undefined): FailingSync | undefined {
  if (!state) return undefined;
  const { phase, retryCount = 0 } = state;
  if (phase === 'Failed' || phase === 'Error') return { ...ended(state), failures: retryCount + 1 };
  if (phase !== 'Running' || retryCount === 0) return undefined;
  if (state.finishedAt === undefined) return { failures: retryCount, isTrying: true };
  const nextAt = parseTime(announced.exec(state.message ?? '')?.[1]);
  return { ...ended(state), failures: retryCount, ...(nextAt !== undefined && { nextAt }) };
}

const announced = /; attempt \d+ begins at (\S+)$/;

/** The message of an operation, with the time of its next attempt as all other times are shown. */
export function messageOf({ message = '' }: OperationState, now: number, zone?: string): string {
  const at = announced.exec(message)?.[1] ?? '';
  const then = parseTime(at);
  return then === undefined ? message : message.slice(0, -at.length) + clockTime(then, now, zone);
}

function ended({ message = '', syncResult }: OperationState): Pick<FailingSync, 'cause' | 'at' | 'isTrying'> {
  const guilty = syncResult?.resources?.find(hasFailed);
  const said = guilty?.message || message.replace(announced, '');
  return {
    isTrying: false,
    ...(said && { cause: causeOf(said).text }),
    ...(guilty && { at: { key: keyFrom(guilty), kind: guilty.kind, name: guilty.name } }),
  };
}

const hasFailed = ({ status, hookPhase }: ResourceResult): boolean =>
  status === 'SyncFailed' || hookPhase === 'Failed' || hookPhase === 'Error';

/** The cause without the resource's own name in front, which the sentence has as a link. */
export function causeAt({ cause = '', at }: FailingSync): string {
  return at ? cause.replace(new RegExp(`^${at.kind} (?:\\S+/)?${escaped(at.name)}: `), '') : cause;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `has failed 4 times`; once: `has failed`. */
export const failedTimes = ({ failures }: FailingSync): string =>
  failures > 1 ? `has failed ${counted(failures, 'time')}` : 'has failed';

/** `next try in 20 s`, or what else comes; empty: nothing follows. */
export function whatFollows({ nextAt, isTrying, failures }: FailingSync, now: number): string {
  if (isTrying) return `attempt ${failures + 1} is running`;
  if (nextAt === undefined) return '';
  return nextAt - now < 1000 ? 'the next try begins now' : `next try in ${duration(nextAt - now)}`;
}

/** Why an application cannot be synced now; undefined: it can. */
export function whyNoSync({ metadata, status }: Application): string | undefined {
  if (metadata.deletionTimestamp) return 'It is being deleted.';
  const state = status?.operationState;
  if (isWaitingToRetry(state)) return 'Terminate the failing sync first.';
  return isUnderway(state) ? 'A sync is running already. Terminate it first.' : undefined;
}
