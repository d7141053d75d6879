import type { KubeObject } from '#base/model';
import { holderOf, remedyFor } from '../deletion/holding.ts';
import { fieldManager } from '../diff/field-manager.ts';
import { known } from './results.ts';
import { type Blocker, type Moment, nameOf, type SyncPlan, type SyncStep, type SyncTask } from './task.ts';

type Standing = Pick<Blocker, 'state' | 'since' | 'message'>;

/** The subject of a wait: the blocking tasks, the state they should reach, and the state of each. */
type Waiting = {
  readonly tasks: readonly SyncTask[];
  readonly until: string;
  readonly state: (task: SyncTask) => Standing;
  readonly next: string;
  /** What the user can do, where a user must act. */
  readonly remedy?: string | undefined;
};

/** A wait that names its blockers, their state and since when, and what follows. */
function wait(
  plan: SyncPlan,
  { tasks, until, state, next, remedy }: Waiting,
  { deadline }: Moment,
): SyncStep {
  const blockers = tasks.map((task): Blocker => ({ key: task.key, name: nameOf(task), ...state(task) }));
  const [first] = blockers;
  const more = blockers.length > 1 ? `, and ${blockers.length - 1} more` : '';
  const since = first?.since ? ` since ${first.since}` : '';
  const reported = first?.message ? `: ${first.message}` : '';
  const limit = deadline ? `; the operation is terminated at ${deadline} if that does not come` : '';
  return {
    do: 'wait',
    for: tasks,
    blockers,
    next,
    ...(deadline && { deadline }),
    why: `waiting for ${first?.name ?? 'nothing'} ${until} (${first?.state ?? ''}${since}${reported})${more}; then ${next}${limit}${remedy ? `; ${remedy}` : ''}`,
    results: known(plan),
  };
}

/** Hooks first: they usually take longest, and users write them to be waited for. */
export function waitForRunning(
  plan: SyncPlan,
  tasks: readonly SyncTask[],
  next: string,
  moment: Moment,
): SyncStep {
  const hooks = tasks.filter(({ hook }) => hook);
  const others = tasks.filter(({ hook }) => !hook);
  const until = hooks.length > 0 ? 'to complete' : 'to become healthy';
  return wait(plan, { tasks: [...hooks, ...others], until, state: running, next }, moment);
}

export function waitForDeletion(
  plan: SyncPlan,
  tasks: readonly SyncTask[],
  next: string,
  moment: Moment,
): SyncStep {
  const gone = tasks.flatMap(({ live }) => live ?? []);
  const remedy = moment.now && remedyFor(gone, moment.now);
  return wait(plan, { tasks, until: 'to be gone', state: leaving, next, remedy }, moment);
}

/** compat engine S-39: nothing of this wave is pruned before the user confirms. */
export function waitForConfirmation(
  plan: SyncPlan,
  tasks: readonly SyncTask[],
  next: string,
  moment: Moment,
): SyncStep {
  const until = 'to be confirmed for pruning: set the annotation argocd.argoproj.io/deletion-approved';
  const state = () => ({ state: 'Prune=confirm, not approved', ...since(plan.startedAt) });
  return wait(plan, { tasks, until, state, next }, moment);
}

function running({ live, health, hook, result }: SyncTask): Standing {
  if (!live) return { state: 'applied, not seen in the cluster yet' };
  const said = health?.message ?? (health ? undefined : result?.message);
  const reported = [said, hook && deleted(live)].filter((part) => part).join('; ');
  const code = health?.status || 'no status';
  const at = hook ? live.metadata.creationTimestamp : (appliedAt(live) ?? live.metadata.creationTimestamp);
  return { state: code, ...since(at), ...(reported && { message: reported }) };
}

/**
 * compat engine S-10: the hook is judged until it ends; a user who deleted it to get rid of it reads here
 * what helps.
 */
function deleted({ metadata: { deletionTimestamp: at } }: KubeObject): string | undefined {
  return at && `it was deleted at ${at} and is held until it ends: terminate the operation if it does not`;
}

function leaving({ live }: SyncTask): Standing {
  const by = live && holderOf(live);
  return {
    state: 'being deleted',
    ...since(live?.metadata.deletionTimestamp),
    ...(by && { message: `held by ${by}` }),
  };
}

/** When we last wrote the object: what it shows is about that. */
function appliedAt({ metadata }: KubeObject): string | undefined {
  return metadata.managedFields?.find(({ manager, subresource }) => manager === fieldManager && !subresource)
    ?.time;
}

const since = (at: string | undefined): { since?: string } => (at ? { since: at } : {});
