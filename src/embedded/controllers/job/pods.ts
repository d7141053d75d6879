import type { KubeObject } from '#base/model';
import { isReady, type PodTemplate } from '../pod/view.ts';
import { firstToGo, podFrom, podName } from '../replicas.ts';
import { type NextPass, nowOf, type SimulationContext } from '../simulation-context.ts';
import { change, controllerManager, discard, isTerminating } from '../write.ts';
import type { Count } from './count.ts';
import { failureNotes, indexPauseUntil, pauseUntil } from './failures.ts';
import { includesNumber } from './intervals.ts';
import {
  indexNote,
  indexOf,
  isIndexed,
  isPerIndex,
  isSuspended,
  type Job,
  trackingFinalizer,
  waitsForEnd,
} from './view.ts';

/** The result of managing the pods: how many are left, and which were deleted. */
export type JobPods = {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly again?: NextPass | undefined;
};

const mostAtOnce = 500;

/** Creates missing pods or deletes surplus ones, one or the other in a pass. */
export async function managePods(context: SimulationContext, job: Job, count: Count): Promise<JobPods> {
  const { active, ready, terminating } = count;
  const wanted = isSuspended(job) ? 0 : wantedActive(job, count);
  const surplus = surplusOf(job, active, active.length - wanted).slice(0, mostAtOnce);
  if (surplus.length > 0) {
    await Promise.all(surplus.map((pod) => letGo(context, pod)));
    return removePods(context, job, count, surplus);
  }
  const leaving = waitsForEnd(job) ? terminating : 0;
  const missing = Math.min(mostAtOnce, isSuspended(job) ? 0 : wanted - leaving - active.length);
  const idle = { active: active.length, ready, terminating };
  if (missing <= 0) return idle;
  const pause = isPerIndex(job) ? 0 : pauseUntil(job, count.pods);
  if (pause > nowOf(context)) return { ...idle, again: { at: pause } };
  const { indexes, again } = nextIndexes(context, job, count, missing);
  const made = await Promise.all(
    Array.from({ length: isIndexed(job) ? indexes.length : missing }, (_, i) =>
      addPod(context, job, count, { ordinal: i, index: indexes[i] }),
    ),
  );
  return { ...idle, active: active.length + made.filter(Boolean).length, again };
}

/** Deletes pods. They are still counted: they keep their finalizer unless it was removed before. */
export async function removePods(
  context: SimulationContext,
  job: Job,
  { active, ready, terminating }: Count,
  leaving: readonly KubeObject[],
): Promise<JobPods> {
  await Promise.all(leaving.map((pod) => discard(context, pod)));
  for (const { metadata } of leaving)
    await recordJobEvent(context, job, 'SuccessfulDelete', `Deleted pod: ${metadata.name}`);
  return {
    active: active.length - leaving.length,
    ready: ready - leaving.filter(isReady).length,
    terminating: terminating + leaving.length,
  };
}

function wantedActive({ spec = {} }: Job, { active, succeeded }: Count): number {
  const { parallelism = 1, completions } = spec;
  // compat cluster 5.4: without a number of completions, no pod is created after the first success
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** compat cluster 5.4: pods without an index of their own are deleted first, then those that got least far. */
function surplusOf(job: Job, active: readonly KubeObject[], tooMany: number): readonly KubeObject[] {
  const places = new Set<number>();
  const isMisplaced = (pod: KubeObject) => {
    const index = indexOf(job, pod);
    if (index === undefined || places.has(index)) return true;
    places.add(index);
    return false;
  };
  const misplaced = isIndexed(job) ? firstToGo(active).toReversed().filter(isMisplaced) : [];
  if (misplaced.length >= tooMany) return misplaced;
  const others = firstToGo(active.filter((pod) => !misplaced.includes(pod)));
  return [...misplaced, ...others.slice(0, tooMany - misplaced.length)];
}

type Next = { readonly indexes: readonly number[]; readonly again?: NextPass | undefined };

function nextIndexes(context: SimulationContext, job: Job, count: Count, missing: number): Next {
  if (!count.indexes) return { indexes: [] };
  const { succeeded, failed = [], replaced } = count.indexes;
  const present = waitsForEnd(job) ? count.pods.filter(({ metadata }) => metadata.deletionTimestamp) : [];
  const busy = new Set([...count.active, ...present].map((pod) => indexOf(job, pod)));
  const open: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && open.length < missing; index++) {
    if (!busy.has(index) && !includesNumber(succeeded, index) && !includesNumber(failed, index))
      open.push(index);
  }
  const at = (index: number) => indexPauseUntil(replaced.get(index));
  const ready = open.filter((index) => at(index) <= nowOf(context));
  const later = open.filter((index) => !ready.includes(index)).map(at);
  return { indexes: ready, again: later.length > 0 ? { at: Math.min(...later) } : undefined };
}

