import { matches, selectorOf } from '#model';
import { isObject, type JsonObject } from '#schema';
import { equal } from '#std';
import type { Check } from './check.ts';
import { scheduleProblem } from './cron.ts';
import { checkPodTemplate } from './workloads.ts';

export function checkJob(job: Check): void {
  const spec = job.field('spec');
  checkJobSpec(spec);
  if (spec.field('manualSelector').value === true) checkOwnSelector(spec);
  else checkGenerated(job);
  checkJobTemplate(spec.field('template'));
}

function checkJobSpec(spec: Check): void {
  const numbers = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ];
  for (const field of numbers) spec.field(field).notNegative();
  const mode = spec.field('completionMode');
  mode.oneOf(['NonIndexed', 'Indexed']);
  if (mode.value === 'Indexed' && !spec.field('completions').isSet) {
    spec.field('completions').lacking('when completion mode is Indexed');
  }
}

function checkOwnSelector(spec: Check): void {
  const selector = spec.field('selector');
  const labels = spec.field('template').field('metadata').field('labels');
  if (!selector.isSet) selector.lacking();
  const isMatched =
    selector.isSet && matches(selectorOf(selector.object), labels.object as Record<string, string>);
  if (!isMatched) labels.invalid('`selector` does not match template `labels`', labels.value ?? null);
}

/** compat 3.12: nobody else writes what the server makes itself. */
function checkGenerated(job: Check): void {
  const selector = job.field('spec').field('selector');
  const uid = 'batch.kubernetes.io/controller-uid';
  const { matchLabels, ...more } = selector.object as { matchLabels?: JsonObject };
  const isOwn = Object.keys(matchLabels ?? {}).join() === uid && Object.keys(more).length === 0;
  if (!isOwn) selector.invalid('`selector` not auto-generated');
}

function checkJobTemplate(template: Check): void {
  checkPodTemplate(template);
  const policy = template.field('spec').field('restartPolicy');
  if (!policy.isSet || policy.value === 'Always') policy.lacking('valid values: "OnFailure", "Never"');
}

export function checkCronJob(cronJob: Check): void {
  const name = cronJob.field('metadata').field('name');
  if (name.text.length > 52) name.invalid('must be no more than 52 characters');
  const spec = cronJob.field('spec');
  checkSchedule(spec.field('schedule'));
  spec.field('startingDeadlineSeconds').notNegative();
  checkZone(spec.field('timeZone'));
  spec.field('concurrencyPolicy').oneOf(['Allow', 'Forbid', 'Replace']);
  const job = spec.field('jobTemplate').field('spec');
  checkJobSpec(job);
  checkJobTemplate(job.field('template'));
  spec.field('successfulJobsHistoryLimit').notNegative();
  spec.field('failedJobsHistoryLimit').notNegative();
}

function checkSchedule(schedule: Check): void {
  if (!schedule.isSet) {
    schedule.lacking();
    return;
  }
  if (/TZ=/.test(schedule.text)) {
    schedule.invalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
    return;
  }
  const problem = scheduleProblem(schedule.text);
  if (problem !== undefined) schedule.invalid(problem);
}

function checkZone(zone: Check): void {
  if (zone.value === undefined) return;
  if (zone.value === '') zone.invalid('timeZone must be nil or non-empty string');
  else if (!isZone(zone.text)) zone.invalid(`unknown time zone ${zone.text}`);
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

export function keepJob(next: Check, live: Check): void {
  const spec = next.field('spec');
  const old = live.field('spec');
  if (old.field('completionMode').value !== 'Indexed') {
    spec.field('completions').immutable(old.field('completions').value);
  }
  spec.field('selector').immutable(old.field('selector').value);
  if (old.field('suspend').value !== true) spec.field('template').immutable(old.field('template').value);
  else keepHeldTemplate(spec.field('template'), old.field('template'));
  spec.field('completionMode').immutable(old.field('completionMode').value);
}

const heldMayChange = new Set(['nodeSelector', 'tolerations', 'affinity', 'schedulingGates']);

/** compat 3.13: while a Job waits, it may still be told where its pods go. */
function keepHeldTemplate(next: Check, live: Check): void {
  const fixed = (template: Check) =>
    Object.entries(template.field('spec').object).filter(([key]) => !heldMayChange.has(key));
  if (!equal(withoutResources(fixed(next)), withoutResources(fixed(live)))) {
    next.field('spec').invalid('field is immutable');
  }
}

const withoutResources = (entries: readonly [string, unknown][]): unknown =>
  entries.map(([key, value]) => [
    key,
    Array.isArray(value) && /ontainers$/.test(key)
      ? value.map((one) => (isObject(one) ? { ...one, resources: {} } : one))
      : value,
  ]);
