import type { KubeObject } from '#base/model';
import type { ReplicaSet } from '../replica-set.ts';
import { bounds, type Deployment, wantedOf } from './view.ts';

export const revisionNote = 'deployment.kubernetes.io/revision';
const historyNote = 'deployment.kubernetes.io/revision-history';
const desiredNote = 'deployment.kubernetes.io/desired-replicas';
export const maxNote = 'deployment.kubernetes.io/max-replicas';

/** compat 5.2: notes that are about the deployment alone. */
const keptBack = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionNote,
  historyNote,
  desiredNote,
  maxNote,
  'deprecated.deployment.rollback.to',
]);

export const noteOf = ({ metadata }: KubeObject, name: string): string | undefined =>
  metadata.annotations?.[name];

export const revisionOf = (object: KubeObject): number => Number(noteOf(object, revisionNote) ?? 0);

/** Whether a set knows how many pods the deployment wants in all. */
export const wasToldAll = (set: ReplicaSet, deployment: Deployment): boolean =>
  noteOf(set, desiredNote) === String(wantedOf(deployment));

/** Whether a set has never been told how many pods the deployment wants. */
export const wasToldNothing = (set: ReplicaSet): boolean => noteOf(set, desiredNote) === undefined;

export const sizeNotes = (deployment: Deployment): Record<string, string> => ({
  [desiredNote]: String(wantedOf(deployment)),
  [maxNote]: String(wantedOf(deployment) + bounds(deployment.spec ?? {}).surge),
});

/** compat 5.2: what the deployment's people have noted on it, and which of its templates this set has. */
export function templateNotes(
  deployment: Deployment,
  set: KubeObject | undefined,
  revision: number,
): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !keptBack.has(key));
  const before = set && noteOf(set, revisionNote);
  if (set && Number(before ?? 0) >= revision) return Object.fromEntries(copied);
  const past = set && noteOf(set, historyNote);
  return {
    ...Object.fromEntries(copied),
    [revisionNote]: String(revision),
    ...(before !== undefined && { [historyNote]: past ? `${past},${before}` : before }),
  };
}
