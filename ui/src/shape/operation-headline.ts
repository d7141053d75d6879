import { type OperationState, parseTime } from '#base/model';
import { isCommit, shortRevision } from './revision.ts';
import type { Tone } from './state.ts';
import { clockTime, duration } from './time.ts';

/** An operation in a title and a few facts. */
export type Headline = { readonly title: string; readonly tone: Tone; readonly facts: readonly string[] };

const titles: Readonly<Record<OperationState['phase'], readonly [string, Tone]>> = {
  Running: ['Syncing', 'busy'],
  Terminating: ['Stopping the sync', 'busy'],
  Succeeded: ['Last sync succeeded', 'good'],
  Failed: ['Last sync failed', 'bad'],
  Error: ['Last sync ended in an error', 'bad'],
};

export function headlineOf(state: OperationState, now: number, zone?: string): Headline {
  const [title, tone] = titles[state.phase];
  const { sync, initiatedBy } = state.operation;
  const revision = state.syncResult?.revision || sync?.revision;
  const who = initiatedBy?.automated
    ? 'by auto-sync'
    : initiatedBy?.username
      ? `by ${initiatedBy.username}`
      : '';
  const facts = [
    revision ? `${isCommit(revision) ? 'commit' : 'version'} ${shortRevision(revision)}` : '',
    who,
    timeFact(state, now, zone),
    sync?.dryRun ? 'dry run' : '',
    sync?.prune ? 'with prune' : '',
    sync?.resources?.length ? `${sync.resources.length} chosen` : '',
    state.retryCount ? `attempt ${state.retryCount + 1}` : '',
  ];
  return {
    title: sync?.dryRun ? title.replace('sync', 'dry run') : title,
    tone,
    facts: facts.filter(Boolean),
  };
}

function timeFact({ startedAt, finishedAt }: OperationState, now: number, zone?: string): string {
  const [start, end] = [parseTime(startedAt), parseTime(finishedAt)];
  if (start === undefined) return '';
  const at = clockTime(start, now, zone);
  return end === undefined ? `since ${at}, ${duration(now - start)}` : `${at}, took ${duration(end - start)}`;
}
