import type { Command } from 'commander';
import type { Rollout, RolloutReplicaSet } from '#engine/rollouts';
import type { KubeFlags, OnCluster } from '../../session/kube.ts';

export type RolloutFlags = KubeFlags & { namespace?: string };

const argo = 'argoproj.io/v1alpha1';

/** The flags by which kubectl chooses a cluster and a namespace. */
export const reachingRollouts = (command: Command): Command =>
  command
    .option('--kubeconfig <path>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-n, --namespace <name>', 'the namespace (default: default)');

export const namespaceOf = ({ namespace = 'default' }: RolloutFlags): string => namespace;

export async function readRollout(
  { ctx, kube }: OnCluster,
  flags: RolloutFlags,
  name: string,
): Promise<Rollout> {
  return (await kube.get(ctx, {
    apiVersion: argo,
    kind: 'Rollout',
    namespace: namespaceOf(flags),
    name,
  })) as Rollout;
}

export async function setsOf({ ctx, kube }: OnCluster, rollout: Rollout): Promise<RolloutReplicaSet[]> {
  const { namespace, uid } = rollout.metadata;
  const labelSelector = 'rollouts-pod-template-hash';
  const { items } = await kube.list(
    ctx,
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace },
    { labelSelector },
  );
  return items.filter(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid),
  ) as RolloutReplicaSet[];
}
