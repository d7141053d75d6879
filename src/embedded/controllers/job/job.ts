import { type Condition, conditionOf, controllerOf, parseTime, printTime } from '#base/model';
import { jobKind, podKind } from '../kinds.ts';
import { ownerKey } from '../replica-set.ts';
import {
  type Controller,
  type NextPass,
  nowOf,
  refOf,
  type SimulationContext,
  sooner,
} from '../simulation-context.ts';
import { all, controlled, controllerManager, isDeleting } from '../write.ts';
import { type Count, countPods } from './count.ts';
import { type JobPods, letGo, managePods, recordJobEvent, removePods } from './pods.ts';
import { dated, track } from './track.ts';
import { completion, deadlineOf, judge } from './verdict.ts';
import { endOf, isSuspended, isTracked, type Job } from './view.ts';

/** Runs pods until enough of them have succeeded, or too many have failed. */
export const jobController: Controller = {
  type: jobKind,
  wakes: [{ type: podKind, keys: (_context, event) => ownerKey('Job', event) }],
  async reconcile(context, object): Promise<NextPass | undefined> {
    const job = object as Job;
    const { managedBy = 'kubernetes.io/job-controller' } = job.spec ?? {};
    if (managedBy !== 'kubernetes.io/job-controller') return undefined;
    return endOf(job) ? afterwards(context, job) : sync(context, job);
  },
  /** compat cluster 5.4: pods that outlive their job are not counted; their finalizer is removed. */
  async gone(context, { namespace, name }) {
    const orphans = all(context, podKind, namespace).filter((pod) => {
      const owner = controllerOf(pod);
      return owner?.kind === 'Job' && owner.name === name && isTracked(pod);
    });
    await Promise.all(orphans.map((pod) => letGo(context, pod)));
  },
};

async function sync(context: SimulationContext, job: Job): Promise<NextPass | undefined> {
  const now = printTime(context.clock.now());
  const started = isSuspended(job) ? job.status?.startTime : (job.status?.startTime ?? now);
  const running = { ...job, status: { ...job.status, startTime: started } };
  const count = countPods(context, running);
  const judged = judge(context, running, count);
  const managed = await manage(context, running, count, judged !== undefined);
  const verdict = judged ?? completion(job, count.succeeded, managed.active); // also of one that is being deleted
  const before = job.status?.conditions ?? [];
  const said = verdict || isDeleting(job) ? undefined : suspension(context, job, before);
  const { conditions, startTime } = said ?? { conditions: before, startTime: started };
  await track(context, job, { count, managed, verdict, conditions, startTime });
  if (said) await recordJobEvent(context, job, said.reason, said.message);
  const deadline = deadlineOf(running);
  return verdict ? undefined : sooner(managed.again, deadline === undefined ? undefined : { at: deadline });
}

function manage(context: SimulationContext, job: Job, count: Count, isJudged: boolean): Promise<JobPods> {
  if (isJudged) return removePods(context, job, count, count.active);
  if (isDeleting(job)) {
    const { active, ready, terminating } = count;
    return Promise.resolve({ active: active.length, ready, terminating });
  }
  return managePods(context, job, count);
}

type Suspension = {
  readonly conditions: readonly Condition[];
  readonly startTime: string | undefined;
  readonly reason: 'Suspended' | 'Resumed';
  readonly message: string;
};

/**
 * compat cluster 5.4: suspending clears the start time, resuming sets a new one; a job that was never suspended
 * gets no condition.
 */
function suspension(
  context: SimulationContext,
  job: Job,
  before: readonly Condition[],
): Suspension | undefined {
  const old = conditionOf(before, 'Suspended');
  const is = isSuspended(job);
  if ((old?.status === 'True') === is) return undefined;
  const words = is
    ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const next = dated(context, 'Suspended', words);
  return {
    conditions: old ? before.map((one) => (one === old ? next : one)) : [...before, next],
    startTime: is ? undefined : printTime(context.clock.now()),
    reason: is ? 'Suspended' : 'Resumed',
    message: words.message,
  };
}

/**
 * compat cluster 5.4: a finished job with ttlSecondsAfterFinished is deleted when that has passed, its pods first.
 */
async function afterwards(context: SimulationContext, job: Job): Promise<NextPass | undefined> {
  const left = controlled(context, job, podKind).filter(isTracked);
  await Promise.all(left.map((pod) => letGo(context, pod)));
  const { ttlSecondsAfterFinished } = job.spec ?? {};
  if (ttlSecondsAfterFinished === undefined || isDeleting(job)) return undefined;
  const ended = parseTime(endOf(job)?.lastTransitionTime) ?? nowOf(context);
  const at = ended + ttlSecondsAfterFinished * 1000;
  if (nowOf(context) < at) return { at };
  const { uid } = job.metadata;
  const options = {
    propagationPolicy: 'Foreground',
    ...(uid !== undefined && { preconditions: { uid } }),
  } as const;
  await context.objects.remove(refOf(job), options, controllerManager);
  return undefined;
}
