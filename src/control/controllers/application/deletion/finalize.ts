import type { Application, KubeObject } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type AppDestination,
  type ComparisonDeps,
  compareApplication,
  resolveDestination,
  runHealthScripts,
  trackedLiveObjects,
} from '#control/comparison';
import type { LiveCluster } from '#control/live';
import {
  abandon,
  abandonedEvent,
  type DeletionStep,
  deletionNeedsTargets,
  deletionStep,
  heldUp,
  leftBehindEvent,
  ownerOf,
} from '#engine';
import { hasReason } from '#kubernetes/client';
import { type Applications, keyOfApp } from '../applications.ts';
import { writeEach } from '../pacing/write-each.ts';
import { type SyncClient, yieldingClient } from '../pacing/yielding-client.ts';
import type { EventRecorder } from '../status/event-recorder.ts';
import type { Observer } from '../status/observer.ts';
import { StatusReport } from '../status/status-report.ts';
import { deleteIfPresent } from './delete-object.ts';
import type { HookBackoff } from './hook-backoff.ts';

export type FinalizeDeps = {
  readonly context: ComparisonDeps;
  readonly apps: Pick<Applications, 'patch' | 'saveStatus'>;
  readonly events?: Pick<EventRecorder, 'write'>;
  readonly observe?: Pick<Observer, 'abandoned'>;
  readonly hookBackoff: HookBackoff;
};

/** Interval of deletion passes when no watch event arrives. */
const recheckMs = 5_000;

/**
 * One step of an Application's deletion. Safe to repeat. Returns when to run the next pass; undefined when the Application
 * may be removed.
 */
export async function finalize(ctx: Ctx, deps: FinalizeDeps, app: Application): Promise<number | undefined> {
  const key = keyOfApp(app);
  const restMs = deletionNeedsTargets(app) ? deps.hookBackoff.leftMs(key, ctx.clock.now()) : 0;
  if (restMs > 0) return restMs;
  const status = new StatusReport(app, ctx.clock.now());
  try {
    const due = await nextStepOf(ctx, deps, app);
    const again = await take(ctx, deps, app, due);
    const { step } = due;
    if (step.do === 'release') deps.hookBackoff.clear(key);
    if (step.do === 'release' || step.do === 'nothing') return again;
    const held = problemIn(step, ctx.clock.now());
    if (held) status.deletionFailed(held);
    else if (!deps.hookBackoff.has(key)) status.deletionGoesOn(); // a hook that is run again is no progress yet
    await deps.apps.saveStatus(ctx, app, status.next);
    return again;
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    // compat engine §1.11: reported on the application, which stays until it can be cleaned up
    status.deletionFailed(FairleadError.from(error).message);
    await deps.apps.saveStatus(ctx, app, status.next);
    throw error;
  }
}

/** What blocks the deletion and needs the user's action (engine A-33), or has blocked it for too long. */
function problemIn(step: DeletionStep, now: Date): string | undefined {
  if (step.do !== 'wait') return undefined;
  return step.needsConsent ? step.why : heldUp(step.for, now);
}

type Due = { readonly step: DeletionStep; readonly cluster?: Writable };
/** A cluster with a client for writes. */
type Writable = Pick<LiveCluster, 'cache'> & { readonly kube: SyncClient };

async function nextStepOf(ctx: Ctx, deps: FinalizeDeps, app: Application): Promise<Due> {
  const { context } = deps;
  if (deletionStep({ app, targets: [], live: [] }).do === 'nothing') return { step: { do: 'nothing' } };
  const destination = await destinationOf(ctx, deps, app);
  if (!destination) return { step: abandon(app) };
  if (app.operation) return { step: { do: 'wait', for: [], why: 'the operation under way is ended first' } };
  const { cluster, denies } = destination;
  await cluster.cache.whenSynced(ctx);
  // compat engine A-35: hooks come from the current target manifests, not from those of the last sync
  const targets = deletionNeedsTargets(app)
    ? (
        await compareApplication(
          ctx,
          context,
          { app, destination },
          { given: [], resolve: 'fresh', hard: false },
        )
      ).target.objects
    : [];
  const live = trackedLiveObjects(context, cluster, ownerOf(app, context.namespace).instance, targets);
  const step = deletionStep({
    app,
    targets,
    live,
    denies: (object) => denies(object, (object.metadata.namespace ?? '') !== ''),
    health: await runHealthScripts(ctx, context, live),
  });
  // compat engine P-27: writes during the deletion use the same service account as a sync does
  const isWrite = step.do === 'create-hooks' || step.do === 'delete';
  return { step, cluster: isWrite ? { ...cluster, kube: yieldingClient(destination.writer()) } : cluster };
}

