import { type Condition, conditionOf, parseTime } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import { positive, type ReplicaSet } from '../replica-set.ts';
import { type NextPass, nowOf, type SimulationContext } from '../simulation-context.ts';
import { change, controllerManager, writeStatus } from '../write.ts';
import { hasDeadline, progress, renewed, type Word, withoutWord, withWord } from './conditions.ts';
import {
  available,
  bounds,
  type Deployment,
  type DeploymentStatus,
  everySet,
  existing,
  type Sets,
  sum,
  wanted,
  wantedOf,
} from './view.ts';

/** compat cluster 5.2: the revision is written through the status, together with the conditions that report it. */
export async function say(
  context: SimulationContext,
  deployment: Deployment,
  words: readonly Word[],
  annotations: Record<string, string>,
): Promise<Deployment> {
  const before = deployment.status?.conditions ?? [];
  const conditions = words.reduce((list, word) => withWord(list, word, context.clock.now()), before);
  const reported = conditions === before ? {} : { status: { conditions } };
  const by = { ...controllerManager, subresource: 'status' as const };
  const fields = { metadata: { annotations }, ...reported } as JsonObject;
  return (await change(context, deployment, fields, by)) as Deployment;
}

/** compat cluster 5.2: while paused, or right after scaling, only the counts are reported. */
export async function reportCounts(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<void> {
  await writeStatus(context, deployment, counted(context, deployment, sets));
}

/** compat cluster 5.2: counts and conditions of a deployment, as `kubectl rollout status` reads them. */
export async function reportRollout(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
): Promise<NextPass | undefined> {
  const status = counted(context, deployment, sets);
  const conditions = withFailure(context, progressed(context, deployment, sets, status), sets);
  const next = { ...status, conditions };
  await writeStatus(context, deployment, next);
  return progressDeadline(deployment, next, nowOf(context));
}

function counted(context: SimulationContext, deployment: Deployment, sets: Sets): DeploymentStatus {
  const every = everySet(sets);
  const { spec = {}, status = {}, metadata } = deployment;
  const isAvailable = sum(every, available);
  const { collisionCount } = status;
  return {
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    ...positive({
      replicas: sum(every, existing),
      updatedReplicas: sets.current ? existing(sets.current) : 0,
      readyReplicas: sum(every, (set) => set.status?.readyReplicas ?? 0),
      availableReplicas: isAvailable,
      unavailableReplicas: Math.max(0, sum(every, wanted) - isAvailable),
    }),
    terminatingReplicas: sum(every, (set) => set.status?.terminatingReplicas ?? 0),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withWord(
      status.conditions ?? [],
      availability(isAvailable >= wantedOf(deployment) - bounds(spec).unavailable),
      context.clock.now(),
    ),
  };
}

const availability = (isEnough: boolean): Word =>
  isEnough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };

function progressed(
  context: SimulationContext,
  deployment: Deployment,
  sets: Sets,
  status: DeploymentStatus,
): readonly Condition[] {
  const { conditions = [], replicas = 0, updatedReplicas = 0 } = status;
  if (!hasDeadline(deployment.spec ?? {})) return withoutWord(conditions, 'Progressing');
  const before = conditionOf(deployment.status?.conditions, 'Progressing');
  // compat cluster 5.2: a completed rollout stays completed while the deployment is merely scaled
  if (replicas === updatedReplicas && before?.reason === 'NewReplicaSetAvailable') return conditions;
  const name = sets.current?.metadata.name;
  const subject = name === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${name}"`;
  const now = context.clock.now();
  if (isComplete(deployment, status)) {
    const word = progress('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`);
    return withWord(conditions, word, now);
  }
  if (hasMoved(deployment.status ?? {}, status)) {
    return renewed(conditions, progress('True', 'ReplicaSetUpdated', `${subject} is progressing.`), now);
  }
  if (!isLate(deployment, before, now.getTime())) return conditions;
  const late = progress('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`);
  return withWord(conditions, late, now);
}

/** Every desired pod is of the current template and available, and there are no others. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    [replicas, updatedReplicas, availableReplicas].every((count) => count === wantedOf(deployment)) &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

/** More updated, fewer old, more ready or more available pods than before. */
function hasMoved(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

const deadlineOf = ({ spec }: Deployment, { lastUpdateTime }: Condition): number =>
  (parseTime(lastUpdateTime) ?? 0) + (spec?.progressDeadlineSeconds ?? 600) * 1000;

function isLate(deployment: Deployment, before: Condition | undefined, now: number): boolean {
  if (before?.reason === 'ProgressDeadlineExceeded') return true;
  return (
    before !== undefined &&
    before.reason !== 'NewReplicaSetAvailable' &&
    now >= deadlineOf(deployment, before)
  );
}

/**
 * compat cluster 5.2: of all failures to create pods one is reported, of the current template's set if it has any.
 */
function withFailure(
  context: SimulationContext,
  conditions: readonly Condition[],
  sets: Sets,
): readonly Condition[] {
  const failure = everySet(sets).toReversed().flatMap(failureOf)[0];
  return failure
    ? withWord(conditions, failure, context.clock.now())
    : conditions.some(({ type }) => type === 'ReplicaFailure')
      ? withoutWord(conditions, 'ReplicaFailure')
      : conditions;
}

function failureOf({ status }: ReplicaSet): Word[] {
  const found = conditionOf(status?.conditions, 'ReplicaFailure');
  if (!found) return [];
  const { reason = '', message = '' } = found;
  return [{ type: 'ReplicaFailure', status: 'True', reason, message }];
}

/** When the progress deadline passes; undefined when the rollout is complete or has none. */
function progressDeadline(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): NextPass | undefined {
  const last = conditionOf(status.conditions, 'Progressing');
  if (!last || !hasDeadline(deployment.spec ?? {}) || isComplete(deployment, status)) return undefined;
  if (last.reason === 'NewReplicaSetAvailable' || last.reason === 'ProgressDeadlineExceeded')
    return undefined;
  return { at: Math.max(now, deadlineOf(deployment, last)) };
}
