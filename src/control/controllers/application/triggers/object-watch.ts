import type { Application } from '#base/model';
import { type ComparisonDeps, shippedHealthOnly } from '#control/comparison';
import type { ClusterChange, LiveCluster } from '#control/live';
import type { WorkQueue } from '#control/runtime';
import { isOwnObject, levelFor } from '#engine';
import { type Applications, keyOfApp, keyOfInstance } from '../applications.ts';
import type { HookFinalizers } from '../deletion/hook-finalizers.ts';
import { applicationsAbove, applicationsDeclaring, applicationsOf, reworded } from './object-changes.ts';
import type { OrphanWatch } from './orphan-watch.ts';
import type { RefreshQueue } from './refresh-queue.ts';

/** Minimum interval between refreshes that resource changes cause during a sync. */
const whileSyncingMs = 1_000;
/** How often the status, and a sync that waits for health, follow changes of health messages. */
const rewordedMs = 1_000;

type Deps = {
  readonly context: ComparisonDeps;
  readonly apps: Pick<Applications, 'all' | 'get'>;
  readonly orphans: Pick<OrphanWatch, 'concerned'>;
  readonly hookFinalizers: Pick<HookFinalizers, 'onObjectChange'>;
  readonly refreshes: RefreshQueue;
  readonly operations: Pick<WorkQueue, 'add' | 'addAfter'>;
  clusterOf(app: Application): LiveCluster | undefined;
};

/** Changes of managed resources. compat engine R-33: they refresh their applications, and resume a running operation. */
export class ObjectWatch {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async onObjectChange(
    changes: AsyncIterable<{ cluster: LiveCluster; change: ClusterChange }>,
  ): Promise<void> {
    const { apps, clusterOf, orphans, refreshes } = this.#deps;
    for await (const { cluster, change } of changes) {
      this.#refreshOwners(cluster, change);
      for (const app of applicationsDeclaring(change, () => apps.all()))
        if (clusterOf(app)?.server === cluster.server) refreshes.request(keyOfApp(app), 'recorded');
      for (const key of orphans.concerned(cluster, change)) refreshes.request(key, 'tree', 'bulk');
    }
  }

  /** Enqueues the applications that an object belongs to. */
  #refreshOwners({ cache }: LiveCluster, change: ClusterChange): void {
    const { context, refreshes } = this.#deps;
    const settings = context.settings();
    const judged = shippedHealthOnly(context);
    for (const instance of applicationsAbove(change, cache, settings.tracking))
      refreshes.request(keyOfInstance(instance, context.namespace), 'tree', 'bulk');
    for (const instance of applicationsOf(change, settings, judged)) this.#onChanged(instance, change);
    for (const instance of reworded(change, cache, settings, judged)) this.#onReworded(instance);
  }

  #onChanged(instance: string, { before, after }: ClusterChange): void {
    const { context, apps, hookFinalizers, operations, refreshes } = this.#deps;
    const key = keyOfInstance(instance, context.namespace);
    const app = apps.get(key);
    const object = after ?? before;
    if (after) hookFinalizers.onObjectChange(instance, after);
    if (!app || !object || isOwnObject(app, object)) return;
    const level = levelFor(object, true);
    if (!app.operation) {
      refreshes.request(key, level);
      return;
    }
    operations.add(key);
    // a sync changes one object after another: one refresh covers several changes, and one more follows when the sync ends
    refreshes.requestAfter(key, level, { ms: whileSyncingMs, lane: 'prompt' });
  }

  /** dev engine H-12: health messages change with every replica, so several changes are written as one. */
  #onReworded(instance: string): void {
    const { context, apps, operations, refreshes } = this.#deps;
    const key = keyOfInstance(instance, context.namespace);
    refreshes.requestAfter(key, 'tree', { ms: rewordedMs });
    if (apps.get(key)?.operation) operations.addAfter(key, rewordedMs);
  }
}