/** compat engine A-34: without its cluster there is nothing to delete; without its project nothing may be deleted. */
async function destinationOf(
  ctx: Ctx,
  { context, events, observe }: FinalizeDeps,
  app: Application,
): Promise<AppDestination | undefined> {
  try {
    context.clusters.resolve(app.spec.destination);
  } catch (error) {
    // dev engine A-34: a cluster that is registered and unusable may yet be repaired; Argo CD leaves its resources behind
    if (context.clusters.knows?.(app.spec.destination)) throw error;
    // dev engine A-37: always reported
    ctx.log.warn('application deleted, its resources were left in place', { app: app.metadata.name, error });
    const { server, name } = app.spec.destination;
    await events?.write(ctx, app, abandonedEvent(server ?? name ?? ''));
    observe?.abandoned(app);
    return undefined;
  }
  const placed = resolveDestination(context, app);
  if ('conditions' in placed) {
    throw new FairleadError('InvalidSpec', placed.conditions.map(({ message }) => message).join('; '));
  }
  return placed.destination;
}

async function take(
  ctx: Ctx,
  deps: FinalizeDeps,
  app: Application,
  { step, cluster }: Due,
): Promise<number | undefined> {
  if (step.do === 'nothing') return undefined;
  if (step.do === 'release') {
    if (step.left) await reportLeft(ctx, deps, app, step.message);
    return release(ctx, deps, app, step.finalizers);
  }
  if (cluster && step.do === 'create-hooks') {
    await eachOf(step.hooks, (hook) => create(ctx, cluster, hook));
  }
  if (cluster && step.do === 'delete') {
    await eachOf(step.objects, (object) => deleteIfPresent(ctx, cluster, object, step.propagation));
    // the failed hook is deleted; the next pass recreates it, and the condition reports the error until then
    if (step.error) {
      deps.hookBackoff.note(keyOfApp(app), ctx.clock.now());
      throw new FairleadError('Unavailable', step.error);
    }
  }
  ctx.log.info('deleting application', {
    app: app.metadata.name,
    message: step.do === 'wait' ? step.why : step.message,
  });
  return recheckMs;
}

/** dev engine A-37: always reported. */
async function reportLeft(
  ctx: Ctx,
  { events, observe }: FinalizeDeps,
  app: Application,
  message: string,
): Promise<void> {
  ctx.log.warn('application deleted, some of its resources were left in place', {
    app: app.metadata.name,
    message,
  });
  await events?.write(ctx, app, leftBehindEvent(message));
  observe?.abandoned(app);
}

/** Tries every object even if one fails; then throws the first error. */
async function eachOf(
  objects: readonly KubeObject[],
  work: (object: KubeObject) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const itself = (object: KubeObject): KubeObject => object;
  await writeEach(objects, itself, (one) => work(one).catch((error: unknown) => failures.push(error)));
  if (failures.length > 0) throw failures[0];
}

async function create(ctx: Ctx, { kube, cache }: Writable, hook: KubeObject): Promise<void> {
  try {
    cache.put(await kube.create(ctx, hook));
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}

/** Removes finalizers; if one of ours is left, the next stage begins at once. */
async function release(
  ctx: Ctx,
  { apps }: FinalizeDeps,
  app: Application,
  gone: readonly string[],
): Promise<number | undefined> {
  const finalizers = (app.metadata.finalizers ?? []).filter((name) => !gone.includes(name));
  try {
    const { resourceVersion } = app.metadata;
    const left = await apps.patch(ctx, app, { metadata: { finalizers, resourceVersion } });
    const isOver = deletionStep({ app: left, targets: [], live: [] }).do === 'nothing';
    if (isOver) ctx.log.info('application deleted', { app: app.metadata.name });
    return isOver ? undefined : 1;
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    return undefined;
  }
}
