import type { Ctx } from '#base/std';
import { hasReason } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import { type Carrying, fieldManager } from './carry-out.ts';

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

type Released = { readonly namespace: string; readonly name: string; readonly service: string };

/** compat rollouts RK-9: the traffic of a deleted Rollout stays as it is, and belongs to it no more. */
export async function releaseTraffic(
  ctx: Ctx,
  { kube, events }: Carrying & { readonly events: EventRecorder },
  { namespace, name, service }: Released,
): Promise<void> {
  const ref = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', namespace, name: service };
  const live = await kube.find(ctx, ref).catch((error: unknown) => {
    if (hasReason(error, 'NoMatch')) return undefined;
    throw error;
  });
  const { managedFields = [], resourceVersion } = live?.metadata ?? {};
  const rest = managedFields.filter(({ manager }) => manager !== fieldManager);
  if (!live || rest.length === managedFields.length) return;
  const body = [
    { op: 'replace', path: '/metadata/managedFields', value: rest },
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
  ];
  await kube.patch(ctx, ref, { type: 'json', body }, { fieldManager });
  const message = `Rollout "${name}" was deleted: spec.traffic stays as it is until a manifest declares it`;
  events.record(live, { type: 'Normal', reason: 'RolloutDeleted', message });
}
