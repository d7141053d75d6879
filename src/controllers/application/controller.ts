import {
  affectedBy,
  deeper,
  eventsFor,
  isOwnObject,
  levelFor,
  type Push,
  type RefreshLevel,
  sourcesOf,
  timerDelay,
} from '#engine';
import type { KubeClient } from '#kube';
import type { Change, ClusterCache, ClusterChange, Clusters, Informer, SettingsChange } from '#live';
import { unjudged, type World } from '#look';
import { type Requeue, runWorkers, WorkQueue } from '#loop';
import { type Application, parseTime, type Source, sameRepo, skipsReconcile } from '#model';
import { type Ctx, runAll, type Task, Tasks } from '#std';
import type { Events } from './events.ts';
import { finalize } from './finalize.ts';
import { RepositoryGrace } from './grace.ts';
import { operate } from './operate.ts';
import { reconcile } from './reconcile.ts';
import { affected, obey } from './settings.ts';
import { createApplications, keyOfApp } from './store.ts';
import { askedBy, concerned, redrawn } from './wake.ts';

export type ApplicationControllerDeps = {
  readonly kube: Pick<KubeClient, 'find' | 'patch'>;
  readonly informer: Informer<Application>;
  readonly clusters: Clusters;
  /** Yields whenever a repository on this machine may have moved; never for one that is elsewhere. */
  watchRepository(ctx: Ctx, repoURL: string): AsyncIterable<void>;
  readonly world: World;
  /** What Git hosts tell of their repositories; left out: nobody tells. */
  readonly pushes?: (ctx: Ctx) => AsyncIterable<Push>;
  /** Whether a version is within a range, for applications that follow one. */
  readonly satisfies?: (version: string, range: string) => boolean;
  /** Who tells people what happens to their applications; left out: nobody. */
  readonly events?: Events;
  /** Every change of the settings; left out: they stay as they are. */
  readonly settingsChanges?: (ctx: Ctx) => AsyncIterable<SettingsChange>;
};
export type ApplicationControllerConfig = {
  readonly statusWorkers: number;
  readonly operationWorkers: number;
};

/** Watches Applications and what they manage, and keeps the two together. */
export function applicationController(
  deps: ApplicationControllerDeps,
  config: ApplicationControllerConfig,
): Task {
  return async (ctx) => {
    const controller = new ApplicationController(ctx, deps);
    const { statusWorkers, operationWorkers } = config;
    await runAll(ctx, [
      // those who listen come first: a change from here on is heard
      (inner) => controller.hear(deps.informer.changes(inner)),
      ...deps.clusters.all().map(
        ({ cache }) =>
          (inner: Ctx) =>
            controller.watch(cache.changes(inner), cache),
      ),
      async (inner) => deps.events?.run(inner),
      (inner) => controller.adapt(deps.settingsChanges?.(inner) ?? []),
      (inner) => controller.obeyPushes(deps.pushes?.(inner) ?? []),
      (inner) => controller.follow(inner),
      (inner) => controller.start(inner),
      (inner) => runWorkers(inner, controller.refreshes, controller.refresh, { workers: statusWorkers }),
      (inner) => runWorkers(inner, controller.operations, controller.operate, { workers: operationWorkers }),
    ]);
  };
}

/** The passes of one controller and what asks for them; applicationController() runs it. */
export class ApplicationController {
  readonly refreshes: WorkQueue;
  readonly operations: WorkQueue;
  readonly #deps: ApplicationControllerDeps;
  readonly #apps: ReturnType<typeof createApplications>;
  readonly #requested = new Map<string, RefreshLevel>();
  readonly #grace: RepositoryGrace;
  readonly #began: number;

  constructor({ clock }: Ctx, deps: ApplicationControllerDeps) {
    this.#deps = deps;
    this.#began = Math.floor(clock.now().getTime() / 1000) * 1000; // as exact as the times of objects are
    this.#apps = createApplications(deps);
    this.refreshes = new WorkQueue({ clock });
    this.operations = new WorkQueue({ clock });
    this.#grace = new RepositoryGrace(() => deps.world.settings().controller.repoErrorGraceMs);
  }

  /** compat R-43: everything is looked at once after a start, and operations under way go on. */
  async start(ctx: Ctx): Promise<void> {
    await this.#deps.informer.whenSynced(ctx);
    for (const app of this.#apps.all()) {
      this.#ask(keyOfApp(app), 'recorded', 'bulk');
      if (app.operation) this.operations.add(keyOfApp(app));
    }
  }

  /** Changes of the Application objects themselves. */
  async hear(changes: AsyncIterable<Change>): Promise<void> {
    for await (const change of changes) {
      const app = (change.after ?? change.before) as Application;
      this.#tell(change);
      const asked = askedBy(change);
      if (asked.refresh) this.refreshes.add(keyOfApp(app));
      if (asked.operate) this.operations.add(keyOfApp(app));
    }
  }

