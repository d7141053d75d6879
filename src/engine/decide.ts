import {
  type Application,
  type ApplicationCondition,
  effectiveSources,
  hasMultipleSources,
  isAutomated,
  type Operation,
  type OperationState,
  type ResourceStatus,
  type Settings,
  type SyncStatusCode,
} from '#base/model';
import { equal } from '#base/std';
import { type Supersede, supersession } from './operation/supersede.ts';

/** What automation should do now. `wait`: refresh after that time; `refuse`: set a SyncError condition. */
export type AutomationDecision =
  | { readonly do: 'sync'; readonly operation: Operation }
  | { readonly do: 'wait'; readonly ms: number; readonly why: string }
  | { readonly do: 'nothing'; readonly why: string }
  | { readonly do: 'refuse'; readonly condition: ApplicationCondition }
  /** The running operation is to be terminated, by writing this state, because a newer revision waits. */
  | { readonly do: 'supersede'; readonly state: OperationState; readonly why: string };

/** The part of a comparison that a decision rests on. */
export type Compared = {
  readonly status: SyncStatusCode;
  readonly resources: readonly { readonly status: ResourceStatus }[];
  /** The concrete revisions compared, one per source. */
  readonly revisions: readonly string[];
  /** False: the new revision cannot differ in what concerns this Application (engine R-12). */
  readonly mayHaveChanges?: boolean;
};

export type DecideOptions = {
  readonly now: Date;
  readonly selfHeal: Pick<Settings['controller'], 'selfHealBackoff' | 'selfHealTimeoutMs'>;
  /** Why an automated sync may not start now (a sync window); engine R-21 leaves everything as it is. */
  readonly blocked?: string;
  /**
   * The installation's setting for newer revisions; the Application's annotation overrides it. Off by default
   * (engine R-40).
   */
  readonly supersede?: Supersede;
};

const nothing = (why: string): AutomationDecision => ({ do: 'nothing', why });
// compat engine A-16
const defaultRetry = { limit: 5 };

/** compat engine R-21 … R-30: should an automated sync start now? */
export function decide(app: Application, compared: Compared, options: DecideOptions): AutomationDecision {
  if (options.blocked) return nothing(options.blocked);
  // a revision that differs in nothing that matters is no reason to end anything
  const newer =
    compared.mayHaveChanges === false ? undefined : supersession(app, compared, options.supersede);
  if (newer) return { do: 'supersede', ...newer };
  const quiet = reasonNotTo(app, compared);
  if (quiet) return nothing(quiet);

  const state = app.status?.operationState;
  const attempted = state !== undefined && isAttempted(app, state, compared);
  const operation = automatedOperation(app, compared);
  const heal = attempted && state ? selfHeal(app, state, compared, options) : undefined;
  if (heal && 'do' in heal) return heal;
  return wipeOut(app, compared) ?? { do: 'sync', operation: heal ? withHealing(operation, heal) : operation };
}

/** compat engine R-22, in this order. */
function reasonNotTo(app: Application, { status, resources }: Compared): string | undefined {
  if (!isAutomated(app.spec)) return 'automated sync is off';
  if (app.operation) return 'an operation is already requested';
  if (app.metadata.deletionTimestamp) return 'the application is being deleted';
  if (status !== 'OutOfSync') return `the application is ${status}`;
  const different = resources.filter((resource) => resource.status.status !== 'Synced');
  const onlyPrunes = different.every((resource) => resource.status.requiresPruning);
  if (!prunes(app) && onlyPrunes) return 'only pruning is left to do, and automated pruning is off';
  return undefined;
}

const prunes = (app: Application): boolean => app.spec.syncPolicy?.automated?.prune === true;

/** compat engine R-23 */
function automatedOperation(app: Application, { revisions }: Compared): Operation {
  const { syncPolicy } = app.spec;
  const sources = effectiveSources(app.spec);
  const [source] = sources;
  const pinned = hasMultipleSources(app.spec)
    ? { revisions: [...revisions], sources: [...sources] }
    : { revision: revisions[0] ?? '', ...(source && { source }) };
  return {
    sync: {
      ...pinned,
      prune: prunes(app),
      ...(syncPolicy?.syncOptions && { syncOptions: syncPolicy.syncOptions }),
    },
    initiatedBy: { automated: true },
    retry: syncPolicy?.retry ?? defaultRetry,
  };
}

