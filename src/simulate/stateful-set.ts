import type { KubeObject, LabelSelector, ObjectMeta } from '#model';
import { pruneRevisions, recordedTemplate, recordRevision, revisionLabel } from './controller-revision.ts';
import { claimKind, podKind, statefulSetKind } from './kinds.ts';
import { isActive, type PodTemplate, type Volume } from './pod/view.ts';
import { ownerKey, positive } from './replica-set.ts';
import { isAvailable, podFrom, readinessOf } from './replicas.ts';
import { type Again, type Controller, keyOfObject, type World } from './world.ts';
import { controlled, controllerManager, discard, isDeleting, look, writeStatus } from './write.ts';

type StatefulSet = KubeObject<
  StatefulSetSpec,
  { readonly currentRevision?: string; readonly collisionCount?: number }
>;
type StatefulSetSpec = {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly serviceName?: string;
  readonly template?: PodTemplate;
  readonly minReadySeconds?: number;
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
  readonly revisionHistoryLimit?: number;
  readonly ordinals?: { readonly start?: number };
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly partition?: number };
  };
  readonly volumeClaimTemplates?: readonly {
    readonly metadata?: Partial<ObjectMeta>;
    readonly spec?: object;
  }[];
};

/** Keeps numbered pods, one after another, each with volumes of its own. */
export const statefulSetController: Controller = {
  type: statefulSetKind,
  wakes: [{ type: podKind, keys: (_world, event) => ownerKey('StatefulSet', event) }],
  async reconcile(world, object): Promise<Again | undefined> {
    const set = object as StatefulSet;
    const update = isDeleting(set) ? '' : await recordRevision(world, set, set.spec?.template ?? {});
    const plan = planOf(world, set, update);
    if (!isDeleting(set)) await takeStep(world, plan);
    const again = await report(world, planOf(world, set, update));
    const used = new Set([update, plan.current, ...plan.pods.map(hashOf)]);
    await pruneRevisions(world, set, used, set.spec?.revisionHistoryLimit ?? 10);
    return again;
  },
};

type Plan = {
  readonly set: StatefulSet;
  /** The revision all pods have, or had before the rollout under way. */
  readonly current: string;
  readonly update: string;
  readonly ordinals: readonly number[];
  readonly pods: readonly KubeObject[];
};

/** compat 5.3: pods of a stateful set carry the revision's full name. */
const hashOf = ({ metadata }: KubeObject): string =>
  /[^-]*$/.exec(metadata.labels?.[revisionLabel] ?? '')?.[0] ?? '';
const ordinalOf = ({ metadata }: KubeObject): number => Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);

function planOf(world: World, set: StatefulSet, update: string): Plan {
  const newest = (look(world, statefulSetKind, keyOfObject(set)) as StatefulSet | undefined) ?? set;
  const { replicas = 1, ordinals } = newest.spec ?? {};
  const start = ordinals?.start ?? 0;
  const pods = controlled(world, newest, podKind).sort((a, b) => ordinalOf(a) - ordinalOf(b));
  const recorded = newest.status?.currentRevision?.slice(newest.metadata.name.length + 1);
  const current = recorded || update;
  return {
    set: newest,
    current,
    update,
    pods,
    ordinals: Array.from({ length: replicas }, (_, i) => start + i),
  };
}

const partitionOf = ({ spec }: StatefulSet): number => spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
const isParallel = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy === 'Parallel';

async function takeStep(world: World, plan: Plan): Promise<void> {
  if (!(await fillGaps(world, plan))) return;
  const { set, ordinals, pods } = plan;
  const surplus = pods.filter((pod) => !ordinals.includes(ordinalOf(pod))).toReversed();
  if (surplus.length === 0) return replaceOutdated(world, plan);
  const going = isParallel(set) ? surplus : surplus.slice(0, 1);
  await Promise.all(going.filter((pod) => !isDeleting(pod)).map((pod) => discard(world, pod)));
}

/**
 * compat 5.3: lower numbers first; the next only when all before it are ready, unless they may come at once. False
 * while there is something to wait for.
 */
