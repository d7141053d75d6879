import { type Application, annotation, isAutomated, parseTime, type RevisionHistory } from '#base/model';
import { setOf } from './application-set.ts';
import { isUnderway } from './failing-sync.ts';

/** One past deployment. */
export type PastDeployment = {
  readonly id: number;
  readonly revision: string;
  readonly deployedAt?: number;
  readonly ms?: number;
  readonly by: string;
  readonly isCurrent: boolean;
  /** Why a rollback to it is impossible; absent: it is possible. */
  readonly why?: string;
};

/** The deployments, newest first. */
export function deploymentsOf(app: Application): PastDeployment[] {
  const history = app.status?.history ?? [];
  return history.map((entry, at) => deploymentOf(app, entry, at === history.length - 1)).reverse();
}

/** Why none of the earlier ones can be rolled back to; undefined: one can, or there is none. */
export function whyNoRollback(deployments: readonly PastDeployment[]): string | undefined {
  const earlier = deployments.filter(({ isCurrent }) => !isCurrent);
  return earlier.every(({ why }) => why !== undefined) ? earlier[0]?.why : undefined;
}

function deploymentOf(app: Application, entry: RevisionHistory, isCurrent: boolean): PastDeployment {
  const [started, deployedAt] = [parseTime(entry.deployStartedAt), parseTime(entry.deployedAt)];
  const why = reasonAgainst(app, isCurrent);
  return {
    id: entry.id,
    revision: entry.revision || (entry.revisions ?? []).join(', '),
    ...(deployedAt !== undefined && { deployedAt }),
    ...(started !== undefined && deployedAt !== undefined && { ms: deployedAt - started }),
    by: entry.initiatedBy?.automated ? 'auto-sync' : entry.initiatedBy?.username || 'unknown',
    isCurrent,
    ...(why && { why }),
  };
}

function reasonAgainst({ status }: Application, isCurrent: boolean): string | undefined {
  if (isCurrent) return 'This is what runs now.';
  return isUnderway(status?.operationState) ? 'A sync is running. Wait for it, or terminate it.' : undefined;
}

/**
 * compat server §2.8: a rollback is refused while automated sync is on, which would undo it. What turning it off means for this
 * application; undefined: it is off.
 */
export function autoSyncNote(app: Application): string | undefined {
  if (!isAutomated(app.spec)) return undefined;
  const owner = ownerOf(app);
  const again = owner ? ` ${owner} may turn it on again.` : '';
  return `It would undo the rollback. Turn it on again when Git is mended.${again}`;
}

/** What applies the application itself. */
function ownerOf(app: Application): string | undefined {
  const set = setOf(app);
  if (set) return `The ApplicationSet ${set.name}`;
  const [parent] = app.metadata.annotations?.[annotation.trackingId]?.split(':') ?? [];
  return parent && `The application ${parent}, which deploys this one,`;
}
