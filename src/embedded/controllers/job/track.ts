import { type Condition, type KubeObject, printTime } from '#base/model';
import { jobKind } from '../kinds.ts';
import { positive } from '../replica-set.ts';
import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { isDeleting, storedObject, writeStatus } from '../write.ts';
import { type Count, isCounted } from './count.ts';
import { printIntervals, totalOf } from './intervals.ts';
import { type JobPods, letGo, recordJobEvent } from './pods.ts';
import type { JobEnd } from './verdict.ts';
import {
  hasFailed,
  hasSucceeded,
  indexOf,
  isIndexed,
  isTracked,
  type Job,
  type JobStatus,
  type Uncounted,
} from './view.ts';

/** The results of a pass that are to be written. */
export type Findings = {
  readonly count: Count;
  readonly managed: JobPods;
  readonly verdict: JobEnd | undefined;
  readonly conditions: readonly Condition[];
  readonly startTime: string | undefined;
};

/**
 * compat cluster 5.4: a finished pod is recorded as uncounted, then loses its finalizer, then counts: wherever
 * this is interrupted, no pod is counted twice or left out.
 */
export async function track(context: SimulationContext, job: Job, findings: Findings): Promise<void> {
  const { verdict, conditions } = findings;
  const tracked = findings.count.pods.filter(isTracked);
  const held = new Set(tracked.map(uidOf));
  const releasable = tracked.filter((pod) => isReleasable(job, findings, pod));
  const tally = settled(tallyOf(job), held);
  const noted = noteFresh(job, tally, releasable, verdict);
  const interim = verdict && !verdict.isRecorded ? [...conditions, interimOf(context, verdict)] : conditions;
  const first = statusFrom(job, findings, noted, interim);
  await writeStatus(context, job, first);
  await Promise.all(releasable.map((pod) => letGo(context, pod)));
  for (const pod of releasable) held.delete(uidOf(pod));
  const counted = settled(noted, held);
  const isDone = verdict && findings.managed.terminating === 0 && isEmpty(counted.uncounted);
  const newest = storedObject(context, jobKind, keyOfObject(job));
  if (!newest) return;
  const last = isDone ? [...interim, dated(context, verdict.is, verdict)] : interim;
  const end = isDone && verdict.is === 'Complete' ? { completionTime: printTime(context.clock.now()) } : {};
  await writeStatus(context, newest, { ...statusFrom(job, findings, counted, last), ...end });
  if (isDone) await recordEnd(context, job, verdict);
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

type Tally = { readonly uncounted: Required<Uncounted>; readonly succeeded: number; readonly failed: number };

function tallyOf({ status = {} }: Job): Tally {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    uncounted: { succeeded, failed },
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
  };
}

/** Pods that have lost their finalizer count. */
function settled({ uncounted, succeeded, failed }: Tally, held: ReadonlySet<string>): Tally {
  const still = (uids: readonly string[]) => uids.filter((uid) => held.has(uid));
  const left = { succeeded: still(uncounted.succeeded), failed: still(uncounted.failed) };
  return {
    uncounted: left,
    succeeded: succeeded + uncounted.succeeded.length - left.succeeded.length,
    failed: failed + uncounted.failed.length - left.failed.length,
  };
}

const isEmpty = ({ succeeded, failed }: Required<Uncounted>): boolean =>
  succeeded.length + failed.length === 0;

function isReleasable(job: Job, { verdict, count }: Findings, pod: KubeObject): boolean {
  if (isDeleting(job) || verdict || hasSucceeded(pod)) return true;
  if (!hasFailed(job, pod)) return false;
  const index = indexOf(job, pod);
  return index === undefined || count.indexes?.replaced.get(index)?.metadata.uid !== pod.metadata.uid;
}

/** compat cluster 5.4: when a job has failed, pods that still run count as failed. */
function noteFresh(job: Job, tally: Tally, pods: readonly KubeObject[], verdict: JobEnd | undefined): Tally {
  const { uncounted } = tally;
  const known = new Set([...uncounted.succeeded, ...uncounted.failed]);
  const fresh = pods.filter((pod) => !known.has(uidOf(pod)));
  const isFailed = (pod: KubeObject) =>
    !hasSucceeded(pod) &&
    (hasFailed(job, pod) || verdict?.is === 'Failed') &&
    (!isIndexed(job) || indexOf(job, pod) !== undefined) &&
    isCounted(job, pod);
  const good = isIndexed(job) ? [] : fresh.filter(hasSucceeded).map(uidOf);
  return {
    ...tally,
    uncounted: {
      succeeded: [...uncounted.succeeded, ...good],
      failed: [...uncounted.failed, ...fresh.filter(isFailed).map(uidOf)],
    },
  };
}

function statusFrom(
  job: Job,
  { managed, count, startTime }: Findings,
  { uncounted, succeeded, failed }: Tally,
  conditions: readonly Condition[],
): JobStatus {
  const { indexes } = count;
  const completed = indexes ? printIntervals(indexes.succeeded) : '';
  return {
    ...(startTime !== undefined && { startTime }),
    ...(conditions.length > 0 && { conditions }),
    ...positive({
      active: managed.active,
      succeeded: indexes ? totalOf(indexes.succeeded) : succeeded,
      failed,
    }),
    ready: managed.ready,
    terminating: managed.terminating,
    ...(completed !== '' && { completedIndexes: completed }),
    ...(indexes?.failed && { failedIndexes: printIntervals(indexes.failed) }),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 && { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length > 0 && { failed: uncounted.failed }),
    },
    ...(job.status?.completionTime !== undefined && { completionTime: job.status.completionTime }),
  };
}

const interimOf = (context: SimulationContext, verdict: JobEnd): Condition =>
  dated(context, verdict.is === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', verdict);

/** A condition of a job, as of now. */
export function dated(
  context: SimulationContext,
  type: string,
  { reason, message, status = 'True' }: { reason: string; message: string; status?: string },
): Condition {
  const now = printTime(context.clock.now());
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message } as Condition;
}

async function recordEnd(
  context: SimulationContext,
  job: Job,
  { is, reason, message }: JobEnd,
): Promise<void> {
  if (is === 'Complete') await recordJobEvent(context, job, 'Completed', 'Job completed');
  else await recordJobEvent(context, job, reason, message);
}
