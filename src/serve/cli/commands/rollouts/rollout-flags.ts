import type { Command } from 'commander';
import {
  type AnalysisRun,
  asReplicaSet,
  type Experiment,
  type KnativeRevision,
  knativeOf,
  type Rollout,
  type RolloutReplicaSet,
  revisionsOf,
} from '#engine/rollouts';
import { manualTrafficMessage, manualTrafficOf } from '#engine/traffic';
import { ExitError } from '../../io.ts';
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

/** The versions of a Rollout: its ReplicaSets, or the Revisions of its Knative Service. */
export async function setsOf({ ctx, kube }: OnCluster, rollout: Rollout): Promise<RolloutReplicaSet[]> {
  const { namespace, uid } = rollout.metadata;
  const { service } = knativeOf(rollout) ?? {};
  if (service !== undefined) {
    const from = { apiVersion: 'serving.knative.dev/v1', kind: 'Revision', namespace };
    const found = await kube.list(ctx, from, { labelSelector: revisionsOf(service) });
    return (found.items as KnativeRevision[]).map(asReplicaSet);
  }
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

/** The Experiments of the steps of a Rollout. */
export async function experimentsOf({ ctx, kube }: OnCluster, { metadata }: Rollout): Promise<Experiment[]> {
  const { namespace, uid } = metadata;
  const { items } = await kube.list(ctx, { apiVersion: argo, kind: 'Experiment', namespace });
  return items.filter((one) =>
    one.metadata.ownerReferences?.some((owner) => owner.uid === uid),
  ) as Experiment[];
}

/** The AnalysisRuns of a Rollout, the newest first. */
export async function runsOf({ ctx, kube }: OnCluster, { metadata }: Rollout): Promise<AnalysisRun[]> {
  const { namespace, uid } = metadata;
  const { items } = await kube.list(ctx, { apiVersion: argo, kind: 'AnalysisRun', namespace });
  const owned = items.filter((one) => one.metadata.ownerReferences?.some((owner) => owner.uid === uid));
  const since = ({ metadata: of }: AnalysisRun): string => of.creationTimestamp ?? '';
  return (owned as AnalysisRun[]).toSorted((a, b) => (since(a) < since(b) ? 1 : -1));
}

/** compat rollouts RK-14: no update is brought out while a person has pinned the traffic. Throws for such a Rollout. */
export function refuseOverridden(rollout: Rollout): void {
  const { record } = knativeOf(rollout) ? manualTrafficOf(rollout) : {};
  if (!record) return;
  const { name, namespace = '' } = rollout.metadata;
  throw new ExitError(
    1,
    `${manualTrafficMessage(record)} (${record.reason}): end it first with fairlead rollouts undo ${name} -n ${namespace} --clear`,
  );
}

/** The template is that of the Knative Service, which Git declares. Throws for such a Rollout. */
export function refuseKnative(rollout: Rollout, verb: string): void {
  const { service } = knativeOf(rollout) ?? {};
  if (service === undefined) return;
  throw new ExitError(
    1,
    `rollout '${rollout.metadata.name}' has no template to ${verb}: it moves the traffic of the Knative Service "${service}"; change or revert that Service in Git`,
  );
}
