import { ownerOf } from '#engine';
import { hasReason, refOf } from '#kube';
import { type LiveCluster, managedBy } from '#live';
import { type Place, placeOf, type World } from '#look';
import {
  type Application,
  annotation,
  cascadePolicy,
  finalizer,
  hasOption,
  isKind,
  type KubeObject,
  optionValue,
  parseTime,
  syncOptionsOf,
  syncWaveOf,
} from '#model';
import { type Ctx, FairleadError } from '#std';
import { StatusReport } from './status.ts';
import type { Applications } from './store.ts';

export type FinalizeDeps = {
  readonly world: World;
  readonly apps: Pick<Applications, 'patch' | 'saveStatus'>;
};

const cascade: ReadonlySet<string> = new Set([
  finalizer.resources,
  finalizer.resourcesForeground,
  finalizer.resourcesBackground,
]);
/** Looked at again after this long even if no watch tells of a deletion. */
const recheckMs = 5_000;

/** One step towards the end of an Application. Safe to repeat. Returns when to come back, or undefined when it may go. */
export async function finalize(ctx: Ctx, deps: FinalizeDeps, app: Application): Promise<number | undefined> {
  const policy = cascadePolicy(app);
  if (!policy) return undefined;
  const status = new StatusReport(app, ctx.clock.now());
  try {
    const waiting = await cascadeOnce(ctx, deps, app, policy);
    if (waiting) return recheckMs;
    await release(ctx, deps, app);
    ctx.log.info('application deleted', { app: app.metadata.name });
    return undefined;
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    // compat §1.11: told on the application, which stays until it can be cleaned up
    status.deletionFailed(FairleadError.from(error).message);
    await deps.apps.saveStatus(ctx, app, status.next);
    throw error;
  }
}

/** compat A-32: the highest wave first; the next waits until nothing of it is left. True while something is. */
async function cascadeOnce(
  ctx: Ctx,
  { world }: FinalizeDeps,
  app: Application,
  policy: 'foreground' | 'background',
): Promise<boolean> {
  const place = destinationOf(ctx, world, app);
  if (!place) return false;
  const { cluster } = place;
  await cluster.cache.whenSynced(ctx);
  const owned = managedBy(cluster.cache, ownerOf(app, world.namespace).instance, []);
  const doomed = owned.filter((object) => isDeletable(place, app, object));
  if (doomed.length === 0) return false;
  if (isHeld(app, doomed)) return true;
  if (doomed.some(({ metadata }) => metadata.deletionTimestamp)) return true;
  const wave = Math.max(...doomed.map(syncWaveOf));
  const last = doomed.filter((object) => syncWaveOf(object) === wave);
  await Promise.all(last.map((object) => remove(ctx, cluster, object, policy)));
  return true;
}

/** compat A-34: without its cluster there is nothing to clean; without its project nobody may. */
function destinationOf(ctx: Ctx, world: World, app: Application): Place | undefined {
  try {
    world.clusters.resolve(app.spec.destination);
  } catch (error) {
    // dev A-37: never in silence
    ctx.log.warn('application goes without its resources', { app: app.metadata.name, error });
    return undefined;
  }
  const placed = placeOf(world, app);
  if ('conditions' in placed) {
    throw new FairleadError('InvalidSpec', placed.conditions.map(({ message }) => message).join('; '));
  }
  return placed.place;
}

/** compat A-31 */
function isDeletable({ denies }: Place, app: Application, object: KubeObject): boolean {
  const isSelf =
    isKind(object, 'argoproj.io', 'Application') &&
    object.metadata.name === app.metadata.name &&
    object.metadata.namespace === app.metadata.namespace;
  if (isSelf || isKind(object, 'apiextensions.k8s.io', 'CustomResourceDefinition')) return false;
  if (object.metadata.annotations?.[annotation.helmResourcePolicy] === 'keep') return false;
  const wish =
    optionValue(syncOptionsOf(object), 'Delete') ??
    optionValue(app.spec.syncPolicy?.syncOptions ?? [], 'Delete');
  if (wish === 'false') return false;
  const isNamespaced = (object.metadata.namespace ?? '') !== '';
  return !denies(object, isNamespaced);
}

/** compat A-33: one object that wants a confirmation holds them all until it is given. */
function isHeld({ metadata, spec }: Application, doomed: readonly KubeObject[]): boolean {
  const approved = parseTime(metadata.annotations?.[annotation.deletionApproved]) ?? 0;
  if (approved >= (parseTime(metadata.deletionTimestamp) ?? 0)) return false;
  const appWide = spec.syncPolicy?.syncOptions ?? [];
  return doomed.some((object) => {
    const options = [...syncOptionsOf(object), ...appWide];
    return hasOption(options, 'Delete=confirm') || hasOption(options, 'Prune=confirm');
  });
}

async function remove(
  ctx: Ctx,
  { kube, cache }: LiveCluster,
  object: KubeObject,
  policy: string,
): Promise<void> {
  const { uid } = object.metadata;
  const propagationPolicy = policy === 'background' ? 'Background' : 'Foreground';
  try {
    const left = await kube.delete(ctx, refOf(object), {
      propagationPolicy,
      ...(uid && { preconditions: { uid } }),
    });
    if (left) cache.put(left);
  } catch (error) {
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
  }
}

async function release(ctx: Ctx, { apps }: FinalizeDeps, app: Application): Promise<void> {
  const finalizers = (app.metadata.finalizers ?? []).filter((name) => !cascade.has(name));
  try {
    await apps.patch(ctx, app, { metadata: { finalizers, resourceVersion: app.metadata.resourceVersion } });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}
