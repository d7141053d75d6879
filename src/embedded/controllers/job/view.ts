import type { Condition, KubeObject, LabelSelector } from '#base/model';
import { type PodTemplate, phaseOf } from '../pod/view.ts';
import { isDeleting } from '../write.ts';
import type { FailurePolicy } from './failure-policy.ts';
import type { SuccessPolicy } from './success-policy.ts';

export type Job = KubeObject<JobSpec, JobStatus>;

type JobSpec = {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: 'NonIndexed' | 'Indexed';
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly managedBy?: string;
  readonly podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed';
  readonly podFailurePolicy?: FailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
};

export type JobStatus = {
  readonly startTime?: string | undefined;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: Uncounted;
  readonly conditions?: readonly Condition[];
};

/** Finished pods, by uid, that are recorded but still have their finalizer. */
export type Uncounted = { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };

export const indexNote = 'batch.kubernetes.io/job-completion-index';
const tracking = 'batch.kubernetes.io/job-tracking';

/** The finalizer of pods that are not counted yet. */
export const trackingFinalizer = tracking;
export const isTracked = ({ metadata }: KubeObject): boolean =>
  metadata.finalizers?.includes(tracking) === true;

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === 'Indexed';
export const isSuspended = ({ spec }: Job): boolean => spec?.suspend === true;
export const isPerIndex = (job: Job): boolean =>
  isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;

/** The pod's completion index; undefined when it has no valid one. */
export function indexOf(job: Job, { metadata }: KubeObject): number | undefined {
  const index = Number(metadata.annotations?.[indexNote] ?? Number.NaN);
  return Number.isInteger(index) && index >= 0 && index < (job.spec?.completions ?? 0) ? index : undefined;
}

/** compat cluster 5.4: a terminating pod counts as failed, unless only finished pods are replaced. */
export const waitsForEnd = ({ spec }: Job): boolean =>
  spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;

export const hasSucceeded = (pod: KubeObject): boolean => phaseOf(pod) === 'Succeeded';
export const hasFailed = (job: Job, pod: KubeObject): boolean =>
  phaseOf(pod) === 'Failed' || (!waitsForEnd(job) && isDeleting(pod) && !hasSucceeded(pod));

const isFinal = (type: string): boolean => type === 'Complete' || type === 'Failed';

/** The condition a finished job ended with. */
export const endOf = (job: KubeObject): Condition | undefined =>
  (job as Job).status?.conditions?.find(({ type, status }) => isFinal(type) && status === 'True');
