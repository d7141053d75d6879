import type { KubeObject } from '#base/model';
import type { ReplicaSet } from '../replica-set.ts';
import { bounds, type Deployment, wantedOf } from './view.ts';

export const revisionNote = 'deployment.kubernetes.io/revision';
const historyNote = 'deployment.kubernetes.io/revision-history';
const desiredNote = 'deployment.kubernetes.io/desired-replicas';
export const maxNote = 'deployment.kubernetes.io/max-replicas';

/** compat cluster 5.2: annotations that are about the deployment alone and are not copied to its sets. */
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

/** Whether the set's annotation has the deployment's current number of desired pods. */
export const hasCurrentSize = (set: ReplicaSet, deployment: Deployment): boolean =>
  noteOf(set, desiredNote) === String(wantedOf(deployment));

/** Whether the set has no annotation with the number of desired pods. */
export const hasNoSize = (set: ReplicaSet): boolean => noteOf(set, desiredNote) === undefined;

export const sizeNotes = (deployment: Deployment): Record<string, string> => ({
  [desiredNote]: String(wantedOf(deployment)),
  [maxNote]: String(wantedOf(deployment) + bounds(deployment.spec ?? {}).surge),
});

/** compat cluster 5.2: the deployment's annotations that a set gets, and the revision of the set's template. */
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
