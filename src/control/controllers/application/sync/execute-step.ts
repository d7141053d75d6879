import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import type { ClusterCache } from '#control/live';
import type { HookRemoval, SyncOptions, SyncStep, SyncTask, TaskOutcome } from '#engine';
import { slices } from '#platform/workers';
import { deleteIfPresent, removeHookFinalizer } from '../deletion/delete-object.ts';
import { withRetries } from '../pacing/retry-request.ts';
import { untilObserved, writeEach } from '../pacing/write-each.ts';
import type { SyncClient } from '../pacing/yielding-client.ts';
import { applyObject, validateFields, type WrittenObject } from './apply-object.ts';
import { explainRefusal } from './refusal.ts';

export type StepDeps = {
  readonly kube: SyncClient;
  readonly cache: Pick<ClusterCache, 'drop' | 'put' | 'get' | 'owes' | 'ownedBy'>;
  readonly options: SyncOptions;
  /** Called when the cluster delays a write, with the reason. */
  onHang?(why: string): void;
};
export type StepResult = { readonly outcomes: readonly TaskOutcome[] };

/** Executes one step. A write that the cluster rejects is a result, not an exception. */
export async function executeStep(ctx: Ctx, deps: StepDeps, step: SyncStep): Promise<StepResult> {
  switch (step.do) {
    case 'dry-run':
      return {
        outcomes: await each(step.tasks, (task) => attempt(ctx, deps, task, async () => rehearse(task))),
      };
    case 'apply': {
      const pruned = await each(step.prune, (task) => attempt(ctx, deps, task, () => prune(ctx, deps, task)));
      if (pruned.some(({ ok }) => !ok)) return { outcomes: pruned };
      const applied: TaskOutcome[] = [];
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
  { onHang }: StepDeps,
  task: SyncTask,
  work: () => Promise<string | Leaving>,
): Promise<TaskOutcome> {
  try {
    const done = await withRetries(ctx, work, onHang);
    return { task, ok: true, ...(typeof done === 'string' ? { message: done } : done) };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return { task, ok: false, message: explainRefusal(error, task) };
  }
}

/** It was deleted, and cannot be recreated yet. */
type Leaving = { readonly leaves: true; readonly message: string };

function rehearse({ target, mode }: SyncTask): string {
  if (!target) return 'nothing to apply';
  validateFields({ target, mode });
  return `${resourceName(target)} can be applied (dry run)`;
}

async function apply(ctx: Ctx, { kube, cache }: StepDeps, task: SyncTask): Promise<string | Leaving> {
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
    return { leaves: true, message: `${resourceName(target)} deleted, to be recreated once it is gone` };
  }
  cache.put(applied.object);
  logApplied(ctx, task, applied);
  await untilObserved(ctx, cache, applied.object);
  return `${resourceName(target)} ${applied.verb}`;
}

/** One line for each write; an object that was left unchanged is a detail. */
function logApplied({ log }: Ctx, { live }: SyncTask, { object, verb }: WrittenObject): void {
  const { namespace, name, resourceVersion } = object.metadata;
  const isUnchanged = resourceVersion !== undefined && resourceVersion === live?.metadata.resourceVersion;
  const fields = { kind: object.kind, namespace, name, verb };
  if (isUnchanged) log.debug('object unchanged', fields);
  else log.info('object applied', fields);
}

/** compat engine S-37, S-39: an object that is already deleted counts as pruned. */
async function prune(ctx: Ctx, deps: StepDeps, { live }: SyncTask): Promise<string> {
  if (!live) return 'already gone';
  await deleteIfPresent(ctx, deps, live, deps.options.propagation);
  return 'pruned';
}

/** compat engine S-10: removes our finalizer first, so that it does not block the deletion. */
async function removeHook(
  ctx: Ctx,
  deps: StepDeps,
  { task, release, ...hook }: HookRemoval,
): Promise<string> {
  const { live } = task;
  if (!live) return 'already gone';
  if (release) await removeHookFinalizer(ctx, deps, live);
  if (!hook.remove) return 'released';
  await deleteIfPresent(ctx, deps, live, 'background');
  return 'deleted';
}

/** `deployment.apps/web`, as kubectl prints it. */
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
