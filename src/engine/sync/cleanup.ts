import { finalizer, type KubeObject } from '#base/model';
import { type DeletePolicy, deletePoliciesOf } from './hooks.ts';
import type { HookRemoval, SyncPlan, SyncTask } from './task.ts';

/**
 * Finished hooks that still carry our finalizer, and, once the sync has ended, those whose policy requires
 * deletion.
 * compat engine S-9: HookSucceeded and HookFailed refer to the whole sync, not to the hook that carries them.
 */
export function cleanUp(plan: SyncPlan, ended: DeletePolicy | undefined): readonly HookRemoval[] {
  return plan.tasks.flatMap((task): HookRemoval[] => {
    const { hook, live, state } = task;
    if (!hook || !live || state === 'running' || hasFailedToGo(task)) return [];
    const finished = state !== 'pending';
    const remove = ended !== undefined && hasPolicy(task, ended) && !isLeaving(live);
    const release = isHeld(live) && (finished || remove);
    return remove || release ? [{ task, release, remove }] : [];
  });
}

/** compat engine S-9: pending hooks whose name an object of an earlier run still occupies. */
export function leftovers(tasks: readonly SyncTask[]): readonly HookRemoval[] {
  return tasks.flatMap((task): HookRemoval[] => {
    const { hook, live } = task;
    if (!hook || !live || !hasPolicy(task, 'BeforeHookCreation')) return [];
    return [{ task, release: isHeld(live), remove: !isLeaving(live) }];
  });
}

export const isHeld = ({ metadata }: KubeObject): boolean =>
  metadata.finalizers?.includes(finalizer.hook) ?? false;
export const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

export const hasPolicy = ({ target, live }: SyncTask, policy: DeletePolicy): boolean => {
  const object = target ?? live;
  return object !== undefined && deletePoliciesOf(object).includes(policy);
};

/** Tried before and refused: trying for ever would keep the operation from ending. */
export const hasFailedToGo = ({ result }: SyncTask): boolean =>
  result?.hookPhase === 'Error' && result.status !== 'SyncFailed';
