import { conditionOf, type KubeObject, parseTime } from '#base/model';
import type { Pod } from '../pod/view.ts';
import { phaseOf } from '../pod/view.ts';
import { nowOf, type SimulationContext } from '../simulation-context.ts';
import type { Count } from './count.ts';
import { judgeFailure } from './failure-policy.ts';
import { totalOf } from './intervals.ts';
import { satisfiedRule } from './success-policy.ts';
import { hasFailed, isSuspended, type Job } from './view.ts';

/** How a job is going to end, and whether its status records that already. */
export type JobEnd = {
  readonly is: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
  readonly isRecorded: boolean;
};

const fresh = (is: JobEnd['is'], reason: string, message: string): JobEnd => ({
  is,
  reason,
  message,
  isRecorded: false,
});

/** compat cluster 5.4: a recorded end stands; then failures decide, then sufficient successes. */
export function judge(context: SimulationContext, job: Job, count: Count): JobEnd | undefined {
  return (
    recorded(job, 'SuccessCriteriaMet', 'Complete') ??
    recorded(job, 'FailureTarget', 'Failed') ??
    failedByPolicy(job, count.pods) ??
    overLimit(context, job, count) ??
    failedIndexes(job, count) ??
    enoughIndexes(job, count)
  );
}

function recorded(job: Job, type: string, is: JobEnd['is']): JobEnd | undefined {
  const found = conditionOf(job.status?.conditions, type);
  if (found?.status !== 'True') return undefined;
  return { is, reason: found.reason ?? '', message: found.message ?? '', isRecorded: true };
}

function failedByPolicy(job: Job, pods: readonly KubeObject[]): JobEnd | undefined {
  const policy = job.spec?.podFailurePolicy;
  if (!policy) return undefined;
  for (const pod of pods.filter((one) => hasFailed(job, one))) {
    const { action, message = '' } = judgeFailure(policy, pod);
    if (action === 'FailJob') return fresh('Failed', 'PodFailurePolicy', message);
  }
  return undefined;
}

function overLimit(context: SimulationContext, job: Job, { failed, pods }: Count): JobEnd | undefined {
  const limit = job.spec?.backoffLimit ?? 6;
  if (failed > limit || hasRestartedTooOften(job, pods, limit)) {
    return fresh('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadline = deadlineOf(job);
  if (deadline === undefined || nowOf(context) < deadline) return undefined;
  return fresh('Failed', 'DeadlineExceeded', 'Job was active longer than specified deadline');
}

/** When the deadline of an active job passes. */
export function deadlineOf(job: Job): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  const started = parseTime(job.status?.startTime);
  if (seconds === undefined || started === undefined || isSuspended(job)) return undefined;
  return started + seconds * 1000;
}

/** compat cluster 5.4: pods that restart in place count their restarts. */
function hasRestartedTooOften(job: Job, pods: readonly KubeObject[], limit: number): boolean {
  if (job.spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = (pods as readonly Pod[])
    .filter((pod) => phaseOf(pod) === 'Running' || phaseOf(pod) === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function failedIndexes(job: Job, { indexes }: Count): JobEnd | undefined {
  const failed = totalOf(indexes?.failed ?? []);
  const { maxFailedIndexes, completions = 0 } = job.spec ?? {};
  if (!indexes?.failed || failed === 0) return undefined;
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return fresh('Failed', 'MaxFailedIndexesExceeded', message);
  }
  if (failed + totalOf(indexes.succeeded) < completions) return undefined;
  return fresh('Failed', 'FailedIndexes', 'Job has failed indexes');
}

function enoughIndexes(job: Job, { indexes }: Count): JobEnd | undefined {
  const { successPolicy, completions = 0 } = job.spec ?? {};
  const message = indexes && satisfiedRule(successPolicy, completions, indexes.succeeded);
  return message === undefined ? undefined : fresh('Complete', 'SuccessPolicy', message);
}

/** compat cluster 5.4: without a number of completions, one success and no active pod complete the job. */
export function completion(job: Job, succeeded: number, active: number): JobEnd | undefined {
  const { completions } = job.spec ?? {};
  const isEnough = completions === undefined ? succeeded > 0 : succeeded >= completions;
  if (!isEnough || active > 0) return undefined;
  return fresh('Complete', 'CompletionsReached', 'Reached expected number of succeeded pods');
}
