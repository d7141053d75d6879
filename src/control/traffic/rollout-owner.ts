import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { knativeOf, type Rollout } from '#engine/rollouts';
import { trafficOf } from '#engine/traffic';
import { hasReason, type KubeClient } from '#kubernetes/client';

/** compat rollouts RK-1: the Rollout that moves the traffic of a Service which Git leaves to it; undefined: none does. */
export async function rolloutOwning(
  ctx: Ctx,
  kube: Pick<KubeClient, 'list'>,
  target: KubeObject,
): Promise<Rollout | undefined> {
  if (trafficOf(target)) return undefined;
  const { name, namespace } = target.metadata;
  const rollouts = await rolloutsIn(ctx, kube, namespace);
  return rollouts.find((rollout) => knativeOf(rollout)?.service === name);
}

/** A cluster without the kind, or one that does not let us read it, has no Rollout of ours. */
async function rolloutsIn(
  ctx: Ctx,
  kube: Pick<KubeClient, 'list'>,
  namespace: string | undefined,
): Promise<readonly Rollout[]> {
  const from = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace };
  try {
    return (await kube.list(ctx, from)).items as Rollout[];
  } catch (error) {
    if (hasReason(error, 'NoMatch') || hasReason(error, 'Forbidden')) return [];
    throw error;
  }
}

/** Throws InvalidSpec for a Service whose traffic a Rollout moves: the Rollout would take the change back, or stop. */
export function refuseRollout(rollout: string | undefined, { metadata }: KubeObject): void {
  if (rollout === undefined) return;
  const { name, namespace = '' } = metadata;
  throw new FairleadError(
    'InvalidSpec',
    `Rollout ${rollout} moves the traffic of Service ${name}: use fairlead rollouts promote, abort or retry ${rollout} -n ${namespace}; to shift it here, delete the Rollout first`,
  );
}
