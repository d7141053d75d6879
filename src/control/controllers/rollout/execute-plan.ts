import { controllerOf, type KubeObject } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type AnalysisRun,
  type Experiment,
  type Rollout,
  type RolloutPlan,
  type RolloutReplicaSet,
  type RolloutService,
  type RolloutWrite,
  trafficManager,
} from '#engine/rollouts';
import { hasReason, type KubeClient } from '#kubernetes/client';
import type { RolloutInformers } from './informers.ts';

/** Our writes carry this name; the peer's controller has another, by which each sees that the other is at work. */
export const fieldManager = trafficManager;

export type ExecutePlanDeps = { readonly kube: KubeClient; readonly informers: RolloutInformers };

/**
 * Makes the writes of a plan in their order, the status last. Throws Conflict when the Rollout changed meanwhile: the next
 * pass plans again. False: so it does because the name of the new ReplicaSet is taken.
 */
export async function executePlan(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  rollout: Rollout,
  plan: RolloutPlan,
): Promise<boolean> {
  let current = rollout;
  for (const write of plan.writes) {
    if (write.verb === 'patch' && write.ref.kind === 'Rollout')
      current = await patchRollout(ctx, deps, current, write.body);
    else if (await collides(ctx, deps, current, write)) return false;
  }
  if (plan.status) await writeStatus(ctx, deps, { ...current, status: plan.status });
  return true;
}

async function patchRollout(
  ctx: Ctx,
  { kube, informers }: ExecutePlanDeps,
  current: Rollout,
  body: object,
): Promise<Rollout> {
  const { apiVersion, kind, metadata } = current;
  const { name, namespace, resourceVersion } = metadata;
  const versioned = { ...body, metadata: { ...(body as Rollout).metadata, resourceVersion } };
  const ref = { apiVersion, kind, namespace, name };
  const written = (await kube.patch(
    ctx,
    ref,
    { type: 'merge', body: versioned },
    { fieldManager },
  )) as Rollout;
  informers.rollouts.put(written);
  return written;
}

/** compat rollouts RS-4: with the version that the status was computed from, so that no verb is overwritten. */
async function writeStatus(ctx: Ctx, { kube, informers }: ExecutePlanDeps, rollout: Rollout): Promise<void> {
  informers.rollouts.put((await kube.updateStatus(ctx, rollout, { fieldManager })) as Rollout);
}

/** One write; true: the name of the new ReplicaSet is taken, and the Rollout says so. */
async function collides(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  rollout: Rollout,
  write: RolloutWrite,
): Promise<boolean> {
  if (write.verb === 'create') return create(ctx, deps, rollout, write.object);
  await makeWrite(ctx, deps, write);
  return false;
}

/** Any write but the creation of an object, whose name may be taken. */
export async function makeWrite(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  write: Exclude<RolloutWrite, { verb: 'create' }>,
): Promise<void> {
  if (write.verb === 'apply') await deps.kube.apply(ctx, write.object, { fieldManager, force: true });
  else if (write.verb === 'patch') await patch(ctx, deps, write);
  else if (write.verb === 'delete') await remove(ctx, deps, write);
  else await evict(ctx, deps, write);
}

async function create(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  rollout: Rollout,
  object: KubeObject,
): Promise<boolean> {
  try {
    keep(deps, await deps.kube.create(ctx, object, { fieldManager }));
    return false;
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata;
  const existing = await deps.kube.find(ctx, { apiVersion, kind, namespace, name });
  if (!existing) throw new FairleadError('Unavailable', `${kind} ${name} was deleted while it was created`);
  const isOurs = controllerOf(existing)?.uid === rollout.metadata.uid;
  if (isOurs) keep(deps, existing);
  if (isOurs || kind !== 'ReplicaSet') return !isOurs;
  // compat rollouts RH-3: another hash gives another name
  const collisionCount = (rollout.status?.collisionCount ?? 0) + 1;
  ctx.log.warn('the name of the new ReplicaSet is taken', { name, collisionCount });
  await writeStatus(ctx, deps, { ...rollout, status: { ...rollout.status, collisionCount } });
  return true;
}

async function patch(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  { ref, body }: Extract<RolloutWrite, { verb: 'patch' }>,
): Promise<void> {
  try {
    keep(deps, await deps.kube.patch(ctx, ref, { type: 'merge', body }, { fieldManager }));
  } catch (error) {
    // a pod, a run or an old ReplicaSet may be gone by now
    if (!hasReason(error, 'NotFound')) throw error;
  }
}

/** compat rollouts RQ-2: the next pass reads what this one wrote. */
export function keep({ informers }: ExecutePlanDeps, object: KubeObject): void {
  if (object.kind === 'ReplicaSet') informers.replicaSets.put(object as RolloutReplicaSet);
  else if (object.kind === 'AnalysisRun') informers.runs.put(object as AnalysisRun);
  else if (object.kind === 'Experiment') informers.experiments.put(object as Experiment);
  else if (object.kind === 'Service' && object.apiVersion === 'v1')
    informers.services.put(object as RolloutService);
}

async function remove(
  ctx: Ctx,
  { kube }: ExecutePlanDeps,
  { ref, uid }: Extract<RolloutWrite, { verb: 'delete' }>,
): Promise<void> {
  try {
    await kube.delete(ctx, ref, { propagationPolicy: 'Background', ...(uid && { preconditions: { uid } }) });
  } catch (error) {
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
  }
}

/** compat rollouts RW-9: a pod that a disruption budget protects is tried again later. */
async function evict(
  ctx: Ctx,
  { kube }: ExecutePlanDeps,
  { ref }: Extract<RolloutWrite, { verb: 'evict' }>,
): Promise<void> {
  const { name, namespace } = ref;
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, ...(namespace && { namespace }) },
  };
  try {
    await kube.create(ctx, eviction, { at: { ...ref, subresource: 'eviction' } });
    ctx.log.info('pod evicted', { namespace, name });
  } catch (error) {
    if (!hasReason(error, 'TooManyRequests') && !hasReason(error, 'NotFound')) throw error;
  }
}
