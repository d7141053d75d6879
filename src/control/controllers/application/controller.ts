import { type Application, parseTime, skipsReconcile } from '#base/model';
import { type Ctx, runAll, type Task } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { LiveCluster, ObjectChange } from '#control/live';
import { type Requeue, runWorkers, WorkQueue } from '#control/runtime';
import { deletionNeedsTargets, eventsFor, type Push, sourcesOf } from '#engine';
import { createApplications, keyOfApp } from './applications.ts';
import type { ApplicationControllerConfig, ApplicationControllerDeps } from './controller-deps.ts';
import { finalize } from './deletion/finalize.ts';
import { HookBackoff } from './deletion/hook-backoff.ts';
import { HookFinalizers } from './deletion/hook-finalizers.ts';
import { ConcurrencyLimits, type PassDependencies } from './pacing/concurrency-limits.ts';
import { Outages } from './pacing/outages.ts';
import { RepositoryGrace } from './pacing/repository-grace.ts';
import { sourceLimitKeys } from './pacing/source-limit-keys.ts';
import { WavePauses } from './pacing/wave-pauses.ts';
import { isSourceUnavailable, reconcile } from './reconcile/reconcile.ts';
import { withoutSecrets } from './status/mask-secrets.ts';
import { reportRefreshWaiting, reportSyncWaiting } from './status/report-waiting.ts';
import { operate } from './sync/operate.ts';
import { EnvironmentWatch } from './triggers/environment-watch.ts';
import { followLocal } from './triggers/local-repositories.ts';
import { mayOperate, requestedBy } from './triggers/object-changes.ts';
import { ObjectWatch } from './triggers/object-watch.ts';
import { OrphanWatch } from './triggers/orphan-watch.ts';
import { OtherControllers } from './triggers/other-controllers.ts';
import { isUnaffectedByPush, refreshPushed } from './triggers/push.ts';
import { RefreshQueue } from './triggers/refresh-queue.ts';
import { remainingRequest, requestedSince } from './triggers/refresh-requests.ts';

/** Watches Applications and the resources they manage, refreshes and syncs them. */
export function applicationController(
  deps: ApplicationControllerDeps,
  config: ApplicationControllerConfig,
): Task {
  return async (ctx) => {
    const controller = new ApplicationController(ctx, deps);
    const { statusWorkers, operationWorkers } = config;
    await runAll(ctx, [
      // subscribe before the first pass: no later change is missed
      (inner) => controller.onApplicationChange(inner, deps.informer.changes(inner)),
      (inner) => controller.objects.onObjectChange(deps.clusters.changes(inner)),
      (inner) => controller.environment.onClusterChange(deps.clusters.changedServers(inner)),
      async (inner) => deps.events?.run(inner),
      (inner) => controller.environment.onSettingsChange(deps.settingsChanges?.(inner) ?? []),
      (inner) => controller.environment.onProjectChange(deps.projectChanges?.(inner) ?? []),
      (inner) => controller.environment.onRepositoryChange(deps.repositoryChanges?.(inner) ?? []),
      (inner) => controller.environment.onTrustChange(deps.trustChanges?.(inner) ?? []),
      async (inner) => controller.outages?.run(inner),
      (inner) => controller.onPush(deps.pushes?.(inner) ?? []),
      (inner) => controller.watchLocalRepositories(inner),
      (inner) => controller.start(inner),
      (inner) => controller.hookFinalizers.run(inner),
      (inner) => runWorkers(inner, controller.refreshes.keys, controller.refresh, { workers: statusWorkers }),
      (inner) => runWorkers(inner, controller.operations, controller.operate, { workers: operationWorkers }),
    ]);
  };
}

/**
 * The queues of one controller and the triggers that fill them; applicationController() runs it. A refresh and an operation of
 * one application have a queue each and may overlap: they share nothing but the Application object. What the levels of a
 * refresh mean stands in engine/refresh/refresh.ts.
 */
export class ApplicationController {
  readonly refreshes: RefreshQueue;
  readonly operations: WorkQueue;
  readonly environment: EnvironmentWatch;
  readonly objects: ObjectWatch;
  readonly hookFinalizers: HookFinalizers;
  readonly outages: Outages | undefined;
  readonly #deps: ApplicationControllerDeps;
  readonly #apps: ReturnType<typeof createApplications>;
  readonly #clock: Ctx['clock'];
  readonly #grace: RepositoryGrace;
  readonly #orphans: OrphanWatch;
  readonly #pauses = new WavePauses();
  readonly #hookBackoff = new HookBackoff();
  readonly #foreign: OtherControllers;
  readonly #refreshLimits: ConcurrencyLimits;
  readonly #operationLimits: ConcurrencyLimits;
  readonly #began: number;

