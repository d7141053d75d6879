import {
  type Condition,
  controllerOf,
  type KubeObject,
  type LabelSelector,
  matches,
  selectorOf,
  setCondition,
} from '#base/model';
import type { StoredEvent } from '#embedded/apiserver';
import { StatusError } from '#embedded/apiserver';
import { podKind, replicaSetKind } from './kinds.ts';
import { isActive, type PodTemplate, phaseOf } from './pod/view.ts';
import { adopt, firstToGo, podFrom, podName, readinessOf } from './replicas.ts';
import {
  type Controller,
  type Key,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
  sooner,
} from './simulation-context.ts';
import {
  controlled,
  controllerManager,
  discard,
  isDeleting,
  isReason,
  isTerminating,
  storedObject,
  writeStatus,
} from './write.ts';

export type ReplicaSet = KubeObject<ReplicaSetSpec, ReplicaSetStatus>;

type ReplicaSetSpec = {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
};

type ReplicaSetStatus = {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
};

/** The controller that owns the changed object, if it is of this kind. */
export function ownerKey(kind: string, { object }: Pick<StoredEvent, 'object'>): readonly Key[] {
  const owner = controllerOf(object);
  return owner?.kind === kind ? [{ namespace: object.metadata.namespace ?? '', name: owner.name }] : [];
}

/** Keeps the desired number of pods of a template. */
export const replicaSetController: Controller = {
  type: replicaSetKind,
  wakes: [{ type: podKind, keys: (_context, event) => ownerKey('ReplicaSet', event) }],
  reconcile: (context, object) => syncReplicas(context, object as ReplicaSet),
};

/** One pass over a replica set, or over another kind that keeps replicas in the same way. */
export async function syncReplicas(
  context: SimulationContext,
  set: ReplicaSet,
): Promise<NextPass | undefined> {
  if (!isDeleting(set)) await adoptMissing(context, set);
  const pods = own(context, set);
  const failure = isDeleting(set) ? undefined : await matchCount(context, set, pods.filter(isActive));
  return report(context, set, pods, failure);
}

const own = (context: SimulationContext, set: ReplicaSet) => controlled(context, set, podKind);

/** Adopts pods without an owner only when pods are missing. */
async function adoptMissing(context: SimulationContext, set: ReplicaSet): Promise<void> {
  const { replicas = 1, selector } = set.spec ?? {};
  if (own(context, set).filter(isActive).length < replicas) await adopt(context, set, selectorOf(selector));
}

/** Creates or deletes pods; returns the error. */
async function matchCount(
  context: SimulationContext,
  set: ReplicaSet,
  active: readonly KubeObject[],
): Promise<string | undefined> {
  const { replicas = 1 } = set.spec ?? {};
  if (active.length > replicas) {
    const surplus = firstToGo(active).slice(0, active.length - replicas);
    await Promise.all(surplus.map((pod) => removePod(context, set, pod)));
  }
  const missing = Math.max(0, replicas - active.length);
  const made = await Promise.allSettled(Array.from({ length: missing }, (_, i) => addPod(context, set, i)));
  const failed = made.find((result) => result.status === 'rejected');
  if (!failed) return undefined;
  if (failed.reason instanceof StatusError && !isReason(failed.reason, 'AlreadyExists'))
    return failed.reason.message;
  throw failed.reason;
}

const componentOf = ({ kind }: ReplicaSet): string =>
  kind === 'ReplicaSet' ? 'replicaset-controller' : 'replication-controller';

async function addPod(context: SimulationContext, set: ReplicaSet, ordinal: number): Promise<void> {
  const pod = podFrom(set, set.spec?.template ?? {}, podName(context, set, ordinal));
  const component = componentOf(set);
  try {
    await context.objects.create(pod, controllerManager);
  } catch (error) {
    if (isTerminating(error)) throw error;
    const message = `Error creating: ${(error as Error).message}`;
    await context.events.record(set, { type: 'Warning', reason: 'FailedCreate', message, component });
    throw error;
  }
  const message = `Created pod: ${pod.metadata.name}`;
  await context.events.record(set, { type: 'Normal', reason: 'SuccessfulCreate', message, component });
}

async function removePod(context: SimulationContext, set: ReplicaSet, pod: KubeObject): Promise<void> {
  await discard(context, pod);
  const message = `Deleted pod: ${pod.metadata.name}`;
  const component = componentOf(set);
  await context.events.record(set, { type: 'Normal', reason: 'SuccessfulDelete', message, component });
}

/**
 * compat cluster 5.2: reports the pods as they were before this pass; the next pass counts the ones that this pass
 * created.
 */
async function report(
  context: SimulationContext,
  set: ReplicaSet,
  pods: readonly KubeObject[],
  failure: string | undefined,
): Promise<NextPass | undefined> {
  if (!storedObject(context, set, keyOfObject(set))) return undefined;
  const active = pods.filter(isActive);
  const labels = selectorOf({ matchLabels: set.spec?.template?.metadata?.labels ?? {} });
  const { ready, available, again } = readinessOf(context, active, set.spec?.minReadySeconds);
  const status: ReplicaSetStatus = {
    replicas: active.length,
    ...positive({
      fullyLabeledReplicas: active.filter((pod) => matches(labels, pod.metadata.labels)).length,
      readyReplicas: ready,
      availableReplicas: available,
    }),
    ...(set.kind === 'ReplicaSet' && { terminatingReplicas: pods.filter(isLeaving).length }),
    ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    ...conditionsOf(context, set, failure),
  };
  await writeStatus(context, set, status);
  return failure === undefined ? again : sooner(again, { at: nowOf(context) + retryMs });
}

const isLeaving = (pod: KubeObject): boolean =>
  isDeleting(pod) && phaseOf(pod) !== 'Succeeded' && phaseOf(pod) !== 'Failed';

/** Refused pods are retried; the real controller backs off with a growing delay. */
const retryMs = 5000;

/** Counts as Go prints them: zeros are omitted. */
export function positive<T extends Record<string, number>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<T>;
}

function conditionsOf(context: SimulationContext, { status }: ReplicaSet, failure: string | undefined) {
  const before = (status?.conditions ?? []).filter(
    ({ type }) => failure !== undefined || type !== 'ReplicaFailure',
  );
  if (failure === undefined) return before.length > 0 ? { conditions: before } : {};
  const trouble = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure };
  return { conditions: setCondition(before, trouble, context.clock.now()) };
}
