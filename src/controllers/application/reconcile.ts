import { decide, neededRefresh, projectWarnings, type Refresh, type RefreshLevel, summarize } from '#engine';
import { type Look, look, placeOf, treeOf, type World } from '#look';
import { type Application, type AppProject, annotation, type Settings } from '#model';
import { type Ctx, FairleadError } from '#std';
import type { RepositoryGrace } from './grace.ts';
import { StatusReport } from './status.ts';
import type { Applications } from './store.ts';

export type ReconcileDeps = {
  readonly world: World;
  readonly apps: Pick<Applications, 'saveStatus' | 'request' | 'patch'>;
  readonly grace: RepositoryGrace;
};

/** When to look again with nobody asking: a backoff that ends, or undefined for the usual interval. */
export type Again = { readonly afterMs?: number };

/** One look at one Application. Safe at any moment, any number of times. */
export async function reconcile(
  ctx: Ctx,
  deps: ReconcileDeps,
  app: Application,
  requested: RefreshLevel | undefined,
): Promise<Again> {
  const { refresh: intervals } = deps.world.settings();
  const refresh = neededRefresh(app, { now: ctx.clock.now(), intervals, ...(requested && { requested }) });
  if (!refresh || refresh.level === 'tree') return {};
  const status = new StatusReport(app, ctx.clock.now());
  let again: Again = {};
  try {
    again = await compareAndDecide(ctx, deps, { app, refresh, status });
    deps.grace.succeeded(app);
  } catch (error) {
    if (ctx.signal.aborted || deps.grace.isExcused(app, refresh, ctx.clock.now())) throw error;
    status.failed(error);
    throw error;
  } finally {
    if (!ctx.signal.aborted) await report(ctx, deps, app, status);
  }
  return again;
}

type Pass = { readonly app: Application; readonly refresh: Refresh; readonly status: StatusReport };

async function compareAndDecide(
  ctx: Ctx,
  deps: ReconcileDeps,
  { app, refresh, status }: Pass,
): Promise<Again> {
  const { world } = deps;
  const placed = placeOf(world, app);
  if ('conditions' in placed) {
    status.invalid(placed.conditions);
    return {};
  }
  const seen = await look(ctx, world, { app, place: placed.place }, lookOptions(app, refresh));
  const tree = treeOf(world, placed.place.cluster.cache, seen.comparison.resources);
  const warnings = [...projectWarnings(placed.place.project), ...unheeded(seen, world.settings())];
  status.compared({ look: seen, refresh, summary: summarize(app, tree), warnings });
  return sync(ctx, deps, app, { seen, status, ...heldBy(placed.place.project) });
}

/** What Git or the settings ask for and we do not do yet. */
function unheeded({ comparison }: Look, { resources }: Settings): string[] {
  const scripts = Object.entries(resources.overrides).filter(([, { healthLua }]) => healthLua !== undefined);
  return [
    ...comparison.deleteHooks.map(
      ({ kind, metadata }) =>
        `not supported yet: the hook ${kind} ${metadata.name} will not run when the application is deleted`,
    ),
    ...scripts.map(
      ([kind]) => `not supported yet: the health script for ${kind} in argocd-cm; the built-in check is used`,
    ),
  ];
}

/** A window we cannot read yet might be closed now, so automation stays outside; a person may still sync. */
function heldBy({ spec, metadata }: AppProject): { blocked?: string } {
  if (!spec.syncWindows?.length) return {};
  return { blocked: `not supported yet: the sync windows of project ${metadata.name} hold automated sync` };
}

/** compat R-4: a change in the cluster is compared with the revision on record, anything deeper with the tracked one. */
function lookOptions(app: Application, { level, hard }: Refresh) {
  const { revision, revisions } = app.status?.sync ?? {};
  const recorded = revisions ?? (revision ? [revision] : undefined);
  const pinned = level === 'recorded' && recorded ? { revisions: recorded } : {};
  return { ...pinned, resolve: level === 'resolved' ? ('fresh' as const) : ('cached' as const), hard };
}

/** The decision is written onto the Application; operate.ts sees it there, and a crash in between loses nothing. */
async function sync(
  ctx: Ctx,
  { apps, world }: ReconcileDeps,
  app: Application,
  { seen, status, blocked }: { seen: Look; status: StatusReport; blocked?: string },
): Promise<Again> {
  const { comparison, generated } = seen;
  const compared = {
    status: comparison.status,
    resources: comparison.resources,
    revisions: generated.revisions,
  };
  const { controller } = world.settings();
  const decision = decide(app, compared, {
    now: ctx.clock.now(),
    selfHeal: controller,
    ...(blocked && { blocked }),
  });
  status.decided(decision.do === 'refuse' ? decision.condition : undefined);
  if (decision.do === 'wait') return { afterMs: decision.ms };
  if (decision.do === 'sync' && (await apps.request(ctx, app, decision.operation))) {
    ctx.log.info('automated sync requested', { revision: generated.revisions[0] });
  }
  return {};
}

/** Status first, then the annotation that asked for it: whoever waits for it to go reads the new status. */
async function report(
  ctx: Ctx,
  { apps }: ReconcileDeps,
  app: Application,
  status: StatusReport,
): Promise<void> {
  const written = await apps.saveStatus(ctx, app, status.next);
  const asked = app.metadata.annotations?.[annotation.refresh];
  if (asked === undefined) return;
  const annotations = { [annotation.refresh]: null, [annotation.refreshTimestamp]: null };
  // compat §1.12: a newer request than the one we served stays
  const isSame = written.metadata.annotations?.[annotation.refresh] === asked;
  if (isSame) await apps.patch(ctx, written, { metadata: { annotations } }).catch(gone);
}

function gone(error: unknown): void {
  if (FairleadError.from(error).code !== 'NotFound') throw error;
}
