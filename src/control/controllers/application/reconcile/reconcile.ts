import { type Application, isAutomated, type OperationState } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type ApplicationComparison,
  type ComparisonDeps,
  compareApplication,
  currentHealth,
  isClusterUnreachable,
  recordedIn,
  requiredKinds,
  resolveDestination,
  stageOf,
  treeOf,
} from '#control/comparison';
import {
  actionable,
  applicationHints,
  decide,
  gateAutomation,
  heldEvent,
  neededRefresh,
  normalizeSpec,
  orphanWarning,
  projectWarnings,
  type Refresh,
  type RefreshLevel,
  summarize,
  type WindowVerdict,
} from '#engine';
import { hasReason } from '#kubernetes/client';
import type { Applications } from '../applications.ts';
import { type RepositoryGrace, revisionsOf } from '../pacing/repository-grace.ts';
import type { EventRecorder } from '../status/event-recorder.ts';
import { logChange, type Observer } from '../status/observer.ts';
import { StatusReport } from '../status/status-report.ts';
import { writeSpecAndFinalizers } from './write-spec.ts';

export type ReconcileDeps = {
  readonly context: ComparisonDeps;
  readonly apps: Pick<Applications, 'saveStatus' | 'answer' | 'request' | 'patch'>;
  readonly grace: RepositoryGrace;
  readonly events?: Pick<EventRecorder, 'recordOnce'> | undefined;
  readonly observe?: Pick<Observer, 'orphaned'> | undefined;
  /** When the refresh was requested: revisions resolved since then are fresh. Left out: resolve again. */
  readonly requestedAt?: number | undefined;
  /** Whether a repository of an application is unreachable now. */
  isSourceUnreachable?(app: Application): boolean;
  /** Requests another pass after a while, for a pass that fails and has more to do before it is retried. */
  readonly refreshAfter?: (ms: number) => void;
};

/** When to refresh without a trigger: at the end of a backoff, or undefined for the usual interval. */
export type NextRefresh = { readonly afterMs?: number };

/** One refresh of one Application. Safe at any moment, any number of times. */
export async function reconcile(
  ctx: Ctx,
  deps: ReconcileDeps,
  stored: Application,
  requested: RefreshLevel | undefined,
): Promise<NextRefresh> {
  const app = normalizeSpec(stored);
  const { refresh: intervals } = deps.context.settings();
  const needed = neededRefresh(app, { now: ctx.clock.now(), intervals, ...(requested && { requested }) });
  if (!needed) return {};
  const refresh = safeLevel(ctx, deps, app, needed);
  if (refresh.level === 'tree' && app.status?.resources) return redraw(ctx, deps, app);
  const status = new StatusReport(app, ctx.clock.now());
  const pass = { stored, app, refresh, status };
  try {
    const again = await compareAndDecide(ctx, deps, pass);
    deps.grace.succeeded(ctx, app, revisionsOf({ status: status.next }));
    return again;
  } catch (error) {
    if (!ctx.signal.aborted) await failed(ctx, deps, pass, error);
    throw error;
  } finally {
    if (!ctx.signal.aborted) await report(ctx, deps, app, status);
  }
}

/** Reports why the comparison failed, and heals drift with the recorded revision where that is safe. */
async function failed(ctx: Ctx, deps: ReconcileDeps, pass: Pass, error: unknown): Promise<void> {
  const { app, refresh, status } = pass;
  // compat engine R-20: only source errors have a grace period
  const isExcused = isOfSource(error) && deps.grace.isExcused(app, refresh, ctx.clock.now());
  if (!isExcused) status.failed(error, await healthMeanwhile(ctx, deps.context, app, error));
  if (!isSourceUnavailable(error) || !mayHeal(ctx, deps, pass)) return;
  try {
    const recorded: Refresh = { level: 'recorded', hard: false, why: refresh.why };
    const known = { ...deps, isSourceUnreachable: () => true };
    const { afterMs } = await compareAndDecide(ctx, known, { ...pass, refresh: recorded });
    if (afterMs !== undefined) deps.refreshAfter?.(afterMs);
  } catch (other) {
    ctx.log.debug('cannot compare the recorded revision either', { error: other });
  }
}

/** docs/decisions/0037: whether the recorded revision may stand in for one that cannot be read. */
function mayHeal(ctx: Ctx, { grace }: ReconcileDeps, { app, refresh }: Pass): boolean {
  return refresh.level !== 'recorded' && revisionsOf(app).length > 0 && grace.wasEverCompared(ctx, app);
}

/**
 * docs/decisions/0037: after a failed comparison the revision on record may belong to another spec or project; where this
 * process cannot know, the tracked revision is compared instead. What the process before compared counts once the repository
 * is known to be unreachable: until then the tracked revision is compared, to find out.
 */
