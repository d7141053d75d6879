import { type KubeObject, parseTime } from '#base/model';
import type { Pod } from '../pod/view.ts';
import { judgeFailure } from './failure-policy.ts';
import { hasFailed, hasSucceeded, type Job } from './view.ts';

const failureNote = 'batch.kubernetes.io/job-index-failure-count';
const ignoredNote = 'batch.kubernetes.io/job-index-ignored-failure-count';

const countOf = ({ metadata }: KubeObject, note: string): number => Number(metadata.annotations?.[note]) || 0;

/** How often this pod's index had failed before it. */
export const earlierFailures = (pod: KubeObject): number => countOf(pod, failureNote);
const allEarlier = (pod: KubeObject): number => earlierFailures(pod) + countOf(pod, ignoredNote);

/** compat cluster 5.4: the annotations of a failed pod's replacement; the first pod of an index starts at zero. */
export function failureNotes(job: Job, replaced: KubeObject | undefined): Record<string, string> {
  if (!replaced) return { [failureNote]: '0' };
  const isIgnored = judgeFailure(job.spec?.podFailurePolicy, replaced).action === 'Ignore';
  const ignored = countOf(replaced, ignoredNote) + (isIgnored ? 1 : 0);
  return {
    [failureNote]: String(earlierFailures(replaced) + (isIgnored ? 0 : 1)),
    ...(ignored > 0 && { [ignoredNote]: String(ignored) }),
  };
}

/** When a pod finished, according to its status. */
function finishedAt(pod: KubeObject): number {
  const { containerStatuses = [], conditions = [] } = (pod as Pod).status ?? {};
  const ends = containerStatuses.map(({ state }) => parseTime(state.terminated?.finishedAt));
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return Math.max(...ends);
  const ready = conditions.find(({ type, status }) => type === 'Ready' && status === 'False');
  const { deletionTimestamp, creationTimestamp } = pod.metadata;
  return parseTime(ready?.lastTransitionTime ?? deletionTimestamp ?? creationTimestamp) ?? 0;
}

const firstPauseMs = 10_000;
const longestPauseMs = 600_000;

/** compat cluster 5.4: back off 10 s after the first failure, then twice as long each time, ten minutes at most. */
const pauseMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 20));

/** When the next pod may be created, after the failures since the last success. */
export function pauseUntil(job: Job, pods: readonly KubeObject[]): number {
  const ended = pods
    .filter((pod) => hasSucceeded(pod) || hasFailed(job, pod))
    .sort((a, b) => finishedAt(a) - finishedAt(b));
  const success = ended.findLastIndex(hasSucceeded);
  const failed = ended.slice(success + 1);
  const last = failed.at(-1);
  return last ? finishedAt(last) + pauseMs(failed.length) : 0;
}

/** When an index may be retried. */
export const indexPauseUntil = (last: KubeObject | undefined): number =>
  last ? finishedAt(last) + pauseMs(allEarlier(last) + 1) : 0;

/** The later of two failed pods of an index. */
export const laterOf = (a: KubeObject | undefined, b: KubeObject): KubeObject =>
  !a || (allEarlier(a) <= allEarlier(b) && finishedAt(a) <= finishedAt(b)) ? b : a;
