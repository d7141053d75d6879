import type { Health, KubeObject } from '#base/model';
import { check, type HealthRule, unobserved } from '../rules.ts';
import { type Checks, degraded, healthy, progressing, suspended, unknown } from '../verdict.ts';

type Update = { paused?: boolean; partition?: number | string; rollingUpdate?: Update };
type Spec = { paused?: boolean; updateStrategy?: Update };
type Status = {
  replicas?: number;
  updatedReplicas?: number;
  updatedAvailableReplicas?: number;
  updatedReadyReplicas?: number;
  readyReplicas?: number;
  expectedUpdatedReplicas?: number;
  desiredNumberScheduled?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
};
type KruiseView = KubeObject<Spec, Status>;

/**
 * A partition keeps part of the replicas on the old version on purpose; the first generation has no old
 * version.
 */
const isPartitioned = ({ partition = 0 }: Update, { metadata }: KubeObject): boolean =>
  partition !== 0 && (metadata.generation ?? 0) > 1;

function cloneSetHealth(object: KubeObject): Health | undefined {
  const { spec, status = {} } = object as KruiseView;
  const update = spec?.updateStrategy ?? {};
  if (update.paused || status.updatedAvailableReplicas === undefined)
    return suspended('the update is paused');
  if (isPartitioned(update, object)) {
    return (status.updatedReplicas ?? 0) >= (status.expectedUpdatedReplicas ?? 0)
      ? heldBack(update)
      : undefined;
  }
  return availabilityOf(status);
}

function statefulSetHealth(object: KubeObject): Health | undefined {
  const { spec, status = {} } = object as KruiseView;
  const update = spec?.updateStrategy?.rollingUpdate ?? {};
  if (update.paused || status.updatedAvailableReplicas === undefined)
    return suspended('the update is paused');
  if (isPartitioned(update, object)) {
    return (status.updatedReplicas ?? 0) > (status.replicas ?? 0) - Number(update.partition)
      ? heldBack(update)
      : undefined;
  }
  return availabilityOf(status);
}

const heldBack = ({ partition }: Update): Health =>
  suspended(`the partition ${partition} holds the rest back`);

function availabilityOf({ updatedAvailableReplicas = 0, replicas = 0 }: Status): Health {
  if (updatedAvailableReplicas === replicas) return healthy();
  return degraded(`${updatedAvailableReplicas} of ${replicas} replicas are available`);
}

function daemonSetHealth(object: KubeObject): Health | undefined {
  const { spec, status = {} } = object as KruiseView;
  const update = spec?.updateStrategy?.rollingUpdate ?? {};
  const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled: updated } = status;
  if (update.paused || updated === undefined) return suspended('the update is paused');
  if (isPartitioned(update, object)) {
    return updated > wanted - Number(update.partition) ? heldBack(update) : undefined;
  }
  if (updated !== wanted) return undefined;
  if (status.numberAvailable === wanted) return healthy();
  return status.numberUnavailable === wanted ? degraded('no pod is available') : undefined;
}

type CronView = KubeObject<{ paused?: boolean }, { lastScheduleTime?: string; active?: unknown[] }>;

function cronHealth(object: KubeObject): Health {
  const { spec, status } = object as CronView;
  if (!status?.lastScheduleTime && spec?.paused) return suspended('the schedule is paused');
  if (status?.active?.length) return progressing(`${status.active.length} runs are active`);
  return status?.lastScheduleTime
    ? healthy(`last run ${status.lastScheduleTime}`)
    : degraded('it was never scheduled');
}

type BroadcastView = KubeObject<
  { paused?: boolean },
  { desired?: number; succeeded?: number; failed?: number; phase?: string }
>;

function broadcastHealth(object: KubeObject): Health | undefined {
  const { spec, status } = object as BroadcastView;
  if (status?.phase === 'completed' && status.desired === status.succeeded) return healthy();
  if (status?.phase === 'failed' && status.failed !== 0) return degraded(`${status.failed} pods failed`);
  return status?.phase === 'paused' && spec?.paused ? suspended('the job is paused') : undefined;
}

type RolloutView = KubeObject<unknown, { phase?: string; canaryStatus?: { currentStepState?: string } }>;

/** Phase and step together: the same pause is a rest while progressing and a fault while terminating. */
function rolloutHealth(object: KubeObject): Health | undefined {
  const { phase, canaryStatus } = (object as RolloutView).status ?? {};
  const step = canaryStatus?.currentStepState;
  if (step === 'Completed' && phase === 'Healthy') return healthy();
  if (step !== 'StepPaused') return undefined;
  if (phase === 'Progressing') return suspended('the rollout waits at a step');
  return phase === 'Terminating' || phase === 'Disabled' ? degraded(`the rollout is ${phase}`) : undefined;
}

type GameServerView = KubeObject<
  unknown,
  {
    currentState?: string;
    desiredState?: string;
    podStatus?: { conditions?: { type?: string; status?: string }[] };
  }
>;

function gameServerHealth(object: KubeObject): Health {
  const { currentState, desiredState, podStatus } = (object as GameServerView).status ?? {};
  if (currentState !== desiredState) return progressing(`${currentState} is to become ${desiredState}`);
  const unready = podStatus?.conditions?.find(
    ({ type, status }) => type === 'KruisePodReady' && status !== 'True',
  );
  if (unready) return degraded('the pod is not ready');
  return currentState === 'Ready' ? healthy() : unknown('waiting for the game server');
}

function gameServerSetHealth(object: KubeObject): Health | undefined {
  const { spec, status = {} } = object as KruiseView;
  const { replicas = 0, updatedReplicas = 0, updatedReadyReplicas = 0, readyReplicas = 0 } = status;
  const update = spec?.updateStrategy?.rollingUpdate ?? {};
  if (update.paused) return suspended('the update is paused');
  if (update.partition && updatedReplicas >= replicas - Number(update.partition)) return heldBack(update);
  if (updatedReadyReplicas === replicas) return healthy();
  return progressing(`${readyReplicas} of ${replicas} replicas are ready`);
}

const started: HealthRule = (object) =>
  object.status ? undefined : progressing('waiting for the first status');

/** OpenKruise. */
export const kruise: Checks = {
  'apps.kruise.io/AdvancedCronJob': cronHealth,
  'apps.kruise.io/BroadcastJob': check(broadcastHealth),
  'apps.kruise.io/CloneSet': check(started, unobserved, cloneSetHealth),
  'apps.kruise.io/DaemonSet': check(started, unobserved, daemonSetHealth),
  'apps.kruise.io/StatefulSet': check(started, unobserved, statefulSetHealth),
  'game.kruise.io/GameServer': gameServerHealth,
  'game.kruise.io/GameServerSet': check(started, unobserved, gameServerSetHealth),
  'rollouts.kruise.io/Rollout': check(started, unobserved, rolloutHealth),
};