function safeLevel(ctx: Ctx, deps: ReconcileDeps, app: Application, refresh: Refresh): Refresh {
  if (refresh.level !== 'recorded' || app.status?.sync?.status !== 'Unknown') return refresh;
  const { grace } = deps;
  const isSafe = deps.isSourceUnreachable?.(app) ? grace.wasEverCompared(ctx, app) : grace.wasCompared(app);
  return isSafe ? refresh : { ...refresh, level: 'tracked' };
}

/** The source of an application is unreachable. A host that refuses the request is reachable. */
export const isSourceUnavailable = (error: unknown): boolean =>
  stageOf(error) === 'source' && FairleadError.from(error).code === 'Unavailable';

const isOfSource = (error: unknown): boolean => ['source', 'render'].includes(stageOf(error) ?? '');

/** Health of the running resources while the source cannot be read or rendered; nothing if the cluster is unreachable. */
async function healthMeanwhile(ctx: Ctx, context: ComparisonDeps, app: Application, error: unknown) {
  if (!isOfSource(error) && !isClusterUnreachable(error)) return undefined;
  const now = await currentHealth(ctx, context, app).catch(() => undefined);
  return now?.health;
}

/**
 * compat engine R-7: the tree of the recorded resources, for what the status shows of it. Nothing is rendered or compared.
 */
async function redraw(
  ctx: Ctx,
  { context, apps, observe }: ReconcileDeps,
  app: Application,
): Promise<NextRefresh> {
  const placed = resolveDestination(context, app);
  if ('conditions' in placed) return {}; // the next refresh reports them
  const { destination } = placed;
  await destination.cluster.cache.whenSynced(ctx, requiredKinds(app));
  const tree = await treeOf(ctx, context, { app, destination }, recordedIn(app));
  observe?.orphaned(app, tree.orphanedNodes?.length ?? 0);
  const status = new StatusReport(app, ctx.clock.now());
  status.redrawn(
    summarize(app, tree),
    orphanWarning(destination.project.spec.orphanedResources, tree.orphanedNodes),
    await currentHealth(ctx, context, app),
  );
  await apps.saveStatus(ctx, app, status.next);
  return {};
}

type Pass = {
  /** As stored by the API server; `app` is the same with a normalized spec (engine A-17). */
  readonly stored: Application;
  readonly app: Application;
  readonly refresh: Refresh;
  readonly status: StatusReport;
};

async function compareAndDecide(
  ctx: Ctx,
  deps: ReconcileDeps,
  { stored, app, refresh, status }: Pass,
): Promise<NextRefresh> {
  const { context } = deps;
  const placed = resolveDestination(context, app);
  if ('conditions' in placed) {
    status.invalid(placed.conditions);
    return {};
  }
  const seen = await compareWithFreshRetry(
    ctx,
    context,
    { app, destination: placed.destination },
    comparisonOptions(app, refresh, deps.requestedAt),
  );
  const held = await writeSpecAndFinalizers(ctx, deps.apps, { stored, app, targets: seen.target.objects });
  const { destination } = placed;
  const tree = await treeOf(ctx, context, { app, destination }, seen.comparison.resources);
  deps.observe?.orphaned(app, tree.orphanedNodes?.length ?? 0);
  const { project } = destination;
  const warnings = [...projectWarnings(project), ...applicationHints(app, project.spec.syncWindows)];
  status.compared({
    comparison: seen,
    refresh,
    summary: summarize(app, tree),
    warnings,
    orphans: orphanWarning(project.spec.orphanedResources, tree.orphanedNodes),
    doctor: context.settings().application.warnings,
    persistHealth: context.settings().controller.persistResourceHealth,
    isSourceUnreachable: refresh.level !== 'resolved' && deps.isSourceUnreachable?.(app) === true,
  });
  for (const message of seen.comparison.notes)
    deps.events?.recordOnce(app, { type: 'Normal', reason: 'StatusRefreshed', message });
  const gate = gateAutomation(project, app, ctx.clock.now());
  return requestSync(ctx, deps, held, { seen, status, gate });
}

/**
 * Compares again with freshly resolved revisions when something is not found at cached ones: a user who pushes a folder and
 * creates an application for it right away must not get an error that the folder is missing.
 */
async function compareWithFreshRetry(
  ...[ctx, context, at, options]: Parameters<typeof compareApplication>
): Promise<ApplicationComparison> {
  try {
    return await compareApplication(ctx, context, at, options);
  } catch (error) {
    const isStale = options.resolve === 'cached' && !options.revisions;
    if (!isStale || FairleadError.from(error).code !== 'NotFound') throw error;
    return compareApplication(ctx, context, at, { ...options, resolve: 'fresh' });
  }
}

