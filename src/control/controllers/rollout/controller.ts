import { isConditionTrue, type KubeObject, matches, selectorOf } from '#base/model';
import { type Ctx, equal, FairleadError, runAll, type Task } from '#base/std';
import type { ObjectChange } from '#control/live';
import { type QueueHooks, type Requeue, runWorkers, WorkQueue } from '#control/runtime';
import {
  knativeOf,
  type Rollout,
  type RolloutPlan,
  type RolloutService,
  referencesOf,
} from '#engine/rollouts';
import { hasReason, type KubeClient } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import type { Announce } from '../notification/announce.ts';
import { isOrphan } from './claim.ts';
import type { RolloutInformers } from './informers.ts';
import { ownerKeyOf } from './owner-key.ts';
import { isPeersLately } from './peer.ts';
import { type RolloutPassDeps, reconcileRollout, reportFailure } from './reconcile.ts';
import { managerOf, namesService, releaseServices, releaseTraffic } from './release.ts';
import { readAgain, StalledRollouts } from './stalled-rollouts.ts';

export type RolloutControllerDeps = {
  readonly kube: KubeClient;
  readonly informers: RolloutInformers;
  readonly events: EventRecorder;
  /** compat rollouts RC-5: only Rollouts with this label value are handled; undefined: only those without the label. */
  readonly instanceId?: string | undefined;
  /** compat rollouts RP-3: whether a Rollout that Argo Rollouts wrote lately is left alone. */
  readonly yieldsToPeer?: boolean;
  /** Receives what happens to the queue, for metrics. */
  readonly hooks?: QueueHooks;
  readonly observe?: RolloutObserver;
  /** Receives what happens to Rollouts, for their subscribers. */
  readonly announce?: Announce;
};

/** Receives what happens to Rollouts, for metrics. */
export type RolloutObserver = {
  reconciled(rollout: Rollout, ms: number, error: FairleadError | undefined): void;
  recorded(rollout: Rollout, event: { readonly type: string; readonly reason: string }): void;
  /** The Rollout was deleted. */
  gone(rollout: { readonly namespace: string; readonly name: string }): void;
};

const workers = 20;
/** The watch delivers what caused a conflict within moments. */
const conflictMs = 20;
/** When a Rollout that the peer wrote is read again. */
const peerMs = 15_000;
const rolloutKind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
const instanceLabel = 'argo-rollouts.argoproj.io/controller-instance-id';

/** compat rollouts: brings new versions out step by step, as the strategies of Rollouts say. */
export function rolloutController(deps: RolloutControllerDeps): Task {
  return async (ctx) => {
    const controller = new RolloutController(ctx, deps);
    const { rollouts, replicaSets, services, runs, experiments, templates, clusterTemplates } =
      deps.informers;
    deps.informers.onReferenced((object) => controller.hearReferenced(object));
    await runAll(ctx, [
      // subscribe before the first pass: no later change is missed
      (inner) => controller.hearRollouts(rollouts.changes(inner)),
      (inner) => controller.hearOwned(replicaSets.changes(inner)),
      (inner) => controller.hearOwned(runs.changes(inner)),
      (inner) => controller.hearOwned(experiments.changes(inner)),
      (inner) => controller.hearServices(services.changes(inner)),
      (inner) => controller.hearTemplates(templates.changes(inner)),
      (inner) => controller.hearTemplates(clusterTemplates.changes(inner)),
      (inner) => deps.events.run(inner),
      (inner) => controller.start(inner),
      (inner) => runWorkers(inner, controller.queue, controller.pass, { workers }),
    ]);
  };
}

const ownerKey = ownerKeyOf('Rollout');
const keyOf = ({ metadata }: Pick<KubeObject, 'metadata'>): string =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

class RolloutController {
  readonly queue: WorkQueue;
  readonly #deps: RolloutControllerDeps;
  readonly #pass: RolloutPassDeps;
  /** The Knative Services of Rollouts that were deleted, by the key of the Rollout. */
  readonly #released = new Map<string, string>();
  readonly #stalled = new StalledRollouts();
  /** The Services that a Rollout manages, by its key. */
  readonly #servicesOf: (key: string) => readonly RolloutService[];

