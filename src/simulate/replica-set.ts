import type { WatchEvent } from '#devcluster';
import { StatusError } from '#devcluster';
import {
  type Condition,
  controllerOf,
  type KubeObject,
  type LabelSelector,
  matches,
  selectorOf,
  setCondition,
} from '#model';
import { podKind, replicaSetKind } from './kinds.ts';
import { isActive, type PodTemplate } from './pod/view.ts';
import { adopt, firstToGo, podFrom, podName, readinessOf } from './replicas.ts';
import { type Again, type Controller, type Key, keyOfObject, type World } from './world.ts';
import { controlled, controllerManager, discard, isDeleting, isReason, look, writeStatus } from './write.ts';

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
export function ownerKey(kind: string, { object }: Pick<WatchEvent, 'object'>): readonly Key[] {
  const owner = controllerOf(object);
  return owner?.kind === kind ? [{ namespace: object.metadata.namespace ?? '', name: owner.name }] : [];
}

/** Keeps as many pods of a template as it says. */
export const replicaSetController: Controller = {
  type: replicaSetKind,
  wakes: [{ type: podKind, keys: (_world, event) => ownerKey('ReplicaSet', event) }],
  async reconcile(world, object): Promise<Again | undefined> {
    const set = object as ReplicaSet;
    const failure = isDeleting(set) ? undefined : await matchCount(world, set);
    return report(world, set.metadata, failure);
  },
};

const own = (world: World, set: ReplicaSet) => controlled(world, set, podKind);

/** Makes or removes pods; returns what went wrong. */
async function matchCount(world: World, set: ReplicaSet): Promise<string | undefined> {
  const { replicas = 1, selector } = set.spec ?? {};
  let active = own(world, set).filter(isActive);
  if (active.length < replicas) {
    const adopted = await adopt(world, set, selectorOf(selector));
    active = adopted.length > 0 ? own(world, set).filter(isActive) : active;
  }
  if (active.length > replicas) {
    const surplus = firstToGo(active).slice(0, active.length - replicas);
    await Promise.all(surplus.map((pod) => removePod(world, set, pod)));
  }
  const missing = Math.max(0, replicas - active.length);
  const made = await Promise.allSettled(Array.from({ length: missing }, (_, i) => addPod(world, set, i)));
  const failed = made.find((result) => result.status === 'rejected');
  if (!failed) return undefined;
  if (failed.reason instanceof StatusError && !isReason(failed.reason, 'AlreadyExists'))
    return failed.reason.message;
  throw failed.reason;
}

async function addPod(world: World, set: ReplicaSet, ordinal: number): Promise<void> {
  const pod = podFrom(set, set.spec?.template ?? {}, podName(world, set, ordinal));
  const component = 'replicaset-controller';
  try {
    await world.objects.create(pod, controllerManager);
  } catch (error) {
    const message = `Error creating: ${(error as Error).message}`;
    await world.events.tell(set, { type: 'Warning', reason: 'FailedCreate', message, component });
    throw error;
  }
  const message = `Created pod: ${pod.metadata.name}`;
  await world.events.tell(set, { type: 'Normal', reason: 'SuccessfulCreate', message, component });
}

async function removePod(world: World, set: ReplicaSet, pod: KubeObject): Promise<void> {
  await discard(world, pod);
  const message = `Deleted pod: ${pod.metadata.name}`;
  const component = 'replicaset-controller';
  await world.events.tell(set, { type: 'Normal', reason: 'SuccessfulDelete', message, component });
}

async function report(
  world: World,
  metadata: ReplicaSet['metadata'],
  failure: string | undefined,
): Promise<Again | undefined> {
  const set = look(world, replicaSetKind, keyOfObject({ ...replicaSetKind, metadata })) as
    | ReplicaSet
    | undefined;
  if (!set) return undefined;
  const pods = own(world, set);
  const active = pods.filter(isActive);
  const labels = selectorOf({ matchLabels: set.spec?.template?.metadata?.labels ?? {} });
  const { ready, available, again } = readinessOf(world, active, set.spec?.minReadySeconds);
  const status: ReplicaSetStatus = {
    replicas: active.length,
    ...positive({
      fullyLabeledReplicas: active.filter((pod) => matches(labels, pod.metadata.labels)).length,
      readyReplicas: ready,
      availableReplicas: available,
    }),
    terminatingReplicas: pods.filter(isDeleting).length,
    ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    ...conditionsOf(world, set, failure),
  };
  await writeStatus(world, set, status);
  return again;
}

/** Counts as Go prints them: zeros are left out. */
export function positive<T extends Record<string, number>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<T>;
}

function conditionsOf(world: World, { status }: ReplicaSet, failure: string | undefined) {
  const before = (status?.conditions ?? []).filter(
    ({ type }) => failure !== undefined || type !== 'ReplicaFailure',
  );
  if (failure === undefined) return before.length > 0 ? { conditions: before } : {};
  const trouble = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure };
  return { conditions: setCondition(before, trouble, world.clock.now()) };
}
