import { controllerOf, type KubeObject, matches, selectorOf } from '#base/model';
import type { Ctx } from '#base/std';
import { ownerOf, type Rollout, type RolloutReplicaSet } from '#engine/rollouts';
import { hasReason, refOf } from '#kubernetes/client';
import { type ExecutePlanDeps, fieldManager } from './execute-plan.ts';

type Claim = {
  readonly rollout: Rollout;
  /** The ReplicaSets that the Rollout controls. */
  readonly owned: readonly RolloutReplicaSet[];
  /** Those of its namespace that have no controller. */
  readonly orphans: readonly RolloutReplicaSet[];
};

/**
 * compat rollouts RH-5: adopts ReplicaSets that match the selector and have no controller, releases those that match it no
 * more, and returns the ones that the Rollout controls now. Nothing is written for a Rollout that was deleted meanwhile.
 */
export async function claimReplicaSets(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  claim: Claim,
): Promise<RolloutReplicaSet[]> {
  const { rollout, owned, orphans } = claim;
  const { matchLabels = {}, matchExpressions = [] } = rollout.spec?.selector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return [...owned];
  const selector = selectorOf(rollout.spec?.selector);
  const isOurs = ({ metadata }: RolloutReplicaSet): boolean => matches(selector, metadata.labels);
  const found = orphans.filter((set) => isOurs(set) && !set.metadata.deletionTimestamp);
  const lost = owned.filter((set) => !isOurs(set));
  if ((found.length === 0 && lost.length === 0) || !(await isAlive(ctx, deps, rollout))) return [...owned];
  const adopted: RolloutReplicaSet[] = [];
  for (const set of found) {
    const owners = [...(set.metadata.ownerReferences ?? []), ownerOf(rollout)];
    const written = await setOwners(ctx, deps, set, owners);
    if (written) adopted.push(written);
  }
  for (const set of lost) {
    const owners = (set.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== rollout.metadata.uid);
    await setOwners(ctx, deps, set, owners);
  }
  return [...owned.filter(isOurs), ...adopted];
}

/** A cache may lag behind a deletion: the Rollout is read once more before an owner changes. */
async function isAlive(
  ctx: Ctx,
  { kube }: ExecutePlanDeps,
  { apiVersion, kind, metadata }: Rollout,
): Promise<boolean> {
  const { namespace, name, uid } = metadata;
  const fresh = await kube.find(ctx, { apiVersion, kind, namespace, name });
  return fresh?.metadata.uid === uid && fresh?.metadata.deletionTimestamp === undefined;
}

async function setOwners(
  ctx: Ctx,
  { kube, informers }: ExecutePlanDeps,
  set: RolloutReplicaSet,
  ownerReferences: NonNullable<RolloutReplicaSet['metadata']['ownerReferences']>,
): Promise<RolloutReplicaSet | undefined> {
  const { uid, resourceVersion } = set.metadata;
  const body = { metadata: { uid, resourceVersion, ownerReferences } };
  try {
    const written = (await kube.patch(
      ctx,
      refOf(set),
      { type: 'merge', body },
      { fieldManager },
    )) as RolloutReplicaSet;
    informers.replicaSets.put(written);
    return written;
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    return undefined;
  }
}

export const isOrphan = (set: KubeObject): boolean => controllerOf(set) === undefined;