  /** What we find when we come is no news, however new it is to us. */
  #tell(change: Change): void {
    const { before, after } = change as { before?: Application; after?: Application };
    const app = after ?? before;
    const isOld = !before && (parseTime(app?.metadata.creationTimestamp) ?? 0) < this.#began;
    if (!app || isOld) return;
    for (const event of eventsFor(before, after)) this.#deps.events?.tell(app, event);
  }

  /** Changes of what applications manage. compat R-33: they also move a running operation on. */
  async watch(changes: AsyncIterable<ClusterChange>, cache: Pick<ClusterCache, 'get'>): Promise<void> {
    const { world } = this.#deps;
    for await (const change of changes) {
      const settings = world.settings();
      for (const instance of redrawn(change, cache, settings.tracking))
        this.#ask(this.#keyOf(instance), 'tree', 'bulk');
      for (const instance of concerned(change, settings, unjudged(world))) this.#changed(instance, change);
    }
  }

  #changed(instance: string, { before, after }: ClusterChange): void {
    const key = this.#keyOf(instance);
    const app = this.#apps.get(key);
    const object = after ?? before;
    if (!app || !object || isOwnObject(app, object)) return;
    this.#ask(key, levelFor(object, true));
    if (app.operation) this.operations.add(key);
  }

  /** Changes of the settings. In the bulk lane: nobody waits, and there may be thousands to look at. */
  async adapt(changes: AsyncIterable<SettingsChange> | Iterable<SettingsChange>): Promise<void> {
    for await (const change of changes) {
      for (const cluster of this.#deps.clusters.all()) obey(cluster, change);
      const isAffected = affected(change);
      for (const app of this.#apps.all()) if (isAffected(app)) this.#ask(keyOfApp(app), 'recorded', 'bulk');
    }
  }

  /** compat R-11: a push is looked at by those whose sources it touches; beyond the threshold not all in one moment. */
  async obeyPushes(pushes: AsyncIterable<Push> | Iterable<Push>): Promise<void> {
    const { world, satisfies } = this.#deps;
    for await (const push of pushes) {
      const { jitterMs, threshold } = world.settings().server.webhook;
      const touched = this.#apps.all().filter((app) => affectedBy(app, push, satisfies ? { satisfies } : {}));
      for (const [index, app] of touched.entries()) {
        const key = keyOfApp(app);
        this.#remember(key, 'resolved');
        if (jitterMs > 0 && index >= threshold) this.refreshes.addAfter(key, Math.random() * jitterMs);
        else this.refreshes.add(key);
      }
    }
  }

  /** Repositories on this machine are watched, not polled: one watch each, however many applications track it. */
  async follow(ctx: Ctx): Promise<void> {
    const watches = new Tasks();
    const changes = this.#deps.informer.changes(ctx);
    await watches.run(ctx, async (inner) => {
      const start = (app: Application) => {
        for (const { repoURL } of sourcesOf(app).filter(isLocal)) {
          watches.start(repoURL, (one) => this.#followOne(one, repoURL));
        }
      };
      await this.#deps.informer.whenSynced(inner);
      for (const app of this.#apps.all()) start(app);
      for await (const { after } of changes) if (after) start(after as Application);
    });
  }

  async #followOne(ctx: Ctx, repoURL: string): Promise<void> {
    for await (const _moved of this.#deps.watchRepository(ctx, repoURL)) {
      for (const app of this.#apps.all()) {
        const tracks = sourcesOf(app).some((source) => sameRepo(source.repoURL, repoURL));
        if (tracks) this.#ask(keyOfApp(app), 'resolved');
      }
    }
  }

  readonly refresh = async (ctx: Ctx, key: string): Promise<Requeue | undefined> => {
    const app = this.#apps.get(key);
    const requested = this.#requested.get(key);
    this.#requested.delete(key);
    if (!app || skipsReconcile(app)) return undefined;
    if (app.metadata.deletionTimestamp) {
      const afterMs = await finalize(ctx, { ...this.#deps, apps: this.#apps }, app);
      return afterMs === undefined ? undefined : { requeueAfter: afterMs };
    }
    this.#scheduleNext(key);
    try {
      const deps = { ...this.#deps, apps: this.#apps, grace: this.#grace };
      const { afterMs } = await reconcile(ctx, deps, app, requested);
      if (afterMs === undefined) return undefined;
      this.#remember(key, 'tracked');
      return { requeueAfter: afterMs };
    } catch (error) {
      if (requested) this.#remember(key, requested); // a retry owes the same depth
      throw error;
    }
  };

  readonly operate = async (ctx: Ctx, key: string): Promise<Requeue | undefined> => {
    const app = this.#apps.get(key);
    if (!app || skipsReconcile(app)) return undefined;
    const onward = await operate(ctx, { world: this.#deps.world, apps: this.#apps }, key);
    if (!onward) return undefined;
    if (onward.finished && !onward.finished.operation.sync?.dryRun) {
      // compat §2.3: what an operation did is looked at afterwards
      this.#ask(key, onward.finished.operation.initiatedBy?.automated ? 'tracked' : 'resolved');
    }
    if (onward.finished) return undefined;
    if (onward.afterMs > 0) return { requeueAfter: onward.afterMs };
    this.operations.add(key);
    return undefined;
  };

  /** compat R-10: the interval, spread so that a thousand applications do not wake in one second. */
  #scheduleNext(key: string): void {
    const delay = timerDelay(this.#deps.world.settings().refresh, Math.random());
    if (delay !== undefined) this.refreshes.addAfter(key, delay);
  }

  /** compat R-5: of two requests the deeper one is kept. */
  #ask(key: string, level: RefreshLevel, lane: 'prompt' | 'bulk' = 'prompt'): void {
    this.#remember(key, level);
    this.refreshes.add(key, lane);
  }

  #remember(key: string, level: RefreshLevel): void {
    const before = this.#requested.get(key);
    this.#requested.set(key, before ? deeper(before, level) : level);
  }

  /** compat §0: a bare name is at home, `<namespace>_<name>` elsewhere. */
  #keyOf(instance: string): string {
    const at = instance.indexOf('_');
    return at < 0
      ? `${this.#deps.world.namespace}/${instance}`
      : `${instance.slice(0, at)}/${instance.slice(at + 1)}`;
  }
}

const isLocal = ({ repoURL }: Source): boolean => repoURL.startsWith('/') || repoURL.startsWith('file:');
