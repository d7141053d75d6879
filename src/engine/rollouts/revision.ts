import { templateWithRule } from './anti-affinity.ts';
import { progressing, setRolloutCondition } from './conditions.ts';
import { metadataFor, printMetadata } from './ephemeral-metadata.ts';
import type { Draft } from './pass.ts';
import { copiedAnnotations, newReplicaSet, revisionOf } from './replica-sets.ts';
import { type RolloutReplicaSet, rolloutKey } from './rollout.ts';

const newest = (sets: readonly RolloutReplicaSet[]): number => Math.max(0, ...sets.map(revisionOf));

/** compat rollouts RH-3: creates the ReplicaSet of a new template, without pods; the next pass scales it. */
export function createReplicaSet(draft: Draft): void {
  const { rollout, pass } = draft;
  const { stable, all } = pass.roles;
  const revision = newest(all) + 1;
  const template = templateWithRule(rollout, rollout.status?.stableRS ?? '');
  const { labels, annotations } = metadataFor(rollout, stable ? 'fresh' : 'stable');
  const hasMetadata = Object.keys(labels).length + Object.keys(annotations).length > 0;
  const set = newReplicaSet(
    rollout,
    hasMetadata
      ? {
          ...template,
          metadata: {
            ...template.metadata,
            labels: { ...template.metadata?.labels, ...labels },
            annotations: { ...template.metadata?.annotations, ...annotations },
          },
        }
      : template,
    revision,
  );
  if (hasMetadata && set.metadata.annotations)
    set.metadata.annotations[rolloutKey.ephemeralMetadata] = printMetadata({ labels, annotations });
  draft.write({ verb: 'create', object: set });
  draft.event('NewReplicaSetCreated', `Created ReplicaSet ${set.metadata.name} (revision ${revision})`);
  const message = `Created new replica set "${set.metadata.name}"`;
  setRolloutCondition(draft, progressing('True', 'NewReplicaSetCreated', message), true);
  noteRevision(draft, revision);
}

/** compat rollouts RH-4: the ReplicaSet of the current template has the highest revision, and the Rollout the same. */
export function syncRevision(draft: Draft, fresh: RolloutReplicaSet): void {
  const { rollout, pass, status } = draft;
  const before = revisionOf(fresh);
  const highest = newest(pass.roles.all.filter((set) => set !== fresh));
  const revision = before > highest ? before : highest + 1;
  const annotations = changedAnnotations(draft, fresh);
  if (revision !== before) {
    annotations[rolloutKey.revision] = String(revision);
    if (before > 0) annotations[rolloutKey.revisionHistory] = historyWith(fresh, before);
  }
  const ready = rollout.spec?.minReadySeconds ?? 0;
  const isReadyChanged = (fresh.spec?.minReadySeconds ?? 0) !== ready;
  if (Object.keys(annotations).length > 0 || isReadyChanged)
    draft.patch(fresh, {
      metadata: { annotations },
      ...(isReadyChanged && { spec: { minReadySeconds: ready } }),
    });
  noteRevision(draft, revision);
  if (!(status.conditions ?? []).some(({ type }) => type === 'Progressing')) {
    const message = `Found new replica set "${fresh.metadata.name}"`;
    setRolloutCondition(draft, progressing('True', 'FoundNewReplicaSet', message));
  }
}

function changedAnnotations({ rollout }: Draft, { metadata }: RolloutReplicaSet): Record<string, string> {
  const copied = Object.entries(copiedAnnotations(rollout));
  return Object.fromEntries(copied.filter(([key, value]) => metadata.annotations?.[key] !== value));
}

function historyWith({ metadata }: RolloutReplicaSet, revision: number): string {
  const history = metadata.annotations?.[rolloutKey.revisionHistory];
  return history ? `${history},${revision}` : String(revision);
}

/** The Rollout carries the number of its revision. */
export function noteRevision(draft: Draft, revision: number): void {
  const { rollout } = draft;
  draft.revision = revision;
  if (rollout.metadata.annotations?.[rolloutKey.revision] === String(revision)) return;
  draft.patch(rollout, { metadata: { annotations: { [rolloutKey.revision]: String(revision) } } });
  draft.event('RolloutUpdated', `Rollout updated to revision ${revision}`);
}
