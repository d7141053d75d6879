import {
  finalizer,
  gvkOf,
  type Health,
  type KubeObject,
  type OperationPhase,
  type ResourceKey,
  type ResourceResult,
} from '#base/model';
import { hookRunAnnotation } from '../annotations.ts';
import { assess, type HealthOptions } from '../health/health.ts';
import { imagesOf } from '../tree/images.ts';
import { nameOf, objectOf, type SyncTask, type TaskState } from './task.ts';

export type Observation = {
  /** Keyed like tasks: what operationState has recorded so far. */
  readonly recorded: ReadonlyMap<string, ResourceResult>;
  /** Identifies the hooks made by this attempt of this operation; see hookRun(). */
  readonly run: string;
  /** Keys that a direct read of the cluster did not find, so that a slow watch is never taken for a loss. */
  readonly absent: ReadonlySet<ResourceKey>;
  readonly health: HealthOptions;
  /** The Application itself, where it deploys its own object: it is done once it is applied (engine X-5). */
  readonly isSelf?: (object: KubeObject) => boolean;
};

/** The task with its record updated from the live object. */
export function observe(task: SyncTask, seen: Observation): SyncTask {
  const recorded = seen.recorded.get(task.id) ?? adopted(task, seen.run);
  if (!recorded) return task;
  if (isIntended(recorded)) return task.target ? { ...task, isRemade: true } : task;
  const { live, ...rest } = task;
  const own = live && isOwn(task, live, seen.run) ? { ...rest, live } : rest;
  if (recorded.hookPhase !== 'Running') return { ...own, result: recorded, state: stateOf(recorded) };
  const { result, health } = progressOf(own, recorded, seen);
  return { ...own, result, state: stateOf(result), ...(health && { health }) };
}

/**
 * engine R-43: a hook that this attempt created, and whose record was lost in a crash, is found by the mark it
 * carries. It counts as started; the controller does not delete it and run it again.
 */
function adopted(task: SyncTask, run: string): ResourceResult | undefined {
  if (!task.hook || task.live?.metadata.annotations?.[hookRunAnnotation] !== markOf(run, task))
    return undefined;
  return newResult(task, {
    status: 'Synced',
    hookPhase: 'Running',
    message: 'created before the controller restarted',
  });
}

/** The mark on a hook: the attempt and the phase, since one object may run in several phases of one sync. */
export const markOf = (run: string, { phase }: Pick<SyncTask, 'phase'>): string =>
  `${phase.toLowerCase()}-${run}`;

type Progress = { readonly result: ResourceResult; readonly health?: Health };

function progressOf(task: SyncTask, recorded: ResourceResult, seen: Observation): Progress {
  const { live } = task;
  if (!live) return { result: seen.absent.has(task.key) ? vanished(task, recorded) : recorded };
  if (seen.isSelf?.(live)) return { result: { ...recorded, hookPhase: 'Succeeded' } };
  const { health, error } = assess(live, seen.health);
  const phase = task.hook ? hookPhaseOf(health, error) : resourcePhaseOf(health, error);
  if (task.hook && phase === 'Running' && isGivenUp(live)) return { result: givenUp(recorded) };
  const shown = health ? { health } : {};
  if (phase === 'Running' && !health?.message) return { result: recorded, ...shown };
  return { result: { ...recorded, hookPhase: phase, message: textOf(recorded, health) }, ...shown };
}

/** Drops a message that only described the wait. */
const textOf = ({ message = '' }: ResourceResult, health: Health | undefined): string =>
  health ? (health.message ?? 'it is healthy') : message;

/**
 * A hook of another run, or of another phase, may have the same name, if only in a stale cache. Its result is
 * not ours. A hook without any mark was created by Argo CD before we took over.
 */
function isOwn(task: SyncTask, live: KubeObject, run: string): boolean {
  const mark = live.metadata.annotations?.[hookRunAnnotation];
  return !task.hook || mark === undefined || mark === markOf(run, task);
}

/**
 * compat engine S-12: a kind without a check completes at once, and so does a script that returns nothing.
 */
function hookPhaseOf(health: Health | undefined, error: string | undefined): OperationPhase {
  if (error) return 'Error';
  switch (health?.status) {
    case 'Degraded':
    case 'Unknown':
      return 'Failed';
    case 'Progressing':
    case 'Suspended':
      return 'Running';
    default:
      return 'Succeeded';
  }
}

/**
 * compat engine S-19: Suspended, Missing, Unknown, and the empty status of a script that returns nothing,
 * wait; ignore-healthcheck is not consulted.
 */
function resourcePhaseOf(health: Health | undefined, error: string | undefined): OperationPhase {
  if (error) return 'Running';
  if (!health || health.status === 'Healthy') return 'Succeeded';
  return health.status === 'Degraded' ? 'Failed' : 'Running';
}

/**
 * dev engine S-21: a deleted hook that only our finalizer keeps has no controller left to report its result:
 * the Job controller stops counting the pods of a deleted Job. A Pod has one: the kubelet ends it and reports
 * its phase.
 */
function isGivenUp({ kind, metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): boolean {
  return (
    deletionTimestamp !== undefined && kind !== 'Pod' && finalizers.every((name) => name === finalizer.hook)
  );
}

function givenUp(recorded: ResourceResult): ResourceResult {
  return { ...recorded, hookPhase: 'Failed', message: 'it was deleted before it ended' };
}

/** compat engine S-21 */
function vanished(task: SyncTask, recorded: ResourceResult): ResourceResult {
  return {
    ...recorded,
    status: 'SyncFailed',
    hookPhase: 'Error',
    message: `${nameOf(task)} was applied and is gone; another actor deleted it`,
  };
}

function stateOf({ status, hookPhase }: ResourceResult): TaskState {
  if (status === 'SyncFailed') return 'failed';
  switch (hookPhase) {
    case 'Succeeded':
      return 'succeeded';
    case 'Failed':
    case 'Error':
      return 'failed';
    case 'Running':
    case 'Terminating':
      return 'running';
    default:
      return 'pending';
  }
}

/**
 * engine R-43: the record written before an object is deleted. A controller that finds the record and no object
 * treats the object as deleted; one that finds both deletes again. For a declared object the record means:
 * deleted, to be recreated.
 */
export const isIntended = ({ status, hookPhase }: ResourceResult): boolean =>
  status === 'Pruned' && hookPhase === 'Running';

/** A record for a task that has none yet, in the shape status.operationState keeps. */
export function newResult(
  task: SyncTask,
  outcome: Pick<ResourceResult, 'status' | 'hookPhase' | 'message'>,
): ResourceResult {
  const object = objectOf(task);
  const { group, version, kind } = gvkOf(object);
  const images = imagesOf(object);
  return {
    group,
    version,
    kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    syncPhase: task.phase,
    ...(task.hook && { hookType: task.hook }),
    ...(images.length > 0 && { images }),
    ...outcome,
  };
}
