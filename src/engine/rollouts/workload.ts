import type { KubeObject, LabelSelector } from '#base/model';
import type { Draft } from './pass.ts';
import { revisionOf } from './replica-sets.ts';
import { type Rollout, type RolloutTemplate, replicasOf, rolloutKey } from './rollout.ts';

export type WorkloadView = KubeObject<{
  replicas?: number;
  selector?: LabelSelector;
  template?: RolloutTemplate;
}> & { template?: RolloutTemplate };

/** compat rollouts §2: the Rollout with the template and the selector of the workload that it refers to. */
export function withWorkload(rollout: Rollout, workload: WorkloadView | undefined): Rollout {
  const template = workload?.spec?.template ?? workload?.template;
  if (!rollout.spec?.workloadRef || !template) return rollout;
  const selector = rollout.spec.selector ?? workload?.spec?.selector;
  return { ...rollout, spec: { ...rollout.spec, template, ...(selector && { selector }) } };
}

/** compat rollouts RC-6: records which generation of the workload the Rollout has seen. */
export function noteWorkload(draft: Draft): void {
  const { rollout, pass } = draft;
  if (!rollout.spec?.workloadRef || !pass.workload) return;
  const generation = String(pass.workload.metadata.generation ?? 0);
  if (rollout.metadata.annotations?.[rolloutKey.workloadGeneration] === generation) return;
  draft.patch(rollout, { metadata: { annotations: { [rolloutKey.workloadGeneration]: generation } } });
}

/** compat rollouts RC-6: at revision 1 the pods of the workload make room for those of the Rollout. */
export function scaleWorkload(draft: Draft): void {
  const { rollout, pass } = draft;
  const { workload } = pass;
  const way = rollout.spec?.workloadRef?.scaleDown ?? 'never';
  if (!workload || way === 'never' || workload.kind !== 'Deployment' || revisionOf(rollout) !== 1) return;
  const size = workload.spec?.replicas ?? 1;
  const isHealthy = rollout.status?.phase === 'Healthy';
  if (!isHealthy && way === 'onsuccess') return;
  const ready = rollout.status?.readyReplicas ?? 0;
  if (!isHealthy && ready === 0) return;
  const wanted = isHealthy ? 0 : Math.max(0, replicasOf(rollout) - ready);
  if (wanted < size) draft.patch(workload, { spec: { replicas: wanted } });
}
