import { dnsLabelProblems, matches, selectorOf } from '#base/model';
import { equal, findTimeZone } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { jobScheduleFault } from '#lang/cron';
import type { FieldCheck } from './check.ts';
import { checkFailurePolicy, checkSuccessPolicy } from './job-policies.ts';
import { checkSelectorFields } from './selector.ts';
import { checkPodTemplate } from './workloads.ts';

export function checkJob(job: FieldCheck): void {
  const spec = job.field('spec');
  if (spec.field('manualSelector').value !== true) checkGenerated(job);
  checkJobSpec(spec);
  checkJobTemplate(spec);
  checkSelector(spec);
  const name = job.field('metadata').field('name');
  const completions = Number(spec.field('completions').value ?? 0);
  if (spec.field('completionMode').value !== 'Indexed' || completions < 1) return;
  const last = `${name.text}-${completions - 1}`;
  if (dnsLabelProblems(last).length > 0) {
    name.invalid(`will not able to create pod with invalid DNS label: ${last}`, name.text);
  }
}

function checkJobSpec(spec: FieldCheck): void {
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
  if (spec.field('maxFailedIndexes').isSet && !spec.field('backoffLimitPerIndex').isSet) {
    spec.field('backoffLimitPerIndex').lacking('when maxFailedIndexes is specified');
  }
  const mode = spec.field('completionMode');
  mode.oneOf(['NonIndexed', 'Indexed']);
  checkIndexes(spec, mode.value === 'Indexed');
  if (spec.field('podFailurePolicy').isSet) checkFailurePolicy(spec);
  const success = spec.field('successPolicy');
  if (success.isSet && mode.value === 'Indexed') checkSuccessPolicy(spec);
  else if (success.isSet) success.invalid('requires indexed completion mode');
  const replacement = spec.field('podReplacementPolicy');
  if (replacement.isSet) {
    const known = spec.field('podFailurePolicy').isSet ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
    // compat cluster 3.13: the real server reports it at the field's parent
    if (!known.includes(replacement.text)) replacement.unsupported(known);
  }
}

function checkIndexes(spec: FieldCheck, isIndexed: boolean): void {
  const [completions, perIndex] = [spec.field('completions'), spec.field('backoffLimitPerIndex')];
  const most = spec.field('maxFailedIndexes');
  if (isIndexed) {
    if (!completions.isSet) completions.lacking('when completion mode is Indexed');
    if (completions.isSet && Number(most.value ?? 0) > Number(completions.value)) {
      most.invalid('must be less than or equal to completions');
    }
    return;
  }
  for (const field of [perIndex, most]) if (field.isSet) field.invalid('requires indexed completion mode');
}

function checkSelector(spec: FieldCheck): void {
  const selector = spec.field('selector');
  const labels = spec.field('template').field('metadata').field('labels');
  if (selector.isSet) checkSelectorFields(selector);
  else selector.lacking();
  const isMatched =
    selector.isSet && matches(selectorOf(selector.object), labels.object as Record<string, string>);
  if (!isMatched) labels.invalid('`selector` does not match template `labels`', labels.value ?? null);
}

/** compat cluster 3.12: without manualSelector the selector must be the generated one. */
function checkGenerated(job: FieldCheck): void {
  const selector = job.field('spec').field('selector');
  if (!selector.isSet) return;
  const uid = 'batch.kubernetes.io/controller-uid';
  const { matchLabels, ...more } = selector.object as { matchLabels?: JsonObject };
  const isOwn = Object.keys(matchLabels ?? {}).join() === uid && Object.keys(more).length === 0;
  if (!isOwn) selector.invalid('`selector` not auto-generated');
}

function checkJobTemplate(spec: FieldCheck): void {
  const template = spec.field('template');
  checkPodTemplate(template);
  const policy = template.field('spec').field('restartPolicy');
  if (!policy.isSet || policy.value === 'Always') policy.lacking('valid values: "OnFailure", "Never"');
  else if (policy.value !== 'OnFailure' && policy.value !== 'Never') {
    policy.unsupported(['OnFailure', 'Never']);
  } else if (spec.field('podFailurePolicy').isSet && policy.value !== 'Never') {
    policy.invalid('only "Never" is supported when podFailurePolicy is specified');
  }
}

export function checkCronJob(cronJob: FieldCheck): void {
  const name = cronJob.field('metadata').field('name');
  if (name.text.length > 52) name.invalid('must be no more than 52 characters');
  const spec = cronJob.field('spec');
  checkSchedule(spec.field('schedule'));
  spec.field('startingDeadlineSeconds').notNegative();
  checkZone(spec.field('timeZone'));
  spec.field('concurrencyPolicy').oneOf(['Allow', 'Forbid', 'Replace']);
  const job = spec.field('jobTemplate').field('spec');
  checkJobSpec(job);
  checkJobTemplate(job);
  spec.field('successfulJobsHistoryLimit').notNegative();
  spec.field('failedJobsHistoryLimit').notNegative();
}

function checkSchedule(schedule: FieldCheck): void {
  if (!schedule.isSet) {
    schedule.lacking();
    return;
  }
  if (/TZ=/.test(schedule.text)) {
    schedule.invalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
    return;
  }
  const problem = jobScheduleFault(schedule.text);
  if (problem !== undefined) schedule.invalid(problem);
}

function checkZone(zone: FieldCheck): void {
  if (zone.value === undefined) return;
  if (zone.value === '') {
    zone.invalid('timeZone must be nil or non-empty string');
    return;
  }
  if (/^local$/i.test(zone.text)) {
    zone.invalid('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  }
  if (!findTimeZone(zone.text)) zone.invalid(`unknown time zone ${zone.text}`);
}

export function keepJob(next: FieldCheck, live: FieldCheck): void {
  const spec = next.field('spec');
  const old = live.field('spec');
  keepCompletions(spec, old);
  spec.field('selector').immutable(old.field('selector').value);
  if (old.field('suspend').value !== true) spec.field('template').immutable(old.field('template').value);
  else keepHeldTemplate(spec.field('template'), old.field('template'));
  for (const field of [
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ]) {
    spec.field(field).immutable(old.field(field).value);
  }
}

function keepCompletions(spec: FieldCheck, old: FieldCheck): void {
  const completions = spec.field('completions');
  if (spec.field('completionMode').value !== 'Indexed') {
    completions.immutable(old.field('completions').value);
    return;
  }
  const isSame = equal(completions.value, old.field('completions').value);
  if (!isSame && completions.isSet && completions.value !== spec.field('parallelism').value) {
    completions.invalid('can only be modified in tandem with spec.parallelism');
  }
}

const heldMayChange = new Set(['nodeSelector', 'tolerations', 'affinity', 'schedulingGates']);

/** compat cluster 3.13: the scheduling fields of a suspended Job's template may change. */
function keepHeldTemplate(next: FieldCheck, live: FieldCheck): void {
  const fixed = (template: FieldCheck) =>
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
