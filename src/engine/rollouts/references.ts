import { knativeOf } from './knative/settings.ts';
import type { WriteRef } from './plan-draft.ts';
import type { Rollout } from './rollout.ts';
import { routedObjects } from './routers/reconcile-traffic.ts';

/** The objects in its namespace, other than Services and templates, that a pass over the Rollout reads. */
export function referencesOf(rollout: Rollout): readonly WriteRef[] {
  const { workloadRef } = rollout.spec ?? {};
  const refs: WriteRef[] = [];
  if (workloadRef?.apiVersion && workloadRef.kind && workloadRef.name)
    refs.push({ apiVersion: workloadRef.apiVersion, kind: workloadRef.kind, name: workloadRef.name });
  const { service = '' } = knativeOf(rollout) ?? {};
  if (service) refs.push({ apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: service });
  return [...refs, ...routedObjects(rollout)];
}