/**
 * compat engine R-24: a completed operation without a result counts as an attempt at the compared revision.
 */
function isAttempted(app: Application, { syncResult, phase }: OperationState, compared: Compared): boolean {
  if (!syncResult) return phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
  const multiple = hasMultipleSources(app.spec);
  const recorded = multiple ? (syncResult.revisions ?? []) : [syncResult.revision ?? ''];
  const wanted = multiple ? compared.revisions : [compared.revisions[0] ?? ''];
  if (compared.mayHaveChanges !== false && !equal(recorded, wanted)) return false;
  const sources = effectiveSources(app.spec);
  return multiple ? equal(syncResult.sources ?? [], sources) : equal(syncResult.source, sources[0]);
}

type Healing = { readonly attempt: number; readonly resources: readonly ResourceStatus[] };

/** compat engine: a failed revision is never tried again by itself; a healed one only after its backoff. */
function selfHeal(
  app: Application,
  state: OperationState,
  { resources, revisions }: Compared,
  options: DecideOptions,
): AutomationDecision | Healing {
  if (state.phase !== 'Succeeded') {
    const at = revisions.map((revision) => revision.slice(0, 7)).join(', ');
    return refuse(
      `automated sync does not retry ${at}, which ended as ${state.phase}: ${state.message ?? ''}; ` +
        'commit a fix, change the source or sync by hand',
    );
  }
  if (!app.spec.syncPolicy?.automated?.selfHeal)
    return nothing('this revision is synced, and self-heal is off');
  const attempts = state.operation.sync?.autoHealAttemptsCount ?? 0;
  const ms = remaining(state, healDelay(attempts, options.selfHeal), options.now);
  if (ms > 0) return { do: 'wait', ms, why: `self-heal attempt ${attempts + 1} is backing off` };
  const drifted = resources.map(({ status }) => status).filter(({ status }) => status !== 'Synced');
  return { attempt: attempts + 1, resources: drifted };
}

/** compat engine R-26: 0, 2, 6, 18, 54, 162, 300, 300 … seconds with the default settings. */
export function healDelay(attempts: number, settings: DecideOptions['selfHeal']): number {
  const { firstMs, factor, capMs } = settings.selfHealBackoff;
  if (firstMs <= 0) return settings.selfHealTimeoutMs;
  if (attempts <= 0) return 0;
  return Math.min(capMs, firstMs * factor ** (attempts - 1));
}

function remaining({ finishedAt }: OperationState, delayMs: number, now: Date): number {
  const ended = Date.parse(finishedAt ?? '');
  return Number.isNaN(ended) ? delayMs : Math.max(0, ended + delayMs - now.getTime());
}

/** compat engine R-27: only what drifted, without its namespace; being partial it runs no hooks and makes no history. */
function withHealing(operation: Operation, { attempt, resources }: Healing): Operation {
  return {
    ...operation,
    sync: {
      ...operation.sync,
      autoHealAttemptsCount: attempt,
      resources: resources.map(({ group, kind, name }) => ({ ...(group && { group }), kind, name })),
    },
  };
}

/** compat engine R-28: a repository that suddenly renders nothing is more often a mistake than intended. */
function wipeOut(app: Application, { resources }: Compared): AutomationDecision | undefined {
  const guarded = prunes(app) && !app.spec.syncPolicy?.automated?.allowEmpty;
  // dev engine R-28: hooks that lie about do not make an empty repository less empty
  const declared = resources.filter(({ status }) => !status.hook);
  if (!guarded || !declared.every(({ status }) => status.requiresPruning)) return undefined;
  return refuse(
    'automated sync would delete every resource of the application; ' +
      'sync by hand with prune, or set spec.syncPolicy.automated.allowEmpty if that is meant',
  );
}

const refuse = (message: string): AutomationDecision => ({
  do: 'refuse',
  condition: { type: 'SyncError', message },
});
