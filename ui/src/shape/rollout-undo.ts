import type { Rollout } from '#engine/rollouts';
import type { UndoRequest } from '#serve/api';
import { clearCommand, isOverridden } from './rollout-progress.ts';

/** What the form of an undo holds. */
export type UndoDraft = {
  readonly reason: string;
  /** Empty: the branch that the application tracks. */
  readonly branch: string;
};

/** A Revision of a Knative Service, by its generation. */
type WantedRevision = Required<Pick<UndoRequest, 'service' | 'namespace' | 'generation'>>;

/** compat rollouts RK-14: what is requested of the server; what is empty is left out. */
export const undoRequest = (wanted: WantedRevision, { reason, branch }: UndoDraft): UndoRequest => ({
  ...wanted,
  ...(reason && { reason }),
  ...(branch && { branch }),
});

/** What the Rollout does once the commit of an undo is synced. */
export function afterUndo(rollout: Rollout): string {
  if (isOverridden(rollout))
    return `A person has pinned the traffic: this commit moves none of it, until ${clearCommand(rollout)}.`;
  const steps = 'by the steps of the Rollout';
  const how = rollout.spec?.rollbackWindow ? `at once within its rollback window, otherwise ${steps}` : steps;
  return `Once the commit is synced, the restored template is an update: it gets the requests ${how}.`;
}