async function fillGaps(world: World, plan: Plan): Promise<boolean> {
  const { set, ordinals, pods } = plan;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  for (const ordinal of ordinals) {
    const pod = byOrdinal.get(ordinal);
    if (!pod) await addPod(world, plan, ordinal);
    else if (!isActive(pod) && !isDeleting(pod)) await discard(world, pod);
    const isUp = pod !== undefined && isActive(pod) && isAvailable(world, pod, set.spec?.minReadySeconds);
    if (!isUp && !isParallel(set)) return false;
  }
  return true;
}

/** compat 5.3: highest first, one at a time, none below the partition. */
async function replaceOutdated(world: World, { set, pods, update }: Plan): Promise<void> {
  if (set.spec?.updateStrategy?.type === 'OnDelete') return;
  for (const pod of pods.toReversed()) {
    if (ordinalOf(pod) < partitionOf(set)) return;
    if (isDeleting(pod)) return;
    if (hashOf(pod) !== update) {
      await discard(world, pod);
      return;
    }
    if (!isAvailable(world, pod, set.spec?.minReadySeconds)) return;
  }
}

async function addPod(world: World, plan: Plan, ordinal: number): Promise<void> {
  const { set, current, update } = plan;
  const { serviceName } = set.spec ?? {};
  const name = `${set.metadata.name}-${ordinal}`;
  const revision = ordinal < partitionOf(set) ? current : update;
  const template = recordedTemplate(world, set, revision) ?? set.spec?.template ?? {};
  const claims = await ensureClaims(world, set, ordinal);
  const others = (template.spec?.volumes ?? []).filter(
    (one) => !claims.some((claim) => claim.name === one.name),
  );
  const pod = podFrom(set, template, name, {
    labels: {
      [revisionLabel]: `${set.metadata.name}-${revision}`,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: {
      hostname: name,
      ...(serviceName && { subdomain: serviceName }),
      ...(claims.length > 0 && { volumes: [...others, ...claims] }),
    },
  });
  await world.objects.create(pod, controllerManager);
  const message = `create Pod ${name} in StatefulSet ${set.metadata.name} successful`;
  const component = 'statefulset-controller';
  await world.events.tell(set, { type: 'Normal', reason: 'SuccessfulCreate', message, component });
}

/** One claim per template and pod, `<template>-<pod>`; it outlives the pod. */
async function ensureClaims(world: World, set: StatefulSet, ordinal: number): Promise<Volume[]> {
  const { namespace } = keyOfObject(set);
  const volumes: Volume[] = [];
  for (const { metadata = {}, spec = {} } of set.spec?.volumeClaimTemplates ?? []) {
    const claimName = `${metadata.name}-${set.metadata.name}-${ordinal}`;
    volumes.push({ name: metadata.name ?? '', persistentVolumeClaim: { claimName } });
    if (look(world, claimKind, { namespace, name: claimName })) continue;
    const labels = { ...metadata.labels, ...set.spec?.selector?.matchLabels };
    const claim = { ...claimKind, metadata: { ...metadata, name: claimName, namespace, labels }, spec };
    await world.objects.create(claim, controllerManager);
  }
  return volumes;
}

async function report(world: World, plan: Plan): Promise<Again | undefined> {
  const { set, current, update, pods } = plan;
  const { name, generation: observedGeneration } = set.metadata;
  const active = pods.filter(isActive);
  const { ready, available, again } = readinessOf(world, active, set.spec?.minReadySeconds);
  const updated = active.filter((pod) => hashOf(pod) === update).length;
  const isDone = updated === (set.spec?.replicas ?? 1) && ready === updated && partitionOf(set) === 0;
  const settled = isDone ? update : current;
  const status = {
    observedGeneration,
    replicas: active.length,
    ...positive({
      readyReplicas: ready,
      currentReplicas: active.filter((pod) => hashOf(pod) === settled).length,
      updatedReplicas: updated,
    }),
    availableReplicas: available,
    currentRevision: `${name}-${settled}`,
    updateRevision: `${name}-${update}`,
    collisionCount: set.status?.collisionCount ?? 0,
  };
  await writeStatus(world, set, status);
  return again;
}
