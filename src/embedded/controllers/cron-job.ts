import { type KubeObject, type ObjectMeta, parseTime, printTime } from '#base/model';
import { FairleadError, findTimeZone, type TimeZone, utcZone } from '#base/std';
import { nextTime, parseJobSchedule } from '#lang/cron';
import { endOf, type Job } from './job/view.ts';
import { cronJobKind, jobKind } from './kinds.ts';
import { ownerKey } from './replica-set.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
} from './simulation-context.ts';
import {
  controlled,
  controllerManager,
  discard,
  isDeleting,
  isReason,
  ownedMeta,
  storedObject,
  writeStatus,
} from './write.ts';

type CronJob = KubeObject<CronJobSpec, CronJobStatus>;
type CronJobSpec = {
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly suspend?: boolean;
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  readonly startingDeadlineSeconds?: number;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate?: { readonly metadata?: Partial<ObjectMeta>; readonly spec?: object };
};
type CronJobStatus = {
  readonly active?: readonly { readonly uid?: string }[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
};

const component = 'cronjob-controller';

/** Creates a job at each time of the schedule. */
export const cronJobController: Controller = {
  type: cronJobKind,
  wakes: [{ type: jobKind, keys: (_context, event) => ownerKey('CronJob', event) }],
  async reconcile(context, object): Promise<NextPass | undefined> {
    const cronJob = object as CronJob;
    if (isDeleting(cronJob)) return undefined;
    await tidy(context, cronJob);
    const due = cronJob.spec?.suspend === true ? {} : dueOf(context, cronJob);
    await recordMissed(context, cronJob, due.missed ?? 0);
    const scheduled = due.at === undefined ? undefined : await start(context, cronJob, due.at);
    await report(context, cronJob, scheduled);
    return due.next === undefined ? undefined : { at: due.next };
  },
};

type Due = { readonly at?: number | undefined; readonly next?: number | undefined; readonly missed?: number };

/**
 * The latest scheduled time that is due and has no job yet, the next one after now, and roughly how many were
 * missed.
 */
function dueOf(context: SimulationContext, { metadata, spec = {}, status }: CronJob): Due {
  const now = nowOf(context);
  const { schedule = '', timeZone, startingDeadlineSeconds: deadline } = spec;
  const zone = zoneOf(timeZone);
  const cron = parseJobSchedule(schedule);
  const since = parseTime(status?.lastScheduleTime) ?? parseTime(metadata.creationTimestamp) ?? now;
  const earliest = deadline === undefined ? since : Math.max(since, now - deadline * 1000);
  const first = nextTime(cron, earliest, zone);
  if (first === undefined || first > now) return { next: first };
  let at = latest(cron, first, now, zone);
  let next = nextTime(cron, at, zone);
  while (next !== undefined && next <= now) {
    at = next;
    next = nextTime(cron, next, zone);
  }
  const second = nextTime(cron, first, zone) ?? now;
  const missed = second > now ? 0 : Math.floor((now - first) / (second - first)) + 1;
  return { at, next, missed };
}

function zoneOf(name: string | undefined): TimeZone {
  const zone = name === undefined ? utcZone : findTimeZone(name);
  if (!zone) throw new FairleadError('InvalidSpec', `unknown time zone "${name}"`);
  return zone;
}

const day = 86_400_000;

/** A time shortly before the last one that is due: years of missed minutes are not counted one by one. */
function latest(
  cron: ReturnType<typeof parseJobSchedule>,
  first: number,
  now: number,
  zone: TimeZone,
): number {
  for (let back = day; now - back > first; back *= 2) {
    const found = nextTime(cron, now - back, zone);
    if (found !== undefined && found <= now) return found;
  }
  return first;
}

/**
 * compat cluster 5.4: more missed times than this are reported as a problem; the job for the latest is created all
 * the same.
 */
const tooMany = 100;
const warning =
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';

async function recordMissed(context: SimulationContext, cronJob: CronJob, missed: number): Promise<void> {
  if (missed <= tooMany) return;
  const reported = { type: 'Warning', reason: 'TooManyMissedTimes', message: warning, component } as const;
  await context.events.record(cronJob, reported);
}

const jobsOf = (context: SimulationContext, cronJob: CronJob): Job[] =>
  controlled(context, cronJob, jobKind) as Job[];
const running = (jobs: readonly Job[]): Job[] => jobs.filter((job) => !endOf(job) && !isDeleting(job));

/** compat cluster 5.4: the name contains the minute, so that no minute gets two jobs. */
async function start(context: SimulationContext, cronJob: CronJob, at: number): Promise<string | undefined> {
  const active = running(jobsOf(context, cronJob));
  const { concurrencyPolicy = 'Allow', jobTemplate = {} } = cronJob.spec ?? {};
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    await context.events.record(cronJob, { type: 'Normal', reason: 'JobAlreadyActive', message, component });
    return undefined;
  }
  if (concurrencyPolicy === 'Replace') await discardAll(context, cronJob, active);
  const name = `${cronJob.metadata.name.slice(0, 52)}-${Math.floor(at / 60_000)}`;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const job = {
    ...jobKind,
    metadata: ownedMeta(cronJob, {
      name,
      ...(labels && { labels }),
      annotations: {
        ...annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': printTime(new Date(at)),
      },
    }),
    spec: jobTemplate.spec ?? {},
  };
  try {
    await context.objects.create(job, controllerManager);
    const message = `Created job ${name}`;
    await context.events.record(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message, component });
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
  }
  return printTime(new Date(at));
}

