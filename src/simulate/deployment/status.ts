import { type Condition, conditionOf, parseTime, printTime } from '#model';
import { positive } from '../replica-set.ts';
import { type Again, nowOf, type World } from '../world.ts';
import { writeStatus } from '../write.ts';
import {
  available,
  bounds,
  type Deployment,
  type DeploymentStatus,
  everySet,
  existing,
  type Sets,
  sum,
} from './view.ts';

/** compat 5.2: counts and conditions of a deployment, as `kubectl rollout status` reads them. */
export async function report(world: World, deployment: Deployment, sets: Sets): Promise<Again | undefined> {
  const counts = countsOf(deployment, sets);
  const { conditions, again } = judged(world, deployment, sets, counts);
  const { generation } = deployment.metadata;
  const { collisionCount } = deployment.status ?? {};
  const status: DeploymentStatus = {
    ...(generation !== undefined && { observedGeneration: generation }),
    ...positive(counts),
    terminatingReplicas: sum(everySet(sets), ({ status: set }) => set?.terminatingReplicas ?? 0),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions,
  };
  await writeStatus(world, deployment, status);
  return again;
}

function countsOf({ spec = {} }: Deployment, sets: Sets) {
  const every = everySet(sets);
  const isAvailable = sum(every, available);
  const total = sum(every, existing);
  return {
    replicas: total,
    updatedReplicas: sets.current ? existing(sets.current) : 0,
    readyReplicas: sum(every, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: isAvailable,
    unavailableReplicas: Math.max(0, Math.max(total, spec.replicas ?? 1) - isAvailable),
  };
}

type Counts = ReturnType<typeof countsOf>;
type Judged = { readonly conditions: readonly Condition[]; readonly again: Again | undefined };

function judged(world: World, deployment: Deployment, sets: Sets, counts: Counts): Judged {
  const before = deployment.status?.conditions ?? [];
  const now = nowOf(world);
  const { condition, again } = progressing(deployment, sets, counts, now);
  const conditions = [
    availability(deployment, counts),
    ...failures(sets),
    ...(condition ? [condition] : before.filter(({ type }) => type === 'Progressing')),
  ].map((next) => dated(before, next, now));
  return { conditions, again };
}

function availability({ spec = {} }: Deployment, { availableReplicas }: Counts): Condition {
  const least = (spec.replicas ?? 1) - bounds(spec).unavailable;
  return availableReplicas >= least
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
}

const failures = (sets: Sets): Condition[] =>
  everySet(sets)
    .toReversed()
    .flatMap(({ status }) => status?.conditions?.find(({ type }) => type === 'ReplicaFailure') ?? [])
    .slice(0, 1)
    .map(({ type, status, reason = '', message = '' }) => ({ type, status, reason, message }));

type Progress = { readonly condition?: Condition; readonly again?: Again | undefined };

const word = (status: string, reason: string, message: string): Condition => ({
  type: 'Progressing',
  status,
  reason,
  message,
});

function progressing(deployment: Deployment, sets: Sets, counts: Counts, now: number): Progress {
  const { paused, progressDeadlineSeconds: deadline = 600, replicas = 1 } = deployment.spec ?? {};
  const before = conditionOf(deployment.status?.conditions, 'Progressing');
  if (paused) {
    // compat: a deployment that has timed out keeps saying so
    if (before?.reason === 'ProgressDeadlineExceeded') return {};
    return { condition: word('Unknown', 'DeploymentPaused', 'Deployment is paused') };
  }
  if (before?.reason === 'DeploymentPaused') {
    return { condition: word('Unknown', 'DeploymentResumed', 'Deployment is resumed'), again: { at: now } };
  }
  const name = sets.current?.metadata.name ?? '';
  if (isComplete(counts, replicas)) {
    const message = `ReplicaSet "${name}" has successfully progressed.`;
    return { condition: word('True', 'NewReplicaSetAvailable', message) };
  }
  if (hasMoved(deployment.status ?? {}, counts) || before === undefined || isNewRollout(before, sets)) {
    const isNew = before === undefined;
    const condition = isNew
      ? word('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`)
      : word('True', 'ReplicaSetUpdated', `ReplicaSet "${name}" is progressing.`);
    return {
      condition: { ...condition, lastUpdateTime: printTime(new Date(now)) },
      again: { at: now + deadline * 1000 },
    };
  }
  return waiting(before, name, { now, deadlineMs: deadline * 1000 });
}

function isComplete({ replicas, updatedReplicas, availableReplicas }: Counts, wanted: number): boolean {
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
}

/** More that is new, fewer that are old, more that are ready or available than before. */
function hasMoved(before: DeploymentStatus, now: Counts): boolean {
  const { updatedReplicas = 0, replicas = 0, readyReplicas = 0, availableReplicas = 0 } = before;
  return (
    now.updatedReplicas > updatedReplicas ||
    now.replicas - now.updatedReplicas < replicas - updatedReplicas ||
    now.readyReplicas > readyReplicas ||
    now.availableReplicas > availableReplicas
  );
}

/** The last word was about another rollout. */
const isNewRollout = ({ reason, message = '' }: Condition, { current }: Sets): boolean =>
  (reason === 'NewReplicaSetAvailable' ||
    reason === 'DeploymentResumed' ||
    reason === 'ProgressDeadlineExceeded') &&
  !message.includes(`"${current?.metadata.name ?? ''}"`);

type Patience = { readonly now: number; readonly deadlineMs: number };

function waiting(before: Condition, name: string, { now, deadlineMs }: Patience): Progress {
  // compat: once it has been available nothing is late any more
  if (before.reason === 'NewReplicaSetAvailable' || before.reason === 'ProgressDeadlineExceeded') return {};
  const end = (parseTime(before.lastUpdateTime) ?? now) + deadlineMs;
  if (now < end) return { again: { at: end } };
  return {
    condition: word('False', 'ProgressDeadlineExceeded', `ReplicaSet "${name}" has timed out progressing.`),
  };
}

/** compat: the transition time follows the status, the update time any change; saying the same again changes neither. */
function dated(before: readonly Condition[], next: Condition, now: number): Condition {
  const old = conditionOf(before, next.type);
  const time = printTime(new Date(now));
  const isSame = old?.status === next.status && old.reason === next.reason && old.message === next.message;
  const updated = next.lastUpdateTime ?? (isSame ? old?.lastUpdateTime : time);
  return {
    ...next,
    lastUpdateTime: updated ?? time,
    lastTransitionTime: (old?.status === next.status ? old.lastTransitionTime : undefined) ?? time,
  };
}
