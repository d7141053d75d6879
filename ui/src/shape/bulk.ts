import { type Application, qualifiedName } from '#base/model';
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

/** What a deed would do, before it is confirmed: one line for each application. */
export function bulkPlan(deed: BulkDeed, apps: readonly Application[], prune: boolean): BulkLine[] {
  return apps.map((app) => {
    const why = whyNot(deed, app);
    return {
      app,
      key: qualifiedName(app),
      effect: why ?? effectOf(deed, app, prune),
      isSkipped: why !== undefined,
    };
  });
}

function whyNot(deed: BulkDeed, { metadata, status }: Application): string | undefined {
  if (metadata.deletionTimestamp) return 'left out: it is being deleted';
  return deed === 'sync' && isUnderway(status?.operationState) ? 'left out: a sync is running' : undefined;
}

function effectOf(deed: BulkDeed, { status }: Application, prune: boolean): string {
  const resources = status?.resources ?? [];
  if (deed === 'refresh') return 'is compared with Git again';
  if (deed === 'delete') return `is deleted with ${counted(resources.length, 'resource')}`;
  const differing = resources.filter((one) => one.status === 'OutOfSync' && !one.hook);
  const gone = differing.filter(({ requiresPruning }) => requiresPruning).length;
  const changes = differing.length - gone;
  const parts = [
    changes > 0 ? counted(changes, 'change') : '',
    gone > 0 ? (prune ? `${gone} pruned` : `${gone} kept, prune is off`) : '',
  ].filter(Boolean);
  return parts.join(', ') || 'nothing differs';
}

/** The words on the button: how many it will touch. */
export function bulkLabel(deed: BulkDeed, plan: readonly BulkLine[]): string {
  const count = plan.filter(({ isSkipped }) => !isSkipped).length;
  return `${{ sync: 'Sync', refresh: 'Refresh', delete: 'Delete' }[deed]} ${counted(count, 'application')}`;
}
