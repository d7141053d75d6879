import { type OperationState, parseTime } from '#base/model';
import { failingSync, isWaitingToRetry } from './failing-sync.ts';
import { isCommit, shortRevision } from './revision.ts';
import type { Tone } from './state.ts';
import { clockTime, duration } from './time.ts';

/** An operation in a title and a few facts. */
export type OperationHeadline = {
  readonly title: string;
  readonly tone: Tone;
  readonly facts: readonly string[];
};

const titles: Readonly<Record<OperationState['phase'], readonly [string, Tone]>> = {
  Running: ['Syncing', 'busy'],
  Terminating: ['Stopping the sync', 'busy'],
  Succeeded: ['Last sync succeeded', 'good'],
  Failed: ['Last sync failed', 'bad'],
  Error: ['Last sync ended in an error', 'bad'],
};

export function headlineOf(state: OperationState, now: number, zone?: string): OperationHeadline {
  const [title, tone] = titleOf(state);
  const { sync, initiatedBy } = state.operation;
  const revision = state.syncResult?.revision || sync?.revision;
  const facts = [
    revision ? `${isCommit(revision) ? 'commit' : 'version'} ${shortRevision(revision)}` : '',
    whoFact(initiatedBy),
    timeFact(state, now, zone),
    sync?.dryRun ? 'dry run' : '',
    sync?.prune ? 'with prune' : '',
    sync?.resources?.length ? `${sync.resources.length} chosen` : '',
    state.retryCount && !isWaitingToRetry(state) ? `attempt ${state.retryCount + 1}` : '',
  ];
  return {
    title: sync?.dryRun ? title.replace('sync', 'dry run') : title,
    tone,
    facts: facts.filter(Boolean),
  };
}

function whoFact(initiatedBy: OperationState['operation']['initiatedBy']): string {
  if (initiatedBy?.automated) return 'by auto-sync';
  return initiatedBy?.username ? `by ${initiatedBy.username}` : '';
}

/** An attempt that failed is no sync that runs; the sentence above has the cause, and when the next one begins. */
function titleOf(state: OperationState): readonly [string, Tone] {
  const failing = failingSync(state);
  if (!failing || !isWaitingToRetry(state)) return titles[state.phase];
  return [`Attempt ${failing.failures} failed`, 'bad'];
}

function timeFact({ startedAt, finishedAt }: OperationState, now: number, zone?: string): string {
  const [start, end] = [parseTime(startedAt), parseTime(finishedAt)];
  if (start === undefined) return '';
  const at = clockTime(start, now, zone);
  return end === undefined ? `since ${at}, ${duration(now - start)}` : `${at}, took ${duration(end - start)}`;
}
