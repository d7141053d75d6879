import { type Application, type ApplicationSet, annotation, sameRepo } from '#base/model';
import { type Ctx, equal, FailureNews, runAll, type Task } from '#base/std';
import type { RevisionAge } from '#control/generators';
import type { ObjectChange, SettingsChange } from '#control/live';
import { type QueueHooks, type Requeue, runWorkers, WorkQueue } from '#control/runtime';
import { hasPlugin, type Push, pushConcernsSet } from '#engine';
import { KeyedSemaphore } from '../application/pacing/keyed-semaphore.ts';
import { finalize } from './finalize.ts';
import { generatorLimitKeys } from './generator-limit-keys.ts';
import type { PassDeps } from './pass-deps.ts';
import { type PassResult, reconcile } from './reconcile.ts';
import { LocalRepositories } from './triggers/local-repositories.ts';
import { isSetChange, keyOfSet, ownerOf, readsClusters, wakeFor } from './triggers/object-changes.ts';
import { RefreshTimes } from './triggers/refresh-times.ts';
import { WriteLimit } from './write-limit.ts';

export type ApplicationSetControllerDeps = Omit<PassDeps, 'writes' | 'failures' | 'ownedBy'> & {
  /** Which clusters are registered. */
  readonly clusterChanges: (ctx: Ctx) => AsyncIterable<unknown>;
  watchRepository(ctx: Ctx, repoURL: string): AsyncIterable<void>;
  /** Pushes that webhooks report; left out: none are. */
  readonly pushes?: (ctx: Ctx) => AsyncIterable<Push>;
  readonly settingsChanges?: (ctx: Ctx) => AsyncIterable<SettingsChange>;
  readonly projectChanges?: (ctx: Ctx) => AsyncIterable<unknown>;
  readonly repositoryChanges?: (ctx: Ctx) => AsyncIterable<unknown>;
  /** Receives what happens to the queue, for metrics. */
  readonly hooks?: QueueHooks;
  readonly observe?: SetObserver;
};

/** Receives what happens to sets, for metrics. */
export type SetObserver = {
  reconciled(set: ApplicationSet, ms: number): void;
  /** The set was deleted. */
  gone(set: { readonly namespace: string; readonly name: string }): void;
};

/** A pass mostly waits for hosts; the writes of passes are limited by a setting. */
const workers = 400;
/** How many of them one host and one project may occupy (decision 30). */
const mostOf = { host: 100, project: 200 };
/** One write of a set's status covers the changes of many applications. */
const statusMs = 1_000;
const statusMsForEach = 4;

/** compat sources 5.5: creates, updates and deletes the applications that ApplicationSets generate. */
export function applicationSetController(deps: ApplicationSetControllerDeps): Task {
  return async (ctx) => {
    const controller = new ApplicationSetController(ctx, deps);
    await runAll(ctx, [
      // subscribe before the first pass: no later change is missed
      (inner) => controller.hearSets(deps.sets.changes(inner)),
      (inner) => controller.hearApplications(deps.apps.changes(inner)),
      (inner) => controller.hearClusters(deps.clusterChanges(inner)),
      (inner) => controller.hearSettings(deps.settingsChanges?.(inner) ?? []),
      (inner) => controller.retryTroubled(deps.projectChanges?.(inner) ?? []),
      (inner) => controller.retryTroubled(deps.repositoryChanges?.(inner) ?? []),
      (inner) => controller.hearPushes(deps.pushes?.(inner) ?? []),
      (inner) => controller.local.run(inner),
      async (inner) => deps.events?.run(inner),
      (inner) => controller.start(inner),
      (inner) => runWorkers(inner, controller.queue, controller.pass, { workers }),
    ]);
  };
}

class ApplicationSetController {
  readonly queue: WorkQueue;
  readonly local: LocalRepositories;
  readonly #deps: PassDeps;
  readonly #clock: Ctx['clock'];
  readonly #observe: SetObserver | undefined;
  readonly #refreshes = new RefreshTimes();
  readonly #limits: KeyedSemaphore;
  /** The results of the last passes: what they read, and whether something was wrong. */
  readonly #last = new Map<string, PassResult & Pick<ApplicationSet, 'spec'>>();

