import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import type { ClusterCache } from '#control/live';
import type { HookRemoval, Outcome, Step, SyncOptions, SyncTask } from '#engine';
import { slices } from '#platform/workers';
import { applyObject, rehearseObject } from './apply-object.ts';
import { untilTold, writeEach } from './heft.ts';
import { patiently } from './patience.ts';
import { refusalOf } from './refusal.ts';
import { releaseHook, remove } from './removal.ts';
import type { Asks } from './unhurried.ts';

export type TakeDeps = {
  readonly kube: Asks;
  readonly cache: Pick<ClusterCache, 'drop' | 'put' | 'get' | 'owes' | 'ownedBy'>;
  readonly options: SyncOptions;
  /** Told that the cluster keeps a write waiting, and why. */
  onHang?(why: string): void;
};
export type Taken = { readonly outcomes: readonly Outcome[] };

/** Carries out one step. A write that the cluster refuses is an outcome, not an exception. */
export async function takeStep(ctx: Ctx, deps: TakeDeps, step: Step): Promise<Taken> {
  switch (step.do) {
    case 'dry-run':
      return {
        outcomes: await each(step.tasks, (task) => attempt(ctx, deps, task, async () => rehearse(task))),
      };
    case 'apply': {
      const pruned = await each(step.prune, (task) => attempt(ctx, deps, task, () => prune(ctx, deps, task)));
      if (pruned.some(({ ok }) => !ok)) return { outcomes: pruned };
      const applied: Outcome[] = [];
      for (const group of step.groups) {
        applied.push(
          ...(await each(group, (task) => attempt(ctx, deps, task, () => apply(ctx, deps, task)))),
        );
      }
      return { outcomes: [...pruned, ...applied] };
    }
    case 'delete-hooks':
      return {
        outcomes: await writeEach(
          step.hooks,
          ({ task }) => objectOf(task),
          (hook) => attempt(ctx, deps, hook.task, () => removeHook(ctx, deps, hook)),
        ),
      };
    default:
      return { outcomes: [] };
  }
}

async function attempt(
  ctx: Ctx,
  { onHang }: TakeDeps,
  task: SyncTask,
  work: () => Promise<string | Leaving>,
): Promise<Outcome> {
  try {
    const done = await patiently(ctx, work, onHang);
    return { task, ok: true, ...(typeof done === 'string' ? { message: done } : done) };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return { task, ok: false, message: refusalOf(error, task) };
  }
}

/** It was deleted, and cannot be made anew yet. */
type Leaving = { readonly leaves: true; readonly message: string };

function rehearse({ target, mode }: SyncTask): string {
  if (!target) return 'nothing to apply';
  rehearseObject({ target, mode });
  return `${resourceName(target)} can be applied (dry run)`;
}

async function apply(ctx: Ctx, { kube, cache }: TakeDeps, task: SyncTask): Promise<string | Leaving> {
  const { target, live, mode, migrateFrom, isRemade } = task;
  if (!target) return 'nothing to apply';
  const applied = await applyObject(ctx, kube, {
    target,
    ...(live && { live }),
    mode,
    ...(migrateFrom && { migrateFrom }),
    ...(isRemade && { isRemade }),
  });
  if ('left' in applied) {
    cache.put(applied.left);
    return { leaves: true, message: `${resourceName(target)} deleted, to be made anew once it is gone` };
  }
  cache.put(applied.object);
  await untilTold(ctx, cache, applied.object);
  return `${resourceName(target)} ${applied.verb}`;
}

/** compat S-37, S-39: what is already gone was pruned. */
async function prune(ctx: Ctx, deps: TakeDeps, { live }: SyncTask): Promise<string> {
  if (!live) return 'already gone';
  await remove(ctx, deps, live, deps.options.propagation);
  return 'pruned';
}

/** compat S-10: our finalizer goes first, so that nothing stands in the way of the deletion. */
async function removeHook(
  ctx: Ctx,
  deps: TakeDeps,
  { task, release, ...hook }: HookRemoval,
): Promise<string> {
  const { live } = task;
  if (!live) return 'already gone';
  if (release) await releaseHook(ctx, deps, live);
  if (!hook.remove) return 'released';
  await remove(ctx, deps, live, 'background');
  return 'deleted';
}

/** `deployment.apps/web`, as kubectl says it. */
function resourceName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name}`;
}

function each<R>(tasks: readonly SyncTask[], work: (task: SyncTask) => Promise<R>): Promise<R[]> {
  const pause = slices();
  return writeEach(tasks, objectOf, async (task) => {
    await pause();
    return work(task);
  });
}

const objectOf = ({ target, live }: SyncTask): KubeObject | undefined => target ?? live;
