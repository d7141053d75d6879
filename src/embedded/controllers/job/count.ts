import type { KubeObject } from '#base/model';
import { podKind } from '../kinds.ts';
import { isActive, isReady, phaseOf } from '../pod/view.ts';
import type { SimulationContext } from '../simulation-context.ts';
import { controlled, isDeleting } from '../write.ts';
import { judgeFailure } from './failure-policy.ts';
import { earlierFailures, laterOf } from './failures.ts';
import { type Intervals, includesNumber, parseIntervals, totalOf, withNumbers } from './intervals.ts';
import { hasFailed, hasSucceeded, indexOf, isIndexed, isPerIndex, isTracked, type Job } from './view.ts';

/** The pods of a job, counted by outcome. */
export type Count = {
  readonly pods: readonly KubeObject[];
  readonly active: readonly KubeObject[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  /** Failures that count towards the backoff limit. */
  readonly failed: number;
  readonly indexes: Indexes | undefined;
};

type Indexes = {
  readonly succeeded: Intervals;
  readonly failed: Intervals | undefined;
  /**
   * The failed pod an index is waiting to replace; it keeps its finalizer until then, because its annotations are
   * copied.
   */
  readonly replaced: ReadonlyMap<number, KubeObject>;
};

export function countPods(context: SimulationContext, job: Job): Count {
  const pods = controlled(context, job, podKind);
  const active = pods.filter(isActive);
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const held = new Set([...succeeded, ...failed]);
  const fresh = pods.filter(
    (pod) =>
      isTracked(pod) &&
      !held.has(pod.metadata.uid ?? '') &&
      (!isIndexed(job) || indexOf(job, pod) !== undefined),
  );
  const failures = fresh.filter((pod) => hasFailed(job, pod) && isCounted(job, pod)).length;
  const indexes = isIndexed(job) ? indexesOf(job, pods, active) : undefined;
  return {
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => isDeleting(pod) && !isOver(pod)).length,
    succeeded: indexes
      ? totalOf(indexes.succeeded)
      : (job.status?.succeeded ?? 0) + fresh.filter(hasSucceeded).length + succeeded.length,
    failed: (job.status?.failed ?? 0) + failures + failed.length,
    indexes,
  };
}

const isOver = (pod: KubeObject): boolean => phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed';

export const isCounted = (job: Job, pod: KubeObject): boolean =>
  judgeFailure(job.spec?.podFailurePolicy, pod).action !== 'Ignore';

function indexesOf(job: Job, pods: readonly KubeObject[], active: readonly KubeObject[]): Indexes {
  const limit = job.spec?.completions ?? 0;
  const numbers = (list: readonly KubeObject[]) => list.flatMap((pod) => indexOf(job, pod) ?? []);
  const tracked = pods.filter(isTracked);
  const succeeded = withNumbers(
    parseIntervals(job.status?.completedIndexes, limit),
    numbers(tracked.filter(hasSucceeded)),
  );
  if (!isPerIndex(job)) return { succeeded, failed: undefined, replaced: new Map() };
  const failed = withNumbers(
    parseIntervals(job.status?.failedIndexes, limit),
    numbers(tracked.filter((pod) => failsIndex(job, pod))),
  );
  const busy = new Set(numbers(active));
  const replaced = new Map<number, KubeObject>();
  for (const pod of tracked.filter((one) => hasFailed(job, one))) {
    const index = indexOf(job, pod);
    if (index === undefined || busy.has(index)) continue;
    if (includesNumber(succeeded, index) || includesNumber(failed, index)) continue;
    replaced.set(index, laterOf(replaced.get(index), pod));
  }
  return { succeeded, failed, replaced };
}

function failsIndex(job: Job, pod: KubeObject): boolean {
  if (!hasFailed(job, pod)) return false;
  const { action } = judgeFailure(job.spec?.podFailurePolicy, pod);
  if (action === 'FailIndex') return true;
  return action !== 'Ignore' && earlierFailures(pod) >= (job.spec?.backoffLimitPerIndex ?? 0);
}
