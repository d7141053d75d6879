import { matches, type Selector, selectorOf } from '#model';
import { isObject, type JsonObject } from '#schema';
import { equal, FairleadError } from '#std';
import type { Check } from './check.ts';
import { checkPodSpec } from './pod-spec.ts';

const always = ['Always'];
const anyPolicy = ['Always', 'OnFailure', 'Never'];

export const checkPod = (pod: Check): void => checkPodSpec(pod.field('spec'), anyPolicy);

/** Deployment, ReplicaSet, StatefulSet, DaemonSet. */
export function checkController(object: Check): void {
  const spec = object.field('spec');
  spec.field('replicas').notNegative();
  spec.field('minReadySeconds').notNegative();
  spec.field('revisionHistoryLimit').notNegative();
  checkSelector(spec);
  checkPodSpec(spec.field('template').field('spec'), always);
}

export function checkDeployment(object: Check): void {
  checkController(object);
  const strategy = object.field('spec').field('strategy');
  strategy.field('type').oneOf(['Recreate', 'RollingUpdate']);
  if (strategy.field('type').value === 'Recreate' && strategy.field('rollingUpdate').isSet) {
    strategy.field('rollingUpdate').forbidden("may not be specified when strategy `type` is 'Recreate'");
  }
}

function checkSelector(spec: Check): void {
  const selector = spec.field('selector').required();
  if (!selector.isSet) return;
  const given = readSelector(selector);
  if (!given) return;
  if (given.length === 0) {
    selector.invalid('empty selector is invalid for this kind');
    return;
  }
  const labels = spec.field('template').field('metadata').field('labels');
  if (!matches(given, labels.object as Record<string, string>)) {
    labels.invalid('`selector` does not match template `labels`', labels.object);
  }
}

function readSelector(selector: Check): Selector | undefined {
  try {
    return selectorOf(selector.object);
  } catch (error) {
    selector.invalid(FairleadError.from(error).message);
    return undefined;
  }
}

export function checkJob(job: Check): void {
  const spec = job.field('spec');
  for (const field of ['parallelism', 'completions', 'backoffLimit', 'activeDeadlineSeconds']) {
    spec.field(field).notNegative();
  }
  checkJobTemplate(spec.field('template'));
}

function checkJobTemplate(template: Check): void {
  checkPodSpec(template.field('spec'), ['OnFailure', 'Never']);
}

export function checkCronJob(cronJob: Check): void {
  const spec = cronJob.field('spec');
  const schedule = spec.field('schedule').required();
  if (schedule.isSet && !isSchedule(schedule.text)) {
    schedule.invalid(
      `Expected exactly 5 fields, found ${schedule.text.split(/\s+/).length}: ${schedule.text}`,
    );
  }
  spec.field('concurrencyPolicy').oneOf(['Allow', 'Forbid', 'Replace']);
  checkJobTemplate(spec.field('jobTemplate').field('spec').field('template'));
}

const isSchedule = (text: string): boolean =>
  /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(text) ||
  /^@every \S+$/.test(text) ||
  text.trim().split(/\s+/).length === 5;

/** compat 3.13: Deployment, DaemonSet, ReplicaSet. */
export function keepSelector(next: Check, live: Check): void {
  next.field('spec').field('selector').immutable(live.field('spec').field('selector').value);
}

const statefulSetMayChange = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export function keepStatefulSet(next: Check, live: Check): void {
  const fixed = (check: Check) =>
    Object.fromEntries(
      Object.entries(check.field('spec').object).filter(([key]) => !statefulSetMayChange.includes(key)),
    );
  if (equal(fixed(next), fixed(live))) return;
  const quoted = statefulSetMayChange.map((field) => `'${field}'`);
  const names = `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
  next.field('spec').forbidden(`updates to statefulset spec for fields other than ${names} are forbidden`);
}

export function keepJob(next: Check, live: Check): void {
  const spec = next.field('spec');
  const old = live.field('spec');
  for (const field of ['selector', 'completionMode']) spec.field(field).immutable(old.field(field).value);
  if (old.field('completionMode').value !== 'Indexed') {
    spec.field('completions').immutable(old.field('completions').value);
  }
  if (old.field('suspend').value !== true) spec.field('template').immutable(old.field('template').value);
}

const podMayChange = ['activeDeadlineSeconds', 'terminationGracePeriodSeconds', 'tolerations'];

/** compat 3.8: of a pod little more than the images may change. */
export function keepPod(next: Check, live: Check): void {
  if (equal(fixedPodSpec(next), fixedPodSpec(live))) return;
  next
    .field('spec')
    .forbidden(
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    );
}

function fixedPodSpec(pod: Check): JsonObject {
  const { containers, initContainers, ...rest } = pod.field('spec').object;
  const withoutImages = (list: unknown) =>
    Array.isArray(list) ? list.map((item) => (isObject(item) ? { ...item, image: '' } : item)) : list;
  const kept = Object.entries(rest).filter(([key]) => !podMayChange.includes(key) && key !== 'nodeName');
  return {
    ...Object.fromEntries(kept),
    containers: withoutImages(containers),
    initContainers: withoutImages(initContainers),
  };
}
