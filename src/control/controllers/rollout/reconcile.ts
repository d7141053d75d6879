import { type KubeObject, matches, printSelector, selectorOf } from '#base/model';
import type { Ctx } from '#base/std';
import {
  type AnalysisRun,
  needsPods,
  planRollout,
  type Rollout,
  type RolloutPlan,
  type RolloutPod,
  type RolloutReplicaSet,
  referencesOf,
  rolesOf,
  type WorkloadView,
  withWorkload,
} from '#engine/rollouts';
import { hasReason, type ObjectRef } from '#kubernetes/client';
import { type Carrying, carryOut, fieldManager } from './carry-out.ts';

export type RolloutPassDeps = Carrying & {
  /** The ReplicaSets and the runs of a Rollout, by `namespace/name` of it. */
  replicaSetsOf(key: string): readonly RolloutReplicaSet[];
  runsOf(key: string): readonly AnalysisRun[];
};

/** Reads what a pass over the Rollout needs, plans, and carries the plan out. */
export async function reconcileRollout(
  ctx: Ctx,
  deps: RolloutPassDeps,
  rollout: Rollout,
): Promise<RolloutPlan> {
  const plan = await planned(ctx, deps, rollout);
  await carryOut(ctx, deps, rollout, plan);
  return plan;
}

async function planned(ctx: Ctx, deps: RolloutPassDeps, rollout: Rollout): Promise<RolloutPlan> {
  const { informers } = deps;
  const { namespace = '', name } = rollout.metadata;
  const key = `${namespace}/${name}`;
  const objects = await readReferenced(ctx, deps, rollout);
  const { workloadRef } = rollout.spec ?? {};
  const workload =
    workloadRef &&
    (objects.get(keyOf(workloadRef.kind ?? '', workloadRef.name ?? '')) as WorkloadView | undefined);
  const whole = withWorkload(rollout, workload);
  const sets = deps.replicaSetsOf(key).filter(({ metadata }) => !metadata.deletionTimestamp);
  return planRollout({
    rollout: whole,
    roles: rolesOf(whole, sets),
    now: ctx.clock.now(),
    service: (service) => informers.services.get(namespace, service),
    find: (_apiVersion, kind, other) => objects.get(keyOf(kind, other)),
    template: (template, isClusterWide) =>
      isClusterWide
        ? informers.clusterTemplates.get('', template)
        : informers.templates.get(namespace, template),
    runs: deps.runsOf(key),
    experiments: [],
    pods: needsPods(whole, sets) ? await podsOf(ctx, deps, whole) : [],
    workload,
  });
}

const keyOf = (kind: string, name: string): string => `${kind}/${name}`;

/** Routers and workloads are read afresh in each pass, and watched from the first one on. */
async function readReferenced(
  ctx: Ctx,
  deps: RolloutPassDeps,
  rollout: Rollout,
): Promise<Map<string, KubeObject>> {
  const found = new Map<string, KubeObject>();
  for (const { apiVersion, kind, name } of referencesOf(rollout)) {
    deps.informers.watch(apiVersion, kind);
    const ref = { apiVersion, kind, namespace: rollout.metadata.namespace, name };
    const object = await findServed(ctx, deps, ref);
    if (object) found.set(keyOf(kind, name), object);
  }
  return found;
}

/** A kind that the cluster does not serve has no objects. */
async function findServed(ctx: Ctx, { kube }: Carrying, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await kube.find(ctx, ref);
  } catch (error) {
    if (hasReason(error, 'NoMatch')) return undefined;
    throw error;
  }
}

async function podsOf(ctx: Ctx, { kube }: Carrying, { metadata, spec }: Rollout): Promise<RolloutPod[]> {
  const selector = selectorOf(spec?.selector);
  const from = { apiVersion: 'v1', kind: 'Pod', namespace: metadata.namespace };
  const { items } = await kube.list(ctx, from, { labelSelector: printSelector(selector) });
  return (items as RolloutPod[]).filter((pod) => matches(selector, pod.metadata.labels));
}

/** compat rollouts RT-2: Services that a deleted Rollout managed select all pods of the application again. */
export async function releaseServices(
  ctx: Ctx,
  { kube, informers }: Carrying,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const managedBy = 'argo-rollouts.argoproj.io/managed-by-rollouts';
  for (const { apiVersion, kind, metadata } of informers.services.list()) {
    if (metadata.namespace !== namespace || metadata.annotations?.[managedBy] !== name) continue;
    const body = {
      metadata: { annotations: { [managedBy]: null } },
      spec: { selector: { 'rollouts-pod-template-hash': null } },
    };
    const ref = { apiVersion, kind, namespace, name: metadata.name };
    await kube.patch(ctx, ref, { type: 'merge', body }, { fieldManager });
  }
}