async function report(
  context: SimulationContext,
  cronJob: CronJob,
  scheduled: string | undefined,
): Promise<void> {
  const newest = storedObject(context, cronJobKind, keyOfObject(cronJob)) as CronJob | undefined;
  if (!newest) return;
  const jobs = jobsOf(context, newest);
  await recordEnds(context, newest, jobs);
  const active = running(jobs).map(({ apiVersion, kind, metadata }) => {
    const { name, namespace, uid, resourceVersion } = metadata;
    return { apiVersion, kind, name, namespace, uid, resourceVersion };
  });
  const ends = jobs.map(({ status }) => status?.completionTime ?? '').sort();
  const last = [newest.status?.lastSuccessfulTime ?? '', ends.at(-1) ?? ''].sort().at(-1);
  const lastScheduleTime = scheduled ?? newest.status?.lastScheduleTime;
  await writeStatus(context, newest, {
    ...(active.length > 0 && { active }),
    ...(lastScheduleTime && { lastScheduleTime }),
    ...(last && { lastSuccessfulTime: last }),
  });
}

/** compat cluster 5.4: the end of a job is recorded as an event when the job leaves the list of active jobs. */
async function recordEnds(context: SimulationContext, cronJob: CronJob, jobs: readonly Job[]): Promise<void> {
  const listed = new Set((cronJob.status?.active ?? []).map(({ uid }) => uid));
  for (const job of jobs.filter(({ metadata }) => listed.has(metadata.uid))) {
    const end = endOf(job);
    if (!end) continue;
    const message = `Saw completed job: ${job.metadata.name}, condition: ${end.type}`;
    await context.events.record(cronJob, { type: 'Normal', reason: 'SawCompletedJob', message, component });
  }
}

/** Keeps the configured number of the latest successful jobs, and of the latest failed ones. */
async function tidy(context: SimulationContext, cronJob: CronJob): Promise<void> {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec ?? {};
  const ended = jobsOf(context, cronJob)
    .filter(endOf)
    .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1));
  const good = ended.filter(({ status }) => status?.completionTime !== undefined);
  const bad = ended.filter(({ status }) => status?.completionTime === undefined);
  const surplus = [
    ...good.slice(0, Math.max(0, good.length - successfulJobsHistoryLimit)),
    ...bad.slice(0, Math.max(0, bad.length - failedJobsHistoryLimit)),
  ];
  await discardAll(context, cronJob, surplus);
}

async function discardAll(context: SimulationContext, cronJob: CronJob, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    await discard(context, job);
    const message = `Deleted job ${job.metadata.name}`;
    await context.events.record(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message, component });
  }
}