  constructor({ clock }: Ctx, deps: ApplicationSetControllerDeps) {
    const writes = new WriteLimit(() => deps.generators.settings().applicationSet.concurrency);
    this.#deps = { ...deps, writes, failures: new FailureNews(), ownedBy: deps.apps.indexBy(ownerOf) };
    this.#clock = clock;
    this.#observe = deps.observe;
    this.queue = new WorkQueue({ clock, ...(deps.hooks && { hooks: deps.hooks }) });
    this.#limits = new KeyedSemaphore({
      most: (thing) => (thing.startsWith('host ') ? mostOf.host : mostOf.project),
      requeue: (key) => this.queue.add(key),
    });
    const { watchRepository } = deps;
    this.local = new LocalRepositories({ watchRepository, moved: (url) => this.#moved(url) });
  }

  /** After a start every set is evaluated once. */
  async start(ctx: Ctx): Promise<void> {
    await this.#deps.sets.whenSynced(ctx);
    for (const set of this.#deps.sets.list()) this.queue.add(keyOfSet(set), 'bulk');
  }

  async hearSets(changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const change of changes) {
      const set = (change.after ?? change.before) as ApplicationSet;
      if (isSetChange(change)) this.queue.add(keyOfSet(set));
    }
  }

  async hearApplications(changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const change of changes) {
      const { before, after } = change as { before?: Application; after?: Application };
      const owners = new Set([before && ownerOf(before), after && ownerOf(after)]);
      for (const key of owners) if (key !== undefined) this.#hear(key, change);
    }
  }

  #hear(key: string, change: ObjectChange): void {
    const wake = wakeFor(change, this.#isProgressive(key));
    if (wake === 'pass') this.queue.add(key);
    else if (wake === 'status')
      this.queue.addAfter(key, statusMs + statusMsForEach * this.#deps.ownedBy(key).length);
  }

  #isProgressive(key: string): boolean {
    const [namespace = '', name = ''] = key.split('/');
    const { strategy } = this.#deps.sets.get(namespace, name)?.spec ?? {};
    return strategy !== undefined && this.#deps.generators.settings().applicationSet.progressiveSyncs;
  }

  async hearClusters(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _change of changes) {
      for (const set of this.#deps.sets.list()) {
        const key = keyOfSet(set);
        if (readsClusters(set) || this.#last.get(key)?.isTroubled) this.queue.add(key);
      }
    }
  }

  async hearSettings(changes: AsyncIterable<SettingsChange> | Iterable<SettingsChange>): Promise<void> {
    for await (const { before, after } of changes) {
      const isSame =
        equal(before.applicationSet, after.applicationSet) &&
        before.render.includeHiddenDirectories === after.render.includeHiddenDirectories;
      if (!isSame) for (const set of this.#deps.sets.list()) this.queue.add(keyOfSet(set), 'bulk');
    }
  }

  /** A project or a credential that was missing may be there now. */
  async retryTroubled(changes: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
    for await (const _change of changes)
      for (const [key, { isTroubled }] of this.#last) if (isTroubled) this.queue.add(key, 'bulk');
  }

  /** compat sources ASQ-5: a push wakes the sets whose git generators read what it moved. */
  async hearPushes(pushes: AsyncIterable<Push> | Iterable<Push>): Promise<void> {
    for await (const push of pushes)
      for (const set of this.#deps.sets.list()) {
        const key = keyOfSet(set);
        const isConcerned = pushConcernsSet(set, push, { read: this.#last.get(key)?.gitSources });
        if (!isConcerned && !hasPlugin(set)) continue;
        this.#refreshes.note(key, this.#clock.now().getTime());
        this.queue.add(key);
      }
  }

  /** A repository on this machine moved. */
  #moved(repoURL: string): void {
    for (const [key, { gitSources }] of this.#last) {
      if (!gitSources.some((source) => sameRepo(source.repoURL, repoURL))) continue;
      this.#refreshes.note(key, this.#clock.now().getTime());
      this.queue.add(key);
    }
  }

  readonly pass = async (ctx: Ctx, key: string): Promise<Requeue | undefined> => {
    const { sets, apps, evaluator, failures } = this.#deps;
    await Promise.all([sets.whenSynced(ctx), apps.whenSynced(ctx)]);
    const [namespace = '', name = ''] = key.split('/');
    const set = sets.get(namespace, name);
    if (!set) {
      this.#last.delete(key);
      evaluator.forget(key);
      failures.ended(key);
      this.#observe?.gone({ namespace, name });
      return undefined;
    }
    if (set.metadata.deletionTimestamp) return requeue(await finalize(ctx, this.#deps, set));
    const needs = generatorLimitKeys(set);
    if (!this.#limits.enter(key, needs)) return undefined; // queued again when there is capacity
    const began = performance.now();
    try {
      return await this.#evaluated(ctx, key, set);
    } finally {
      this.#limits.leave(needs);
      this.#observe?.reconciled(set, performance.now() - began);
    }
  };

  async #evaluated(ctx: Ctx, key: string, set: ApplicationSet): Promise<Requeue | undefined> {
    const since = this.#refreshes.take(key);
    const note = (): void => {
      if (since !== undefined) this.#refreshes.note(key, since);
    };
    try {
      const steady = this.#steady(key, set);
      const input = { owned: this.#deps.ownedBy(key), age: ageOf(set, since) };
      const result = await reconcile(ctx, this.#deps, steady, input);
      this.#last.set(key, { ...result, spec: steady.spec });
      if (!result.isTroubled) this.#deps.failures.ended(key);
      for (const { repoURL } of result.gitSources) this.local.watch(repoURL);
      if (result.isUnread) note();
      return requeue(result.requeueAfterMs);
    } catch (error) {
      note();
      throw error;
    }
  }

  /** An unchanged spec is the very same object as in the last pass, so that comparisons can be kept. */
  #steady(key: string, set: ApplicationSet): ApplicationSet {
    const known = this.#last.get(key)?.spec;
    return known && known !== set.spec && equal(known, set.spec) ? { ...set, spec: known } : set;
  }
}

/** compat sources ASQ-3: a refresh that is requested by annotation uses no cached branches. */
function ageOf({ metadata }: ApplicationSet, since: number | undefined): RevisionAge {
  if (metadata.annotations?.[annotation.applicationSetRefresh] !== undefined) return 'fresh';
  return since === undefined ? 'cached' : { since };
}

const requeue = (ms: number | undefined): Requeue | undefined =>
  ms === undefined ? undefined : { requeueAfter: ms };
