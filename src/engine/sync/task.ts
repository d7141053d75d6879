import type {
  ApplicationCondition,
  Health,
  HookType,
  KubeObject,
  ResourceKey,
  ResourceResult,
  SyncPhase,
} from '#base/model';
import type { ApplyMode, PruneMode, SyncOptions } from './options.ts';

export type TaskState = 'pending' | 'running' | 'succeeded' | 'failed';

/** One thing a sync does to one object in one phase. Its progress is what operationState records under `id`. */
export type SyncTask = {
  readonly id: string;
  readonly key: ResourceKey;
  readonly phase: SyncPhase;
  readonly wave: number;
  /** Set for a hook: the phase it runs in. */
  readonly hook?: HookType;
  /** Absent: the live object is to be pruned. */
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly mode: ApplyMode;
  /** The field managers whose fields are taken over before a server-side apply (engine S-50). */
  readonly migrateFrom?: readonly string[];
  readonly prune: PruneMode;
  /** The cluster does not serve the kind yet, but this sync brings it (engine S-6). */
  readonly skipDryRun: boolean;
  /** ApplyOutOfSyncOnly: nothing to do, unless it was already begun (engine S-36). */
  readonly unchanged: boolean;
  /** Why this task cannot be part of any sync; it fails the operation before anything is applied (engine S-6). */
  readonly problem?: string;
  readonly state: TaskState;
  /** This attempt has deleted the object, and recreates it once it is gone (engine S-30). */
  readonly isRemade?: boolean;
  /** Its record, updated from the live object. */
  readonly result?: ResourceResult;
  /**
   * The health of a running task's live object; absent when its kind has none, or the object is not in the
   * cache.
   */
  readonly health?: Health;
};

/** The input of nextStep(): the tasks in order with their progress, and the facts of the whole operation. */
export type SyncPlan = {
  readonly tasks: readonly SyncTask[];
  readonly recorded: readonly ResourceResult[];
  readonly options: SyncOptions;
  readonly dryRunOnly: boolean;
  /** When the operation began. */
  readonly startedAt: string;
  /** Key of the destination Namespace; it is created before anything is validated. */
  readonly namespaceKey: ResourceKey | undefined;
  /** The requested selection, when no object matches it (engine S-5). */
  readonly unmatched?: string;
};

/** How taking one task's part of a step went. */
export type TaskOutcome = {
  readonly task: SyncTask;
  readonly ok: boolean;
  readonly message: string;
  /** The object was deleted to be recreated, and is not gone yet (engine S-30). */
  readonly leaves?: boolean;
};

/** The change to a live hook: remove our finalizer, delete it, or both. */
export type HookRemoval = { readonly task: SyncTask; readonly release: boolean; readonly remove: boolean };

/**
 * The one next thing to do. `results` is what is known by now and is written to operationState **before** the step is
 * taken: only then may a hook be let go of or deleted, and only then does a crash cost nothing but a repetition.
 */
export type SyncStep = { readonly results: readonly ResourceResult[] } & (
  | { readonly do: 'dry-run'; readonly tasks: readonly SyncTask[] }
  | ApplyStep
  | { readonly do: 'delete-hooks'; readonly hooks: readonly HookRemoval[]; readonly message: string }
  | WaitStep
  | { readonly do: 'finish'; readonly phase: 'Succeeded' | 'Failed' | 'Error'; readonly message: string }
);

type ApplyStep = {
  readonly do: 'apply';
  readonly phase: SyncPhase;
  readonly wave: number;
  /** Deleted first, all at once. */
  readonly prune: readonly SyncTask[];
  /** Applied one group after the other, the members of a group at once; a failing group stops no other (engine S-18). */
  readonly groups: readonly (readonly SyncTask[])[];
  /** How long to let things settle afterwards, if nothing failed (engine S-14). */
  readonly pauseMs: number;
  readonly message: string;
};

/** Whom a sync waits for: which object, in what state, and since when it is in it. */
export type Blocker = {
  readonly key: ResourceKey;
  readonly name: string;
  readonly state: string;
  readonly since?: string;
  /** The message of the object, or of the finalizer that blocks it. */
  readonly message?: string;
};

type WaitStep = {
  readonly do: 'wait';
  readonly for: readonly SyncTask[];
  /** One for each task, in the same order. */
  readonly blockers: readonly Blocker[];
  /** The step that follows when all of them are done. */
  readonly next: string;
  /** When the operation is terminated if they stay (engine R-42); absent: never. */
  readonly deadline?: string;
  /** All of it in one sentence. */
  readonly why: string;
};

/** The facts of this moment that are not in the plan. */
export type Moment = {
  readonly now?: Date;
  readonly terminating?: boolean;
  /** The conditions of the comparison; some stop a sync (engine S-2, S-3). */
  readonly conditions?: readonly ApplicationCondition[];
  /** The outcomes of a dry run taken in this pass. A dry run is never kept across passes unless it failed. */
  readonly dryRun?: readonly TaskOutcome[];
  readonly waveDelayMs?: number;
  /** When the operation will be terminated for taking too long. */
  readonly deadline?: string;
  /** That time is over. */
  readonly isOverdue?: boolean;
};

/** compat engine S-36: what is unchanged is skipped, but what was begun is seen through. */
export const isDue = ({ state, unchanged }: SyncTask): boolean => state === 'pending' && !unchanged;

export const taskId = (key: ResourceKey, phase: SyncPhase): string => `${key}:${phase}`;

/** The object a task is about: the target, or what is left of it. */
export function objectOf(task: Pick<SyncTask, 'target' | 'live' | 'key'>): KubeObject {
  const object = task.target ?? task.live;
  if (!object) throw new Error(`task ${task.key} has neither a target nor a live object`);
  return object;
}

/** `Deployment web`, or `Deployment prod/web` where the namespace distinguishes it. */
export function nameOf(task: SyncTask): string {
  const { kind, metadata } = objectOf(task);
  return metadata.namespace ? `${kind} ${metadata.namespace}/${metadata.name}` : `${kind} ${metadata.name}`;
}
