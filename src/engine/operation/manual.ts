import {
  type Application,
  effectiveSources,
  hasMultipleSources,
  isAutomated,
  type Operation,
  type RevisionHistory,
  type SyncOperation,
} from '#base/model';

/** The parts of a user's sync request that can be rejected. */
export type SyncWish = Pick<SyncOperation, 'revision' | 'revisions' | 'dryRun' | 'manifests' | 'syncOptions'>;

export type WishFacts = {
  /** The user may sync local manifests instead of Git's. */
  readonly mayOverride: boolean;
  /** The project requires signed sources; local manifests have no signature. */
  readonly hasSourceIntegrity: boolean;
  /** The installation permits Replace=true. */
  readonly replaceAllowed: boolean;
};

/**
 * compat engine R-46: why a user may not start this sync; undefined: nothing blocks it. The caller checks
 * windows before.
 */
export function syncProblem(app: Application, wish: SyncWish, facts: WishFacts): string | undefined {
  if (app.metadata.deletionTimestamp) return 'application is being deleted: it cannot be synced';
  if (wish.manifests?.length) {
    const problem = manifestsProblem(app, wish, facts);
    if (problem) return problem;
  }
  if (!facts.replaceAllowed && wish.syncOptions?.includes('Replace=true'))
    return 'Replace=true is switched off for this installation: sync without it';
  return revisionProblem(app, wish);
}

function manifestsProblem(app: Application, { dryRun }: SyncWish, facts: WishFacts): string | undefined {
  if (!facts.mayOverride) return 'syncing local manifests needs the permission override on the application';
  if (facts.hasSourceIntegrity)
    return 'local manifests cannot be synced: the project wants the signatures of their source checked';
  if (isAutomated(app.spec) && !dryRun)
    return 'local manifests cannot be synced while automated sync is on: it would undo them; try a dry run';
  return undefined;
}

function revisionProblem(app: Application, { revision, revisions, dryRun }: SyncWish): string | undefined {
  if (dryRun || !isAutomated(app.spec)) return undefined;
  const wanted = hasMultipleSources(app.spec) ? (revisions ?? []) : [revision];
  const targets = effectiveSources(app.spec).map(({ targetRevision }) => targetRevision || 'HEAD');
  const at = wanted.findIndex((one, index) => one && one !== targets[index]);
  if (at < 0) return undefined;
  return `cannot sync to ${wanted[at]}: automated sync keeps the application at ${targets[at] ?? 'its own revision'}`;
}

export type RollbackWish = {
  readonly id: number;
  readonly prune?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly username: string;
};

/**
 * compat engine R-45: an operation that restores a history entry, without hooks; rejected while automation
 * would undo it.
 */
export function rollbackOperation(
  app: Application,
  { id, prune, dryRun, username }: RollbackWish,
): Operation | { readonly problem: string } {
  if (app.metadata.deletionTimestamp)
    return { problem: 'application is being deleted: it cannot be rolled back' };
  if (isAutomated(app.spec)) {
    return {
      problem:
        'rollback cannot be initiated when auto-sync is enabled: switch it off first, or revert in Git',
    };
  }
  const entry = app.status?.history?.find((one) => one.id === id);
  if (!entry)
    return { problem: `application ${app.metadata.name} has no history entry ${id}: see app history` };
  const { syncOptions } = app.spec.syncPolicy ?? {};
  return {
    sync: {
      ...recorded(entry),
      ...(prune && { prune: true }),
      ...(dryRun && { dryRun: true }),
      syncStrategy: { apply: {} },
      ...(syncOptions && { syncOptions }),
    },
    initiatedBy: { username },
  };
}

function recorded({ revision, revisions, source, sources }: RevisionHistory) {
  return {
    ...(revision && { revision }),
    ...(revisions && { revisions }),
    ...(source && { source }),
    ...(sources && { sources }),
  };
}
