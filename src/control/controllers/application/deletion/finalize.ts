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
  readonly world: ComparisonDeps;
  readonly apps: Pick<Applications, 'patch' | 'saveStatus'>;
  readonly events?: Pick<EventRecorder, 'write'>;
  readonly observe?: Pick<Observer, 'abandoned'>;
  readonly setbacks: HookBackoff;
};

/** Looked at again after this long even if no watch tells of a deletion. */
const recheckMs = 5_000;

/** One step towards the end of an Application. Safe to repeat. Returns when to come back, or undefined when it may go. */
export async function finalize(ctx: Ctx, deps: FinalizeDeps, app: Application): Promise<number | undefined> {
  const key = keyOfApp(app);
  const restMs = deletionNeedsTargets(app) ? deps.setbacks.leftMs(key, ctx.clock.now()) : 0;
  if (restMs > 0) return restMs;
  const status = new StatusReport(app, ctx.clock.now());
  try {
    const due = await nextStepOf(ctx, deps, app);
    const again = await take(ctx, deps, app, due);
    const { step } = due;
    if (step.do === 'release') deps.setbacks.clear(key);
    if (step.do === 'release' || step.do === 'nothing') return again;
    const held = problemIn(step, ctx.clock.now());
    if (held) status.deletionFailed(held);
    else if (!deps.setbacks.has(key)) status.deletionGoesOn(); // a hook that is run again has not got anywhere yet
    await deps.apps.saveStatus(ctx, app, status.next);
    return again;
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    // compat §1.11: told on the application, which stays until it can be cleaned up
    status.deletionFailed(FairleadError.from(error).message);
    await deps.apps.saveStatus(ctx, app, status.next);
    throw error;
  }
}

/** What somebody has to do something about, or should by now. */
function problemIn(step: DeletionStep, now: Date): string | undefined {
  if (step.do !== 'wait') return undefined;
  return step.needsConsent ? step.why : heldUp(step.for, now);
}

type Due = { readonly step: DeletionStep; readonly cluster?: Writable };
/** A cluster as it is written to. */
type Writable = Pick<LiveCluster, 'cache'> & { readonly kube: SyncClient };

async function nextStepOf(ctx: Ctx, deps: FinalizeDeps, app: Application): Promise<Due> {
  const { world } = deps;
  if (deletionStep({ app, targets: [], live: [] }).do === 'nothing') return { step: { do: 'nothing' } };
  const place = await destinationOf(ctx, deps, app);
  if (!place) return { step: abandon(app) };
  if (app.operation) return { step: { do: 'wait', for: [], why: 'the operation under way is ended first' } };
  const { cluster, denies } = place;
  await cluster.cache.whenSynced(ctx);
  // compat A-35: hooks come from what Git says now, not from what was synced last
  const targets = deletionNeedsTargets(app)
    ? (await compareApplication(ctx, world, { app, place }, { given: [], resolve: 'fresh', hard: false }))
        .target.objects
    : [];
  const live = trackedLiveObjects(world, cluster, ownerOf(app, world.namespace).instance, targets);
  const step = deletionStep({
    app,
    targets,
    live,
    denies: (object) => denies(object, (object.metadata.namespace ?? '') !== ''),
    health: await runHealthScripts(ctx, world, live),
  });
  // compat P-27: what is written on the way out is written as the one who wrote it before
  const isWrite = step.do === 'create-hooks' || step.do === 'delete';
  return { step, cluster: isWrite ? { ...cluster, kube: yieldingClient(place.writer()) } : cluster };
}

/** compat A-34: without its cluster there is nothing to clean; without its project nobody may. */
async function destinationOf(
  ctx: Ctx,
  { world, events, observe }: FinalizeDeps,
  app: Application,
): Promise<AppDestination | undefined> {
  try {
    world.clusters.resolve(app.spec.destination);
  } catch (error) {
    // dev A-34: one that is registered and cannot be used may yet be repaired; Argo CD leaves what is in it behind
    if (world.clusters.knows?.(app.spec.destination)) throw error;
    // dev A-37: never in silence
    ctx.log.warn('application goes without its resources', { app: app.metadata.name, error });
    const { server, name } = app.spec.destination;
    await events?.write(ctx, app, abandonedEvent(server ?? name ?? ''));
    observe?.abandoned(app);
    return undefined;
  }
  const placed = resolveDestination(world, app);
  if ('conditions' in placed) {
    throw new FairleadError('InvalidSpec', placed.conditions.map(({ message }) => message).join('; '));
  }
  return placed.place;
}

async function take(
  ctx: Ctx,
  deps: FinalizeDeps,
  app: Application,
  { step, cluster }: Due,
): Promise<number | undefined> {
  if (step.do === 'nothing') return undefined;
  if (step.do === 'release') {
    if (step.left) await tellLeft(ctx, deps, app, step.message);
    return release(ctx, deps, app, step.finalizers);
  }
  if (cluster && step.do === 'create-hooks') {
    await eachOf(step.hooks, (hook) => create(ctx, cluster, hook));
  }
  if (cluster && step.do === 'delete') {
    await eachOf(step.objects, (object) => deleteIfPresent(ctx, cluster, object, step.propagation));
    // the failed hook is gone; the next pass makes it anew, and until then the user reads why
    if (step.error) {
      deps.setbacks.note(keyOfApp(app), ctx.clock.now());
      throw new FairleadError('Unavailable', step.error);
    }
  }
  ctx.log.info('deleting application', {
    app: app.metadata.name,
    message: step.do === 'wait' ? step.why : step.message,
  });
  return recheckMs;
}

/** dev A-37: never in silence. */
async function tellLeft(
  ctx: Ctx,
  { events, observe }: FinalizeDeps,
  app: Application,
  message: string,
): Promise<void> {
  ctx.log.warn('application goes without all of its resources', { app: app.metadata.name, message });
  await events?.write(ctx, app, leftBehindEvent(message));
  observe?.abandoned(app);
}

/** One that fails keeps nobody from being tried; then it is told. */
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

/** Lets go of finalizers; what is left of ours is the next stage, which begins at once. */
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