type PodSlot = { readonly ordinal: number; readonly index: number | undefined };

/** False when the pod could not be created; an event is recorded, and the next pass retries. */
async function addPod(
  context: SimulationContext,
  job: Job,
  count: Count,
  { ordinal, index }: PodSlot,
): Promise<boolean> {
  const template = job.spec?.template ?? {};
  const base = index === undefined ? undefined : indexedBase(job.metadata.name, index);
  const name = podName(context, job, ordinal, base);
  const pod = podFrom(job, index === undefined ? template : withIndexVariable(template), name, {
    finalizers: [trackingFinalizer],
    ...(index !== undefined && {
      generateName: `${base}-`,
      labels: { [indexNote]: String(index) },
      annotations: {
        [indexNote]: String(index),
        ...(isPerIndex(job) && failureNotes(job, count.indexes?.replaced.get(index))),
      },
      spec: { hostname: `${job.metadata.name}-${index}` },
    }),
  });
  try {
    await context.objects.create(pod, controllerManager);
  } catch (error) {
    if (isTerminating(error)) return false;
    await recordJobEvent(context, job, 'FailedCreate', `Error creating: ${(error as Error).message}`);
    throw error;
  }
  await recordJobEvent(context, job, 'SuccessfulCreate', `Created pod: ${name}`);
  return true;
}

/** compat cluster 5.4: `<job>-<index>`, shortened so that a suffix fits behind it. */
const indexedBase = (name: string, index: number): string =>
  `${name.slice(0, 56 - `${index}`.length)}-${index}`;

/** compat cluster 5.4: containers of an indexed job read their index from an environment variable. */
function withIndexVariable(template: PodTemplate): PodTemplate {
  const variable = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexNote}']` } },
  };
  const informed = (containers: NonNullable<PodTemplate['spec']>['containers']) =>
    containers?.map((one) =>
      one.env?.some(({ name }) => name === variable.name)
        ? one
        : { ...one, env: [...(one.env ?? []), variable] },
    );
  const { containers, initContainers, ...spec } = template.spec ?? {};
  const [main, init] = [informed(containers), informed(initContainers)];
  return {
    ...template,
    spec: { ...spec, ...(init && { initContainers: init }), ...(main && { containers: main }) },
  };
}

/** Removes the finalizer of a pod that has been counted, or that is not to be counted. */
export async function letGo(context: SimulationContext, pod: KubeObject): Promise<void> {
  const left = (pod.metadata.finalizers ?? []).filter((one) => one !== trackingFinalizer);
  await change(context, pod, { metadata: { finalizers: left.length > 0 ? left : null } });
}

/** Records an event about a job. */
export const recordJobEvent = (
  context: SimulationContext,
  job: Job,
  reason: string,
  message: string,
): Promise<void> =>
  context.events.record(job, {
    type: normalReasons.has(reason) ? 'Normal' : 'Warning',
    reason,
    message,
    component: 'job-controller',
  });

const normalReasons = new Set(['SuccessfulCreate', 'SuccessfulDelete', 'Completed', 'Suspended', 'Resumed']);
