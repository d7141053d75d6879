import type { Draft, RolloutService } from './pass.ts';
import { availableOf, hashOf, sizeOf } from './replica-sets.ts';
import { canaryOf, isPromoted, type RolloutReplicaSet, replicasOf, rolloutKey } from './rollout.ts';

export const selectedHash = (service: RolloutService | undefined): string =>
  service?.spec?.selector?.[rolloutKey.hash] ?? '';

/** compat rollouts RT-1: makes a Service select the pods of one hash. */
export function switchService(draft: Draft, service: RolloutService, hash: string): void {
  const { name } = draft.rollout.metadata;
  const before = selectedHash(service);
  if (before === hash) return;
  draft.patch(service, {
    metadata: { annotations: { [rolloutKey.managedBy]: name } },
    spec: { selector: { [rolloutKey.hash]: hash } },
  });
  draft.event(
    'SwitchService',
    `Switched selector for service '${service.metadata.name}' from '${before}' to '${hash}'`,
  );
}

/** compat rollouts RT-1: a first switch needs all pods, a later one needs one. */
function target(
  draft: Draft,
  name: string | undefined,
  set: RolloutReplicaSet | undefined,
  checksPods = true,
): void {
  const service = name ? draft.pass.service(name) : undefined;
  if (!service || !set || selectedHash(service) === hashOf(set)) return;
  const isAdopted = service.metadata.annotations?.[rolloutKey.managedBy] !== undefined;
  const isReady = isAdopted
    ? availableOf(set) > 0
    : sizeOf(set) === availableOf(set) && sizeOf(set) === (set.status?.replicas ?? 0) && sizeOf(set) > 0;
  const isNothingWanted = replicasOf(draft.rollout) === 0;
  if (checksPods && !isReady && !isNothingWanted) return;
  switchService(draft, service, hashOf(set));
}

/** compat rollouts RT-1, RQ-9: the Services of a canary; in each state one rule decides about each of them. */
export function reconcileCanaryServices(draft: Draft): void {
  const { rollout, pass } = draft;
  const { stableService, canaryService, trafficRouting, dynamicStableScale } = canaryOf(rollout) ?? {};
  const { fresh, stable } = pass.roles;
  target(draft, stableService, stable);
  if (!draft.isAborted) {
    if (!(dynamicStableScale && isReturning(draft))) target(draft, canaryService, fresh);
    return;
  }
  const weight = rollout.status?.canary?.weights?.canary.weight ?? 0;
  if (trafficRouting && dynamicStableScale && weight > 0) return;
  target(draft, canaryService, stable, trafficRouting === undefined);
}

/** A way back to the stable version whose pods are not all there yet. */
function isReturning({ rollout, pass }: Draft): boolean {
  const recorded = rollout.status?.canary?.weights?.canary.podTemplateHash;
  const { fresh } = pass.roles;
  return (
    isPromoted(rollout) &&
    recorded !== undefined &&
    recorded !== hashOf(fresh) &&
    availableOf(fresh) < replicasOf(rollout)
  );
}
