import type { KnativePass } from './traffic.ts';
import { isReady, type KnativeRevision } from './view.ts';

/** Whether the latest Revision is not the one that the status is about. */
export const isAnother = ({ draft, latest }: KnativePass): boolean => {
  const known = draft.rollout.status?.currentPodHash ?? '';
  return known !== '' && known !== latest.metadata.name;
};

/** compat rollouts RK-5: the counts of the two versions; a version that Knative scaled to zero can still serve. */
export function countRevisions({ draft, stable, latest }: KnativePass): void {
  const { status } = draft;
  const both = stable && stable !== latest ? [stable, latest] : [latest];
  const count = (of: readonly KnativeRevision[]): number =>
    of.reduce((sum, revision) => sum + (revision.status?.actualReplicas ?? 0), 0);
  status.currentPodHash = latest.metadata.name;
  status.replicas = count(both);
  status.HPAReplicas = status.replicas;
  status.updatedReplicas = count([latest]);
  status.readyReplicas = count(both.filter(isReady));
  status.availableReplicas = Math.max(status.readyReplicas, isReady(stable) ? 1 : 0);
}
