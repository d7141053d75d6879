import { equal } from '#base/std';
import type { Draft } from './pass.ts';
import { hashOf, parseMetadata } from './replica-sets.ts';
import {
  blueGreenOf,
  canaryOf,
  isPromoted,
  type PodMetadata,
  type Rollout,
  type RolloutReplicaSet,
  rolloutKey,
} from './rollout.ts';

type Maps = { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };

const whole = ({ labels = {}, annotations = {} }: PodMetadata = {}): Maps => ({ labels, annotations });

/** compat rollouts RH-9: what the pods of each role carry. */
export function metadataFor(rollout: Rollout, role: 'fresh' | 'stable' | 'other'): Maps {
  const canary = canaryOf(rollout);
  const blueGreen = blueGreenOf(rollout);
  if (role === 'other') return whole();
  if (role === 'stable') return whole(canary?.stableMetadata ?? blueGreen?.activeMetadata);
  return whole(canary?.canaryMetadata ?? blueGreen?.previewMetadata);
}

/** What the annotation of a ReplicaSet records: maps that hold nothing are left out, as the peer leaves them out. */
export const printMetadata = (injected: Maps): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(injected).filter(([, map]) => Object.keys(map).length > 0)),
  );

/** compat rollouts RH-9: the metadata of a role goes into the template of its ReplicaSet, then onto its pods. */
export function injectMetadata(draft: Draft): void {
  const { rollout, pass } = draft;
  const { fresh, stable, others } = pass.roles;
  if (fresh) inject(draft, fresh, isPromoted(rollout) || !stable ? 'stable' : 'fresh');
  if (stable && stable !== fresh) inject(draft, stable, 'stable');
  for (const set of others) inject(draft, set, 'other');
}

function inject(draft: Draft, set: RolloutReplicaSet, role: 'fresh' | 'stable' | 'other'): void {
  const before = parseMetadata(set.metadata.annotations?.[rolloutKey.ephemeralMetadata]);
  const after = metadataFor(draft.rollout, role);
  if (equal(before, after)) return;
  const isNone = Object.keys(after.labels).length === 0 && Object.keys(after.annotations).length === 0;
  draft.patch(set, {
    metadata: {
      resourceVersion: set.metadata.resourceVersion,
      annotations: { [rolloutKey.ephemeralMetadata]: isNone ? null : printMetadata(after) },
    },
    spec: { template: { metadata: changes(before, after) } },
  });
  for (const pod of draft.pass.pods)
    if (pod.metadata.labels?.[rolloutKey.hash] === hashOf(set) && !pod.metadata.deletionTimestamp)
      draft.patch(pod, { metadata: changes(before, after) });
}

const changes = (before: Maps, after: Maps) => ({
  labels: { ...nulls(before.labels), ...after.labels },
  annotations: { ...nulls(before.annotations), ...after.annotations },
});

const nulls = (map: Readonly<Record<string, string>>): Record<string, null> =>
  Object.fromEntries(Object.keys(map).map((key) => [key, null]));

/** Whether a pass over the Rollout needs its pods. */
export function needsPods(rollout: Rollout, sets: readonly RolloutReplicaSet[]): boolean {
  const hasMetadata =
    ['fresh', 'stable'].some((role) => !equal(metadataFor(rollout, role as 'fresh'), whole())) ||
    sets.some(({ metadata }) => metadata.annotations?.[rolloutKey.ephemeralMetadata] !== undefined);
  const { restartAt } = rollout.spec ?? {};
  return hasMetadata || (restartAt !== undefined && restartAt !== rollout.status?.restartedAt);
}
