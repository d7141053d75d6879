import { type KubeObject, type OperationState, parseTime } from '#base/model';
import type { Bar } from './operation-timeline.ts';
import type { TreeItem } from './resource-forest.ts';
import { duration } from './time.ts';

/** What the cluster recorded of one bar, in milliseconds; what it did not record is absent. */
export type BarTimes = { readonly start?: number; readonly end?: number };

/**
 * An operation keeps no times of its resources. What is known is when the cluster created one, where the operation did it,
 * and when a hook ended, while the hook exists.
 */
export function barTimes(
  { startedAt, finishedAt }: OperationState,
  item: Pick<TreeItem, 'createdAt'> | undefined,
  live: KubeObject | undefined,
): BarTimes {
  const [began, ended = Number.POSITIVE_INFINITY] = [parseTime(startedAt), parseTime(finishedAt)];
  const start = item?.createdAt;
  if (began === undefined || start === undefined || start < began || start > ended) return {};
  const end = live && endOf(live);
  return { start, ...(end !== undefined && end >= start && end <= ended + second && { end }) };
}

const second = 1000; // the cluster's times are whole seconds

type EndingView = {
  status?: {
    completionTime?: string;
    conditions?: { type?: string; status?: string; lastTransitionTime?: string }[];
    containerStatuses?: { state?: { terminated?: { finishedAt?: string } } }[];
  };
};

/** When a Job or a Pod came to its end; undefined: it has not, or is of another kind. */
function endOf(object: KubeObject): number | undefined {
  const { completionTime, conditions = [], containerStatuses = [] } = (object as EndingView).status ?? {};
  const failed = conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
  const ends = containerStatuses.map(({ state }) => parseTime(state?.terminated?.finishedAt));
  const last = ends.every((end) => end !== undefined) && ends.length > 0 ? Math.max(...ends) : undefined;
  return parseTime(completionTime) ?? parseTime(failed?.lastTransitionTime) ?? last;
}

/** Where in its operation a bar stands, in percent of the whole; undefined: not known, and it is drawn as long as the whole. */
export function stretchOf(
  { start, end }: BarTimes,
  { began, now, ended = now }: { began?: number; now: number; ended?: number | undefined },
): { left: number; width: number } | undefined {
  if (start === undefined || began === undefined || ended <= began) return undefined;
  const percent = (at: number) => Math.round(Math.min(1, Math.max(0, (at - began) / (ended - began))) * 100);
  const left = Math.min(percent(start), 96); // what began at the very end can still be seen
  return { left, width: Math.max(4, percent(end ?? ended) - left) };
}

/** The time of a bar in words; empty: nothing has happened that takes time. */
export function timeOf(
  { state }: Pick<Bar, 'state'>,
  { start, end }: BarTimes,
  run: { began?: number; now: number },
): string {
  if (state === 'waiting' || state === 'kept') return '';
  if (start === undefined) return 'time unknown';
  if (end !== undefined) return `took ${duration(end - start)}`;
  if (state === 'running') return `for ${duration(run.now - start)}`;
  return run.began === undefined ? 'time unknown' : `${duration(start - run.began)} after the start`;
}