/**
 * compat engine R-4: a change in the cluster is compared with the recorded revision, anything deeper with the tracked one.
 */
function comparisonOptions(app: Application, { level, hard }: Refresh, requestedAt: number | undefined) {
  const known = revisionsOf(app);
  const recorded = known.length > 0 ? known : undefined;
  const pinned = level === 'recorded' && recorded ? { revisions: recorded } : {};
  const fresh = requestedAt === undefined ? ('fresh' as const) : { since: requestedAt };
  return {
    ...pinned,
    ...(recorded && { since: comparedAndSynced(app, recorded) }),
    resolve: level === 'resolved' ? fresh : ('cached' as const),
    hard,
  };
}

/**
 * compat engine R-12: the revisions compared last, source by source, and those synced last. One may be ahead of the other
 * when a window or a failure kept a sync from starting; a revision that was never synced counts as a change.
 */
function comparedAndSynced(
  { status }: Application,
  compared: readonly string[],
): readonly (readonly string[])[] {
  const { revision, revisions } = status?.operationState?.syncResult ?? {};
  const synced = revisions ?? [revision];
  return compared.map((one, at) => [one, synced[at]].flatMap((text) => text || []));
}

/** Writes the decision onto the Application; operate.ts reads it there, so a crash in between loses nothing. */
async function requestSync(
  ctx: Ctx,
  { apps, context, events }: ReconcileDeps,
  app: Application,
  { seen, status, gate }: { seen: ApplicationComparison; status: StatusReport; gate: WindowVerdict },
): Promise<NextRefresh> {
  const { comparison, generated } = seen;
  const compared = {
    ...actionable(app, comparison),
    revisions: generated.revisions,
    mayHaveChanges: generated.mayHaveChanges,
  };
  const { controller, application } = context.settings();
  const decision = decide(app, compared, {
    now: ctx.clock.now(),
    selfHeal: controller,
    supersede: application.supersede,
    ...(!gate.allowed && { blocked: gate.why }),
  });
  // compat engine R-21: while a window blocks the sync, nothing is evaluated, so an earlier SyncError stays
  if (gate.allowed) status.decided(decision.do === 'refuse' ? decision.condition : undefined);
  if (decision.do === 'wait') return { afterMs: decision.ms };
  if (decision.do === 'supersede') {
    await supersede(ctx, apps, app, decision);
    return {};
  }
  if (!gate.allowed && isAutomated(app.spec) && compared.status === 'OutOfSync') {
    // an operation that a window blocks reports it itself
    if (!app.operation) reportBlocked(ctx, events, app, gate.why);
    return untilOpening(ctx, gate);
  }
  if (decision.do !== 'sync') return {};
  // in one write with the comparison it is based on
  const next = { ...status.next, controllerNamespace: context.namespace };
  const written = await apps.request(ctx, app, decision.operation, next);
  if (!written) return { afterMs: 0 }; // another write came between: refresh again
  status.saved(written);
  ctx.log.info('automated sync requested', { revision: generated.revisions[0] });
  return {};
}

/** Terminates only the operation that this pass read: one that finished or advanced meanwhile is left alone. */
async function supersede(
  ctx: Ctx,
  apps: ReconcileDeps['apps'],
  app: Application,
  { state, why }: { readonly state: OperationState; readonly why: string },
): Promise<void> {
  const { resourceVersion } = app.metadata;
  const { phase, message } = state;
  try {
    await apps.patch(ctx, app, {
      metadata: { resourceVersion },
      status: { operationState: { phase, message } },
    });
    ctx.log.info('operation superseded', { why });
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error;
  }
}

function reportBlocked(ctx: Ctx, events: ReconcileDeps['events'], app: Application, why: string): void {
  if (events?.recordOnce(app, heldEvent(why))) ctx.log.info('automated sync blocked', { why });
}

/** compat engine R-21: a sync that a window blocks is due the moment the window opens, not at the next interval. */
function untilOpening(ctx: Ctx, { opensAt }: { readonly opensAt?: Date }): NextRefresh {
  return opensAt ? { afterMs: opensAt.getTime() - ctx.clock.now().getTime() } : {};
}

/**
 * Writes the status and removes the refresh annotation in one patch: a client that waits for the annotation to be removed
 * then reads the new status.
 */
async function report(
  ctx: Ctx,
  { apps, context }: ReconcileDeps,
  app: Application,
  status: StatusReport,
): Promise<void> {
  // compat engine §1.10: the controller's namespace, so that two controllers detect each other (engine X-61)
  const next = { ...status.next, controllerNamespace: context.namespace };
  logChange(ctx, app, status.written ?? (await apps.answer(ctx, app, next)));
}
