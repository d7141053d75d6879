import { type Application, qualifiedName } from '#base/model';
import type { DeletionChoice } from './application-deletion.ts';
import { isUnderway } from './failing-sync.ts';
import { counted } from './span.ts';

export type BulkDeed = 'sync' | 'refresh' | 'delete';

/** What a deed would do to one application, or why it is left out. */
export type BulkLine = {
  readonly app: Application;
  readonly key: string;
  readonly effect: string;
  readonly isSkipped: boolean;
};

export type BulkChoices = {
  readonly prune: boolean;
  /** What becomes of the resources of deleted applications. */
  readonly deletion: DeletionChoice;
};

/** What a deed would do, before it is confirmed: one line for each application. `denied` are those the user has no right to. */
export function bulkPlan(
  deed: BulkDeed,
  apps: readonly Application[],
  choices: BulkChoices,
  denied: ReadonlySet<string> = new Set(),
): BulkLine[] {
  return apps.map((app) => {
    const key = qualifiedName(app);
    const why = denied.has(key) ? `left out: you may not ${deed} it` : whyNot(deed, app);
    return { app, key, effect: why ?? effectOf(deed, app, choices), isSkipped: why !== undefined };
  });
}

function whyNot(deed: BulkDeed, { metadata, status }: Application): string | undefined {
  if (metadata.deletionTimestamp) return 'left out: it is being deleted';
  return deed === 'sync' && isUnderway(status?.operationState) ? 'left out: a sync is running' : undefined;
}

function effectOf(deed: BulkDeed, { status }: Application, { prune, deletion }: BulkChoices): string {
  const resources = status?.resources ?? [];
  const all = counted(resources.length, 'resource');
  if (deed === 'refresh') return 'is compared with Git again';
  if (deed === 'delete')
    return deletion === 'keep' ? `is deleted, its ${all} stay` : `is deleted with ${all}`;
  const differing = resources.filter((one) => one.status === 'OutOfSync' && !one.hook);
  const gone = differing.filter(({ requiresPruning }) => requiresPruning).length;
  const changes = differing.length - gone;
  const parts = [
    changes > 0 ? counted(changes, 'change') : '',
    gone > 0 ? (prune ? `${gone} pruned` : `${gone} kept, prune is off`) : '',
  ].filter(Boolean);
  return parts.join(', ') || 'nothing differs';
}

/** Why a deed cannot be confirmed yet: a deletion wants its number typed. */
export function whyNotBulk(deed: BulkDeed, plan: readonly BulkLine[], typed: string): string | undefined {
  const count = doable(plan).length;
  if (count === 0) return 'None of them can be done now.';
  return deed === 'delete' && typed.trim() !== String(count) ? `Type ${count} to confirm.` : undefined;
}

/** The lines that the deed does something to. */
export const doable = (plan: readonly BulkLine[]): BulkLine[] => plan.filter(({ isSkipped }) => !isSkipped);

/** The words on the button: how many it will touch. */
export function bulkLabel(deed: BulkDeed, plan: readonly BulkLine[]): string {
  const count = doable(plan).length;
  return `${{ sync: 'Sync', refresh: 'Refresh', delete: 'Delete' }[deed]} ${counted(count, 'application')}`;
}
