import {
  type Condition,
  conditionOf,
  controllerOf,
  type KubeObject,
  type LabelSelector,
  parseTime,
  printTime,
  setCondition,
} from '#model';
import { jobKind, podKind } from './kinds.ts';
import { isActive, isReady, type Pod, type PodTemplate, phaseOf } from './pod/view.ts';
import { ownerKey, positive } from './replica-set.ts';
import { podFrom, podName } from './replicas.ts';
import { type Again, type Controller, keyOfObject, nowOf, sooner, type World } from './world.ts';
import {
  all,
  change,
  controlled,
  controllerManager,
  discard,
  isDeleting,
  look,
  writeStatus,
} from './write.ts';

export type Job = KubeObject<JobSpec, JobStatus>;

type JobSpec = {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: 'NonIndexed' | 'Indexed';
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
};

type JobStatus = {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly uncountedTerminatedPods?: object;
  readonly conditions?: readonly Condition[];
};

const tracking = 'batch.kubernetes.io/job-tracking';
const indexNote = 'batch.kubernetes.io/job-completion-index';

/** Runs pods until enough of them have succeeded, or too many have failed. */
export const jobController: Controller = {
  type: jobKind,
  wakes: [{ type: podKind, keys: (_world, event) => ownerKey('Job', event) }],
  async reconcile(world, object): Promise<Again | undefined> {
    const job = object as Job;
    if (isDeleting(job)) return releasePods(world, job);
    if (isFinished(job)) return afterwards(world, job);
    const count = await countPods(world, job);
    const verdict = judge(world, job, count);
    if (verdict) return finish(world, job, count, verdict);
    if (job.spec?.suspend === true) return suspend(world, job, count);
    const again = await keepRunning(world, job, count);
    await report(world, job, count, {});
    return sooner(again, deadlineOf(world, job));
  },
  /** compat 5.4: pods that outlive their job are counted by nobody. */
  async gone(world, { namespace, name }) {
    const orphans = all(world, podKind, namespace).filter((pod) => {
      const owner = controllerOf(pod);
      return owner?.kind === 'Job' && owner.name === name && isTracked(pod);
    });
    await Promise.all(orphans.map((pod) => letGo(world, pod)));
  },
};

/** How a job ended, also for whoever waits for it. */
export const isFinished = (job: KubeObject): boolean =>
  (job as Job).status?.conditions?.some(({ type, status }) => isFinal(type) && status === 'True') === true;

const isFinal = (type: string): boolean => type === 'Complete' || type === 'Failed';

type Count = {
  readonly active: readonly KubeObject[];
  readonly succeeded: number;
  readonly failed: number;
  readonly terminating: number;
  readonly indexes: ReadonlySet<string>;
};

const isOver = (pod: KubeObject): boolean => phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed';
const isTracked = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(tracking) === true;

/**
 * compat 5.4: a finished pod is counted once, then let go. The finalizer says that it has not been counted; the count
 * is written first, so a crash in between can at worst leave a pod that is counted and still held, which the list of
 * uncounted uids tells apart.
 */
async function countPods(world: World, job: Job): Promise<Count> {
  const pods = controlled(world, job, podKind);
  const held = uncountedOf(job);
  const fresh = pods.filter((pod) => isOver(pod) && isTracked(pod) && !held.has(pod.metadata.uid ?? ''));
  const failed = (job.status?.failed ?? 0) + fresh.filter((pod) => phaseOf(pod) === 'Failed').length;
  const good = fresh.filter((pod) => phaseOf(pod) === 'Succeeded');
  const indexes = new Set([
    ...indexesOf(job),
    ...good.flatMap(({ metadata }) => metadata.annotations?.[indexNote] ?? []),
  ]);
  const count = {
    active: pods.filter(isActive),
    succeeded:
      job.spec?.completionMode === 'Indexed' ? indexes.size : (job.status?.succeeded ?? 0) + good.length,
    failed,
    terminating: pods.filter((pod) => isDeleting(pod) && !isOver(pod)).length,
    indexes,
  };
  if (fresh.length > 0) await report(world, job, count, { uncountedTerminatedPods: uncounted(fresh) });
  const over = pods.filter((pod) => isOver(pod) && isTracked(pod));
  await Promise.all(over.map((pod) => letGo(world, pod)));
  return count;
}