  constructor({ clock }: Ctx, deps: ApplicationControllerDeps) {
    this.#deps = deps;
    this.#clock = clock;
    this.#began = Math.floor(clock.now().getTime() / 1000) * 1000; // object timestamps have a resolution of one second
    this.#apps = createApplications(deps);
    const all = () => this.#apps.all();
    this.#orphans = new OrphanWatch({ context: deps.context, all });
    const { context, clusters, takeOver = false } = deps;
    const intervals = () => context.settings().refresh;
    this.refreshes = new RefreshQueue({ clock, intervals, ...hooked(deps, 'app_reconciliation_queue') });
    this.operations = new WorkQueue({ clock, ...hooked(deps, 'app_operation_processing_queue') });
    const { refreshes, operations } = this;
    const act = (key: string) => operations.add(key);
    this.environment = new EnvironmentWatch({
      ...{ context, clusters, all, act },
      requestRefresh: (key, level, lane) => refreshes.request(key, level, lane),
      schedule: (key) => refreshes.scheduleNext(key),
      onProject: () => this.#orphans.forget(),
    });
    const wake = (key: string) => refreshes.request(key, 'resolved', 'bulk');
    const get = (key: string) => this.#apps.get(key);
    this.outages = deps.reaches && new Outages({ reaches: deps.reaches, wake, get });
    this.#foreign = new OtherControllers({ context, takeOver });
    this.#refreshLimits = new ConcurrencyLimits({
      clock,
      requeue: (key) => refreshes.keys.add(key),
      reportWaiting: (ctx, key, why) => reportRefreshWaiting(ctx, this.#apps, key, why),
    });
    this.#operationLimits = new ConcurrencyLimits({
      clock,
      requeue: act,
      reportWaiting: (ctx, key, why) => reportSyncWaiting(ctx, this.#apps, key, why),
    });
    const isLeft = (ctx: Ctx, app: Application) =>
      this.#isLeftAlone(app) || this.#foreign.leaveForMs(ctx, app) !== undefined;
    this.hookFinalizers = new HookFinalizers({ ...deps, clock, apps: this.#apps, isLeft });
    this.objects = new ObjectWatch({
      ...{ context, refreshes, operations, apps: this.#apps, orphans: this.#orphans },
      hookFinalizers: this.hookFinalizers,
      clusterOf: (app) => this.#clusterOf(app),
    });
    this.#grace = new RepositoryGrace(
      () => deps.context.settings().controller.repoErrorGraceMs,
      deps.comparisons,
    );
  }

  /** compat engine R-43: after a start every application is refreshed once, and running operations are resumed. */
  async start(ctx: Ctx): Promise<void> {
    await this.#deps.informer.whenSynced(ctx);
    for (const app of this.#apps.all()) {
      this.refreshes.request(keyOfApp(app), 'recorded', 'bulk');
      if (mayOperate(app)) this.operations.add(keyOfApp(app));
    }
  }

  /** Changes of the Application objects themselves. */
  async onApplicationChange(ctx: Ctx, changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const change of changes) {
      const app = (change.after ?? change.before) as Application;
      this.#recordEvents(change);
      if (!change.after) {
        this.#grace.forget(ctx, app);
        this.#deps.observe?.gone(app);
      }
      const requested = requestedBy(change);
      this.#orphans.onApplicationChange(change);
      this.hookFinalizers.onApplicationChange(change);
      if (requested.level) this.refreshes.request(keyOfApp(app), requested.level);
      else if (requested.refresh) this.refreshes.keys.add(keyOfApp(app));
      if (requested.operate) this.operations.add(keyOfApp(app));
    }
  }

  /** Records events for a change; objects that existed before this process started get no creation event. */
  #recordEvents(change: ObjectChange): void {
    const { before, after } = change as { before?: Application; after?: Application };
    const app = after ?? before;
    const isOld = !before && (parseTime(app?.metadata.creationTimestamp) ?? 0) < this.#began;
    if (!app || isOld) return;
    for (const event of eventsFor(before, after)) this.#deps.events?.record(app, event);
  }

  /** Refreshes the applications that pushes touch. */
  async onPush(pushes: AsyncIterable<Push> | Iterable<Push>): Promise<void> {
    const { context, satisfies } = this.#deps;
    await refreshPushed({ context, satisfies, apps: this.#apps, refreshes: this.refreshes }, pushes);
  }

  /** Watches repositories on this machine instead of polling them. */
  async watchLocalRepositories(ctx: Ctx): Promise<void> {
    await followLocal(ctx, this.#deps, (app) => this.refreshes.requestForPush(keyOfApp(app)));
  }

  readonly refresh = async (ctx: Ctx, key: string): Promise<Requeue | undefined> => {
    const app = this.#apps.get(key);
    if (!app || this.#isLeftAlone(app)) return undefined;
    const foreignMs = this.#foreign.leaveForMs(ctx, app);
    if (foreignMs !== undefined) return { requeueAfter: foreignMs };
    if (this.#clusterOf(app)?.cache.isPending) return undefined; // refreshed once the cluster's cache is filled
    return this.#limited(ctx, this.#refreshLimits, app, (inner, context) =>
      this.#refresh(inner, key, app, context),
    );
  };

  async #refresh(
    ctx: Ctx,
    key: string,
    app: Application,
    context: ComparisonDeps,
  ): Promise<Requeue | undefined> {
    const requested = this.refreshes.take(key);
    if (app.metadata.deletionTimestamp) {
      if (requested?.level === 'resolved') this.#hookBackoff.retryNow(key);
      return this.#finalize(ctx, app, context);
    }
    if (requested?.isPush && (await isUnaffectedByPush(ctx, context, app, requested.at))) return undefined;
    this.refreshes.scheduleNext(key);
    try {
      const isSourceUnreachable = (one: Application): boolean => this.outages?.isUnreachable(one) === true;
      const requestedAt = requestedSince(requested, app);
      const refreshAfter = (ms: number): void => this.refreshes.keys.addAfter(key, ms);
      const known = { apps: this.#apps, grace: this.#grace, requestedAt, isSourceUnreachable, refreshAfter };
      const deps = { ...this.#deps, ...known, context };
      const began = performance.now();
      const { afterMs } = await reconcile(ctx, deps, app, requested?.level).finally(() =>
        this.#deps.observe?.reconciled(app, performance.now() - began),
      );
      if (requested?.level === 'resolved') this.outages?.answered(app);
      if (afterMs === undefined) return undefined;
      this.refreshes.note(key, 'tracked');
      return { requeueAfter: afterMs };
    } catch (error) {
      const remaining = remainingRequest(requested, app, this.#clock.now().getTime());
      if (remaining) this.refreshes.restore(key, remaining);
      if (isSourceUnavailable(error)) this.outages?.failed(key, app);
      throw error;
    }
  }

  async #finalize(ctx: Ctx, app: Application, context: ComparisonDeps): Promise<Requeue | undefined> {
    const deps = { ...this.#deps, context, apps: this.#apps, hookBackoff: this.#hookBackoff };
    const afterMs = await finalize(ctx, deps, app);
    return afterMs === undefined ? undefined : { requeueAfter: afterMs };
  }

  readonly operate = async (ctx: Ctx, key: string): Promise<Requeue | undefined> => {
    const app = this.#apps.get(key);
    if (!app || this.#isLeftAlone(app)) return undefined;
    const foreignMs = this.#foreign.leaveForMs(ctx, app);
    if (foreignMs !== undefined) return { requeueAfter: foreignMs };
    const restMs = this.#pauses.leftMs(app, ctx.clock.now());
    if (restMs > 0) return { requeueAfter: restMs };
    return this.#limited(ctx, this.#operationLimits, app, (inner, context) =>
      this.#operate(inner, key, context),
    );
  };

  async #operate(ctx: Ctx, key: string, context: ComparisonDeps): Promise<Requeue | undefined> {
    const { observe } = this.#deps;
    const onward = await operate(ctx, { context, apps: this.#apps, observe }, key);
    if (!onward) return undefined;
    const app = this.#apps.get(key);
    if (app && onward.finished) observe?.finished(app, onward.finished);
    if (onward.finished && !onward.finished.operation.sync?.dryRun) {
      // compat engine §2.3: a finished operation is followed by a refresh
      this.refreshes.request(key, onward.finished.operation.initiatedBy?.automated ? 'tracked' : 'resolved');
    }
    if (onward.finished) return undefined;
    if (onward.rests) this.#pauses.begin(key, ctx.clock.now(), onward.afterMs);
    if (onward.afterMs > 0) return { requeueAfter: onward.afterMs };
    this.operations.add(key);
    return undefined;
  }

  /** Runs a pass when its cluster and repositories have capacity. Its log lines and its error contain no secret. */
  #limited(ctx: Ctx, limits: ConcurrencyLimits, app: Application, run: Work): ReturnType<Work> {
    const pass = { key: keyOfApp(app), needs: this.#needsOf(app), context: this.#deps.context };
    return withoutSecrets(ctx, app, (inner) =>
      limits.run(inner, { ...pass, run: (context) => run(inner, context) }),
    );
  }

  /** compat engine: the controller skips a frozen application, and one whose destination cluster is frozen. */
  #isLeftAlone(app: Application): boolean {
    return skipsReconcile(app) || this.#clusterOf(app)?.record.skipReconcile === true;
  }

  /**
   * The cluster and the repositories a pass may have to wait for. One of them that hangs occupies a limited number of
   * workers.
   */
  #needsOf(app: Application): PassDependencies {
    const isOnlyCleared = app.metadata.deletionTimestamp !== undefined && !deletionNeedsTargets(app);
    const urls = isOnlyCleared ? [] : sourcesOf(app).map(({ repoURL }) => repoURL);
    return {
      cluster: `cluster ${this.#clusterOf(app)?.server ?? ''}`,
      repositories: sourceLimitKeys(urls, app),
    };
  }

  #clusterOf({ spec }: Application): LiveCluster | undefined {
    try {
      return this.#deps.clusters.resolve(spec.destination);
    } catch {
      return undefined; // reported by a condition
    }
  }
}

type Work = (ctx: Ctx, context: ComparisonDeps) => Promise<Requeue | undefined>;

const hooked = ({ observe }: ApplicationControllerDeps, name: string) =>
  observe ? { hooks: observe.queue(name) } : {};
