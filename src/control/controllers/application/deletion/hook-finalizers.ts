import { type Application, instanceName, type KubeObject } from '#base/model';
import type { Clock, Ctx } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { Clusters, Informer, LiveCluster, ObjectChange } from '#control/live';
import { runWorkers, WorkQueue } from '#control/runtime';
import { isHeldHook } from '#engine';
import { type Applications, keyOfInstance } from '../applications.ts';
import { mayOperate } from '../triggers/object-changes.ts';
import { removeHookFinalizer } from './delete-object.ts';

type Deps = {
  readonly clock: Clock;
  readonly context: Pick<ComparisonDeps, 'namespace'>;
  readonly clusters: Pick<Clusters, 'all'>;
  readonly informer: Pick<Informer<Application>, 'whenSynced'>;
  readonly apps: Pick<Applications, 'get' | 'fetch'>;
  /** Whether this controller must leave an application alone: frozen, or reconciled by another controller. */
  isLeft(ctx: Ctx, app: Application): boolean;
};

const workers = 2;

/**
 * dev engine S-10: hooks that no operation waits for any more, as when their Application was deleted in the middle of a sync
 * without
 * its resources. The hooks stay, as its other resources do, but the controller removes our finalizer: no other controller
 * would, and it would block their deletion and their Namespace's for ever. Triggered by watch events; those missed are made
 * up for at the start, and in each cluster when its cache is filled.
 */
export class HookFinalizers {
  readonly #deps: Deps;
  readonly #queue: WorkQueue;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#queue = new WorkQueue({ clock: deps.clock });
  }

  async run(ctx: Ctx): Promise<void> {
    const { informer, clusters } = this.#deps;
    await informer.whenSynced(ctx);
    for (const { cache } of clusters.all()) {
      for (const instance of cache.instances())
        for (const object of cache.trackedBy(instance)) this.onObjectChange(instance, object);
    }
    await runWorkers(ctx, this.#queue, this.release, { workers });
  }

  /** A change of an Application: if it, or its operation, was deleted, its hooks may still have the finalizer. */
  onApplicationChange(change: ObjectChange): void {
    const { before, after } = change as { before?: Application; after?: Application };
    if (!before || !mayOperate(before) || (after && mayOperate(after))) return;
    this.#queue.add(instanceName(before, this.#deps.context.namespace), 'bulk');
  }

  /** An object that an application has by now. */
  onObjectChange(instance: string, object: KubeObject): void {
    if (isHeldHook(object) && !this.#isAwaited(instance)) this.#queue.add(instance, 'bulk');
  }

  /** One pass over an application whose hooks may still have the finalizer. */
  readonly release = async (ctx: Ctx, instance: string): Promise<void> => {
    const { apps, isLeft } = this.#deps;
    // listed before the API server is queried: an operation that begins meanwhile creates hooks of its own
    const held = this.#heldOf(instance);
    if (held.length === 0 || this.#isAwaited(instance)) return;
    const app = await apps.fetch(ctx, this.#keyOf(instance));
    if (app && (mayOperate(app) || isLeft(ctx, app))) return;
    for (const { cluster, hook } of held) await removeHookFinalizer(ctx, cluster, hook);
    const hooks = held.map(({ hook: { kind, metadata } }) => `${kind} ${metadata.name}`);
    ctx.log.info('finalizer removed from hooks without an operation', { app: instance, hooks });
  };

  #heldOf(instance: string): { readonly cluster: LiveCluster; readonly hook: KubeObject }[] {
    const clusters = this.#deps.clusters.all().filter(({ record }) => !record.skipReconcile);
    return clusters.flatMap((cluster) => {
      const hooks = cluster.cache.trackedBy(instance).filter(isHeldHook);
      return hooks.map((hook) => ({ cluster, hook }));
    });
  }

  #isAwaited(instance: string): boolean {
    const app = this.#deps.apps.get(this.#keyOf(instance));
    return app !== undefined && mayOperate(app);
  }

  #keyOf(instance: string): string {
    return keyOfInstance(instance, this.#deps.context.namespace);
  }
}