  constructor({ clock }: Ctx, deps: RolloutControllerDeps) {
    this.#deps = deps;
    const { kube, informers } = deps;
    this.#pass = {
      kube,
      informers,
      replicaSetsOf: informers.replicaSets.indexBy(ownerKey),
      orphansOf: informers.replicaSets.indexBy((set) =>
        isOrphan(set) ? (set.metadata.namespace ?? '') : undefined,
      ),
      runsOf: informers.runs.indexBy(ownerKey),
      experimentsOf: informers.experiments.indexBy(ownerKey),
      announce: deps.announce,
    };
    this.#servicesOf = informers.services.indexBy(managerOf);
    this.queue = new WorkQueue({ clock, ...(deps.hooks && { hooks: deps.hooks }) });
  }

  async start(ctx: Ctx): Promise<void> {
    await this.#deps.informers.whenSynced(ctx);
    const { rollouts, services } = this.#deps.informers;
    const managers = services.list().flatMap((service) => managerOf(service) ?? []);
    for (const key of new Set([...rollouts.list().map(keyOf), ...managers])) this.queue.add(key, 'bulk');
  }

  async hearRollouts(changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const { before, after } of changes) {
      const rollout = after ?? before;
      if (before && !after) this.#noteDeleted(before as Rollout);
      if (rollout && !isSame(before, after)) this.queue.add(keyOf(rollout));
    }
  }

  #noteDeleted(rollout: Rollout): void {
    const { namespace, name, labels } = rollout.metadata;
    const { service } = knativeOf(rollout) ?? {};
    if (service) this.#released.set(keyOf(rollout), service);
    if (labels?.[instanceLabel] !== this.#deps.instanceId) return;
    const message = `Rollout ${name}/${namespace} is deleted.`;
    this.#deps.events.record(rollout, { type: 'Normal', reason: 'RolloutDeleted', message });
  }

  async hearOwned(changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const { before, after } of changes) {
      for (const key of new Set([before && ownerKey(before), after && ownerKey(after)]))
        if (key !== undefined) this.queue.add(key);
      if (after && isOrphan(after)) this.#wake(after, (rollout) => selects(rollout, after));
    }
  }

  async hearServices(changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const { before, after } of changes) {
      if (equal(before && selectionOf(before), after && selectionOf(after))) continue;
      const versions = [before, after].filter((service) => service !== undefined);
      for (const key of versions.map(managerOf)) if (key !== undefined) this.queue.add(key);
      const [service] = versions;
      if (service) this.#wake(service, (rollout) => namesService(rollout, service.metadata.name));
    }
  }

  async hearTemplates(changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const { before, after } of changes) {
      const template = after ?? before;
      if (template) this.#wake(template, ({ status }) => status?.phase === 'Degraded');
    }
  }

  hearReferenced(object: KubeObject): void {
    const { kind, metadata } = object;
    this.#wake(object, (rollout) =>
      referencesOf(rollout).some((ref) => ref.kind === kind && ref.name === metadata.name),
    );
  }

  /** Adds the Rollouts of the object's namespace, or all for a cluster-wide one, that it concerns. */
  #wake({ metadata }: KubeObject, concerns: (rollout: Rollout) => boolean): void {
    const { namespace } = metadata;
    for (const rollout of this.#deps.informers.rollouts.list())
      if ((!namespace || rollout.metadata.namespace === namespace) && concerns(rollout))
        this.queue.add(keyOf(rollout));
  }

  readonly pass = async (ctx: Ctx, key: string): Promise<Requeue | undefined> => {
    const { informers, observe, instanceId } = this.#deps;
    await informers.whenSynced(ctx);
    const [namespace = '', name = ''] = key.split('/');
    const rollout = informers.rollouts.get(namespace, name);
    if (!rollout) return this.#passOverNone(ctx, key);
    if (rollout.metadata.deletionTimestamp || rollout.metadata.labels?.[instanceLabel] !== instanceId)
      return undefined;
    // the next check of the process finds the same, and stands down
    if (this.#deps.yieldsToPeer && isPeersLately(rollout, ctx.clock.now().getTime()))
      return { requeueAfter: peerMs };
    const began = performance.now();
    let failure: FairleadError | undefined;
    try {
      const plan = await reconcileRollout(ctx, this.#pass, rollout);
      await this.#releaseUnnamed(ctx, key, rollout);
      return await this.#done(ctx, rollout, plan);
    } catch (error) {
      // the Rollout or a ReplicaSet changed while the pass ran: plan again
      if (hasReason(error, 'Conflict')) return { requeueAfter: conflictMs };
      failure = FairleadError.from(error);
      if (this.#stalled.hasFailedLong(key, ctx.clock.now().getTime()))
        await reportFailure(ctx, this.#deps, rollout, failure).catch(() => {});
      throw error;
    } finally {
      observe?.reconciled(rollout, performance.now() - began, failure);
    }
  };

  /** A Rollout that was deleted, now or before this process started. */
  async #passOverNone(ctx: Ctx, key: string): Promise<Requeue | undefined> {
    const { kube, observe } = this.#deps;
    const [namespace = '', name = ''] = key.split('/');
    observe?.gone({ namespace, name });
    this.#stalled.forget(key);
    try {
      const services = this.#servicesOf(key);
      // the watch of Services may be ahead of that of Rollouts
      const isGone = services.length > 0 && !(await kube.find(ctx, { ...rolloutKind, namespace, name }));
      if (isGone) await releaseServices(ctx, this.#deps, services);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return { requeueAfter: conflictMs };
      if (!hasReason(error, 'NotFound')) throw error;
    }
    const service = this.#released.get(key);
    if (service) await releaseTraffic(ctx, this.#deps, { namespace, name, service });
    this.#released.delete(key);
    return undefined;
  }

  /** compat rollouts RT-2: Services that the Rollout names no more. One with an error in its spec touches nothing (rollouts RV-1). */
  async #releaseUnnamed(ctx: Ctx, key: string, rollout: Rollout): Promise<void> {
    const services = this.#servicesOf(key).filter(({ metadata }) => !namesService(rollout, metadata.name));
    const [namespace = '', name = ''] = key.split('/');
    const { conditions = [] } = this.#deps.informers.rollouts.get(namespace, name)?.status ?? {};
    if (services.length === 0 || isConditionTrue(conditions, 'InvalidSpec')) return;
    await releaseServices(ctx, this.#deps, services);
  }

  async #done(ctx: Ctx, rollout: Rollout, plan: RolloutPlan): Promise<Requeue | undefined> {
    const { events, observe } = this.#deps;
    const key = keyOf(rollout);
    for (const event of plan.events) {
      events.record(rollout, event);
      observe?.recorded(rollout, event);
    }
    const now = ctx.clock.now().getTime();
    const still = this.#stalled.after(key, rollout, { plan, now });
    if (still?.isDue) await readAgain(ctx, this.#deps, rollout, this.#pass.replicaSetsOf(key));
    const waits = [plan.wakeAt === undefined ? undefined : plan.wakeAt - now, still?.nextMs].filter(
      (ms) => ms !== undefined,
    );
    return waits.length === 0 ? undefined : { requeueAfter: Math.max(0, Math.min(...waits)) };
  }
}

/** Our own status writes come back as changes; another pass over an equal object is not needed. */
function isSame(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  return before?.metadata.resourceVersion === after?.metadata.resourceVersion;
}

/** What of a Service concerns Rollouts. */
const selectionOf = (service: KubeObject) => [managerOf(service), service.spec];

const selects = ({ spec }: Rollout, { metadata }: KubeObject): boolean =>
  spec?.selector !== undefined && matches(selectorOf(spec.selector), metadata.labels);
