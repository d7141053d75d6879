import { type Application, type ApplicationSet, finalizer } from '#base/model';
import { atOnce, type Ctx, FairleadError } from '#base/std';
import type { SetPlan } from '#engine';
import { hasReason, refOf } from '#kubernetes/client';
import type { PassDeps } from './pass-deps.ts';

type Write = SetPlan['writes'][number];
type Deletion = SetPlan['deletions'][number];

/** Plans one application again, from its newest state; undefined: nothing is left to write. Throws why it must not be. */
export type Replan = (name: string, live: Application | undefined) => Write | undefined;

export type FailedWrite = { readonly do: 'create' | 'update' | 'delete'; readonly error: FairleadError };

/** A small API server that gets more at once delays all its clients. */
const width = 10;
/** Other actors write applications too; each conflict reads the newest state. */
const mostConflicts = 5;

/**
 * compat sources ASA-2: writes in the order of names. One that fails does not stop the others; returns the failure of the
 * first name. The owner is part of the creation itself, and names follow from the parameters: after a kill the next pass
 * finds what was created, and creates nothing twice.
 */
export async function writeApplications(
  ctx: Ctx,
  deps: PassDeps,
  set: ApplicationSet,
  { writes, replan }: { readonly writes: readonly Write[]; readonly replan: Replan },
): Promise<FailedWrite | undefined> {
  const failures = await atOnce(width, writes, async (write) => {
    try {
      await writeOne(ctx, deps, set, { write, replan });
      return undefined;
    } catch (error) {
      ctx.signal.throwIfAborted();
      return failed(ctx, write.do, nameOf(write), error);
    }
  });
  return failures.find((failure) => failure !== undefined);
}

const nameOf = (write: Write): string =>
  write.do === 'create' ? write.application.metadata.name : write.live.metadata.name;

async function writeOne(
  ctx: Ctx,
  deps: PassDeps,
  set: ApplicationSet,
  { write: first, replan }: { readonly write: Write; readonly replan: Replan },
): Promise<void> {
  let write: Write | undefined = first;
  for (let tries = 0; write; tries++) {
    try {
      deps.apps.put(await sent(ctx, deps, write));
      report(ctx, deps, set, { verb: write.do === 'create' ? 'created' : 'updated', name: nameOf(write) });
      return;
    } catch (error) {
      if (!isStale(error) || tries >= mostConflicts) throw error;
      write = replan(nameOf(write), await newest(ctx, deps, write));
    }
  }
}

/** The application is not as it was read: another actor created, changed or deleted it. */
const isStale = (error: unknown): boolean =>
  ['Conflict', 'AlreadyExists', 'NotFound'].some((reason) => hasReason(error, reason));

async function newest(ctx: Ctx, { kube, apps }: PassDeps, write: Write): Promise<Application | undefined> {
  const ref = refOf(write.do === 'create' ? write.application : write.live);
  const live = (await kube.find(ctx, ref)) as Application | undefined;
  if (live) apps.put(live);
  else if (write.do === 'update') apps.drop(write.live);
  return live;
}

async function sent(ctx: Ctx, { kube }: PassDeps, write: Write): Promise<Application> {
  if (write.do === 'create') return (await kube.create(ctx, write.application)) as Application;
  const { live, patch } = write;
  const { resourceVersion } = live.metadata;
  const metadata = { ...(patch.metadata as object | undefined), resourceVersion };
  return (await kube.patch(ctx, refOf(live), { type: 'merge', body: { ...patch, metadata } })) as Application;
}

/** compat sources ASA-8: each deletion is of the application that was read, not of one created since by this name. */
export async function deleteApplications(
  ctx: Ctx,
  deps: PassDeps,
  set: ApplicationSet,
  deletions: readonly Deletion[],
): Promise<FailedWrite | undefined> {
  const failures = await atOnce(width, deletions, async ({ live, withoutResourcesFinalizer }) => {
    const { name } = live.metadata;
    try {
      if (withoutResourcesFinalizer) await releaseResources(ctx, deps, live);
      await deleteApplication(ctx, deps, live);
      report(ctx, deps, set, { verb: 'Deleted', name });
      return undefined;
    } catch (error) {
      ctx.signal.throwIfAborted();
      return failed(ctx, 'delete', name, error);
    }
  });
  return failures.find((failure) => failure !== undefined);
}

/** Deletes the application that was read; one that is gone already counts as deleted. */
export async function deleteApplication(
  ctx: Ctx,
  { kube, apps }: PassDeps,
  live: Application,
): Promise<void> {
  const { uid } = live.metadata;
  try {
    const ending = await kube.delete(ctx, refOf(live), {
      propagationPolicy: 'Background',
      ...(uid && { preconditions: { uid } }),
    });
    if (ending) apps.put(ending as Application);
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}

/** The cluster is unknown: nothing can be deleted there, and the finalizer would hold the application for ever. */
async function releaseResources(ctx: Ctx, { kube, apps }: PassDeps, live: Application): Promise<void> {
  const { finalizers = [], resourceVersion } = live.metadata;
  const others = finalizers.filter((name) => !name.startsWith(finalizer.resources));
  if (others.length === finalizers.length) return;
  const body = { metadata: { finalizers: others, resourceVersion } };
  apps.put((await kube.patch(ctx, refOf(live), { type: 'merge', body })) as Application);
}

type Done = { readonly verb: 'created' | 'updated' | 'Deleted'; readonly name: string };

/** compat server §7.4: the words of the peer's recorder. */
function report(ctx: Ctx, { events }: PassDeps, set: ApplicationSet, { verb, name }: Done): void {
  ctx.log.info(`application ${verb.toLowerCase()}`, { app: name });
  events?.record(set, { type: 'Normal', reason: verb, message: `${verb} Application "${name}"` });
}

function failed(ctx: Ctx, what: FailedWrite['do'], name: string, thrown: unknown): FailedWrite {
  const { code, message } = FairleadError.from(thrown);
  const error = new FairleadError(code, `application ${name} was not ${what}d: ${message}`, thrown);
  ctx.log.warn(`application not ${what}d`, { app: name, error: thrown });
  return { do: what, error };
}