function uncountedOf({ status }: Job): ReadonlySet<string> {
  const { succeeded = [], failed = [] } = (status?.uncountedTerminatedPods ?? {}) as Record<string, string[]>;
  return new Set([...succeeded, ...failed]);
}

function uncounted(pods: readonly KubeObject[]): object {
  const uids = (phase: string) =>
    pods.filter((pod) => phaseOf(pod) === phase).map(({ metadata }) => metadata.uid ?? '');
  const [succeeded, failed] = [uids('Succeeded'), uids('Failed')];
  return { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) };
}

async function letGo(world: World, pod: KubeObject): Promise<void> {
  const left = (pod.metadata.finalizers ?? []).filter((one) => one !== tracking);
  await change(world, pod, { metadata: { finalizers: left.length > 0 ? left : null } });
}

async function releasePods(world: World, job: Job): Promise<undefined> {
  await Promise.all(
    controlled(world, job, podKind)
      .filter(isTracked)
      .map((pod) => letGo(world, pod)),
  );
  return undefined;
}

type Verdict = { readonly type: 'Complete' | 'Failed'; readonly reason: string; readonly message: string };

function judge(world: World, { spec = {}, status }: Job, count: Count): Verdict | undefined {
  const { backoffLimit = 6, completions, activeDeadlineSeconds } = spec;
  const inPlace = restarts(count.active);
  if (count.failed > backoffLimit || (inPlace > 0 && inPlace >= backoffLimit)) {
    return {
      type: 'Failed',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
  }
  const started = parseTime(status?.startTime);
  if (
    activeDeadlineSeconds !== undefined &&
    started !== undefined &&
    nowOf(world) >= started + activeDeadlineSeconds * 1000
  ) {
    return {
      type: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    };
  }
  const isEnough =
    completions === undefined
      ? count.succeeded > 0 && count.active.length === 0
      : count.succeeded >= completions;
  if (!isEnough) return undefined;
  return {
    type: 'Complete',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
}

/** compat 5.4: pods that restart in place count their restarts. */
const restarts = (pods: readonly KubeObject[]): number =>
  (pods as Pod[])
    .filter(({ spec }) => spec?.restartPolicy === 'OnFailure')
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);

async function finish(world: World, job: Job, count: Count, verdict: Verdict): Promise<Again | undefined> {
  const { type, reason, message } = verdict;
  const sign = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const words = { status: 'True', reason, message };
  const now = world.clock.now();
  const first = dated(job.status?.conditions ?? [], { type: sign, ...words }, now);
  if (conditionOf(job.status?.conditions, sign) === undefined)
    await report(world, job, count, { conditions: first });
  await Promise.all(count.active.map((pod) => discard(world, pod)));
  const left = controlled(world, job, podKind).filter((pod) => !isOver(pod));
  if (left.length > 0) return undefined;
  const completionTime = type === 'Complete' ? { completionTime: printTime(now) } : {};
  const newest = await countPods(world, latest(world, job));
  await report(world, job, newest, { conditions: dated(first, { type, ...words }, now), ...completionTime });
  await world.events.tell(job, {
    type: type === 'Complete' ? 'Normal' : 'Warning',
    reason: type === 'Complete' ? 'Completed' : reason,
    message: type === 'Complete' ? 'Job completed' : message,
    component: 'job-controller',
  });
  return { at: now.getTime() };
}

const dated = (conditions: readonly Condition[], next: Condition, now: Date): readonly Condition[] =>
  setCondition(conditions, { ...next, lastTransitionTime: printTime(now) }, now).map((one) =>
    one.type === next.type ? ({ ...one, lastProbeTime: one.lastTransitionTime } as Condition) : one,
  );

const latest = (world: World, job: Job): Job =>
  (look(world, jobKind, keyOfObject(job)) as Job | undefined) ?? job;

async function suspend(world: World, job: Job, count: Count): Promise<undefined> {
  await Promise.all(count.active.map((pod) => discard(world, pod)));
  const words = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
  await report(
    world,
    job,
    { ...count, active: [] },
    {
      startTime: undefined,
      conditions: dated(job.status?.conditions ?? [], words, world.clock.now()),
    },
  );
  return undefined;
}

/** Starts what is missing, after a growing pause when some have failed. */
async function keepRunning(world: World, job: Job, count: Count): Promise<Again | undefined> {
  const { parallelism = 1, completions } = job.spec ?? {};
  const open = completions === undefined ? parallelism : completions - count.succeeded;
  // compat 5.4: without a number of completions, the first success ends the recruiting
  const wanted =
    completions === undefined && count.succeeded > 0 ? count.active.length : Math.min(parallelism, open);
  if (count.active.length > wanted) {
    await Promise.all(count.active.slice(wanted).map((pod) => discard(world, pod)));
    return undefined;
  }
  const missing = wanted - count.active.length - count.terminating;
  if (missing <= 0) return undefined;
  const pause = pauseUntil(world, job, count);
  if (pause > nowOf(world)) return { at: pause };
  const free = freeIndexes(job, count);
  await Promise.all(Array.from({ length: missing }, (_, i) => addPod(world, job, i, free[i])));
  return undefined;
}

/** compat 5.4: 10 s, 20 s, 40 s … after the last failure. */
function pauseUntil(world: World, job: Job, { failed }: Count): number {
  if (failed === 0) return 0;
  const ends = (controlled(world, job, podKind) as Pod[])
    .filter((pod) => phaseOf(pod) === 'Failed')
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .map(({ state }) => parseTime(state.terminated?.finishedAt) ?? 0);
  return Math.max(0, ...ends) + Math.min(600_000, 10_000 * 2 ** (failed - 1));
}

function freeIndexes(job: Job, count: Count): readonly string[] {
  if (job.spec?.completionMode !== 'Indexed') return [];
  const taken = new Set([
    ...count.indexes,
    ...count.active.map(({ metadata }) => metadata.annotations?.[indexNote]),
  ]);
  const every = Array.from({ length: job.spec.completions ?? 0 }, (_, i) => String(i));
  return every.filter((index) => !taken.has(index));
}

async function addPod(world: World, job: Job, ordinal: number, index: string | undefined): Promise<void> {
  const name = podName(world, job, ordinal);
  const indexed =
    index === undefined ? {} : { annotations: { [indexNote]: index }, labels: { [indexNote]: index } };
  const pod = podFrom(job, job.spec?.template ?? {}, name, { finalizers: [tracking], ...indexed });
  await world.objects.create(pod, controllerManager);
  const message = `Created pod: ${name}`;
  await world.events.tell(job, {
    type: 'Normal',
    reason: 'SuccessfulCreate',
    message,
    component: 'job-controller',
  });
}

async function report(
  world: World,
  job: Job,
  count: Count,
  more: Partial<JobStatus> | { startTime: undefined },
): Promise<void> {
  const newest = latest(world, job);
  const active = controlled(world, newest, podKind).filter(isActive);
  const conditions = newest.status?.conditions?.map((one) =>
    one.type === 'Suspended' && newest.spec?.suspend !== true
      ? { ...one, status: 'False', reason: 'JobResumed', message: 'Job resumed' }
      : one,
  );
  const status = {
    startTime: newest.status?.startTime ?? printTime(world.clock.now()),
    ...(conditions && { conditions }),
    ...positive({ active: active.length, succeeded: count.succeeded, failed: count.failed }),
    ready: active.filter(isReady).length,
    terminating: count.terminating,
    ...(newest.spec?.completionMode === 'Indexed' && { completedIndexes: [...count.indexes].join(',') }),
    uncountedTerminatedPods: {},
    ...more,
  };
  await writeStatus(world, newest, status);
}

const indexesOf = ({ status }: Job): readonly string[] =>
  (status?.completedIndexes ?? '').split(',').filter((index) => index !== '');

function deadlineOf(world: World, job: Job): Again | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined) return undefined;
  const started = parseTime(latest(world, job).status?.startTime) ?? nowOf(world);
  return { at: started + activeDeadlineSeconds * 1000 };
}

/** compat 5.4: a finished job may be told to clean up after itself. */
async function afterwards(world: World, job: Job): Promise<Again | undefined> {
  await releasePods(world, job);
  const { ttlSecondsAfterFinished } = job.spec ?? {};
  if (ttlSecondsAfterFinished === undefined) return undefined;
  const ended = job.status?.conditions?.find(({ type, status }) => isFinal(type) && status === 'True');
  const at = (parseTime(ended?.lastTransitionTime) ?? nowOf(world)) + ttlSecondsAfterFinished * 1000;
  if (nowOf(world) < at) return { at };
  await discard(world, job);
  return undefined;
}
