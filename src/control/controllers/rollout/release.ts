import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import type { Rollout, RolloutService } from '#engine/rollouts';
import { hasReason } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import { type ExecutePlanDeps, fieldManager, keep } from './execute-plan.ts';

const managedBy = 'argo-rollouts.argoproj.io/managed-by-rollouts';

/** The Rollout that manages the Service, as `namespace/name`; undefined: none does. */
export function managerOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.annotations?.[managedBy];
  return name === undefined ? undefined : `${metadata.namespace ?? ''}/${name}`;
}

export function namesService({ spec }: Rollout, service: string): boolean {
  const { canary, blueGreen } = spec?.strategy ?? {};
  return [
    canary?.canaryService,
    canary?.stableService,
    blueGreen?.activeService,
    blueGreen?.previewService,
  ].includes(service);
}

/** compat rollouts RT-2: Services select all pods of the application again. One that changed meanwhile is a Conflict. */
export async function releaseServices(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  services: readonly RolloutService[],
): Promise<void> {
  for (const { apiVersion, kind, metadata } of services) {
    const { namespace, name, resourceVersion } = metadata;
    const body = {
      metadata: { resourceVersion, annotations: { [managedBy]: null } },
      spec: { selector: { 'rollouts-pod-template-hash': null } },
    };
    const ref = { apiVersion, kind, namespace, name };
    keep(deps, await deps.kube.patch(ctx, ref, { type: 'merge', body }, { fieldManager }));
  }
}

type Released = { readonly namespace: string; readonly name: string; readonly service: string };

/** compat rollouts RK-9: the traffic of a deleted Rollout stays as it is, and belongs to it no more. */
export async function releaseTraffic(
  ctx: Ctx,
  { kube, events }: ExecutePlanDeps & { readonly events: EventRecorder },
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
