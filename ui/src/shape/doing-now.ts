import { type Application, annotation, parseTime } from '#base/model';
import { attentionOf, blockedBy } from './attention.ts';
import { failingSync, isWaitingToRetry, whatFollows } from './failing-sync.ts';
import { causeOf } from './innermost-cause.ts';
import { isRunning, stageName, timelineOf } from './operation-timeline.ts';
import type { Tone } from './state.ts';
import { ago } from './time.ts';

/** The current activity of an application, in a few words. No tone: idle and healthy. */
export type Doing = {
  readonly text: string;
  /** More, on hover. */
  readonly detail?: string;
  readonly tone?: Tone;
  readonly progress?: number;
};

export function doingNow(app: Application, now: number): Doing {
  const { metadata, status, operation } = app;
  if (metadata.deletionTimestamp) return deletingWords(app);
  if (isRunning(status?.operationState)) return runningWords(app);
  if (operation && !isWaitingToRetry(status?.operationState)) return { text: 'About to sync', tone: 'busy' };
  if (metadata.annotations?.[annotation.refresh] !== undefined) return { text: 'Refreshing', tone: 'busy' };
  return troubleWords(app, now) ?? lastWords(app, now);
}

function deletingWords({ status }: Application): Doing {
  const held = status?.conditions?.find(({ type }) => type === 'DeletionError');
  return held
    ? { text: `Cannot be deleted: ${firstLine(held.message)}`, tone: 'bad' }
    : { text: 'Deleting', tone: 'warn' };
}

/** What needs a user, and why; a state that another column shows is not repeated. */
function troubleWords(app: Application, now: number): Doing | undefined {
  const attention = attentionOf(app);
  if (!attention) return undefined;
  if (attention.cause === 'health') return unhealthyWords(app);
  const failing = attention.cause === 'sync' ? failingSync(app.status?.operationState) : undefined;
  const detail = failing && whatFollows(failing, now);
  const tone = attention.cause === 'error' || attention.cause === 'sync' ? 'bad' : 'warn';
  return { text: attention.text, tone, ...(detail && { detail }) };
}

function unhealthyWords({ status }: Application): Doing | undefined {
  const { message, status: health } = status?.health ?? {};
  return message ? { text: causeOf(message).text, tone: health === 'Missing' ? 'warn' : 'bad' } : undefined;
}

function runningWords({ status }: Application): Doing {
  const state = status?.operationState;
  if (!state) return { text: '' };
  const blocked = blockedBy(state);
  if (blocked) return { text: capital(blocked), tone: 'warn' };
  if (state.phase === 'Terminating') return { text: 'Stopping the sync', tone: 'busy' };
  const timeline = timelineOf(state, status?.resources);
  const { blocker, done, total } = timeline;
  const progress = total > 0 ? done / total : 0;
  const first = blocker?.bars[0];
  if (!blocker || !first)
    return { text: total > 0 ? `Syncing ${done} of ${total}` : 'Syncing', tone: 'busy', progress };
  const detail = `waits for ${first.kind} ${first.name}`;
  return { text: `Syncing ${stageName(timeline, blocker)}`, detail, tone: 'busy', progress };
}

function lastWords({ status }: Application, now: number): Doing {
  const state = status?.operationState;
  const then = parseTime(state?.finishedAt ?? state?.startedAt);
  return { text: then === undefined ? 'Never synced' : `Synced ${ago(then, now)}` };
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const firstLine = (text: string): string => text.split('\n')[0] ?? '';
