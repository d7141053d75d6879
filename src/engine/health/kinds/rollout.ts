import type { Health, KubeObject } from '#base/model';
import {
  conditionsOf,
  degraded,
  type HealthOf,
  healthy,
  progressing,
  say,
  suspended,
  unknown,
  waitingForSpec,
} from '../verdict.ts';

type Strategy = { canary?: unknown; blueGreen?: unknown };
type Spec = { paused?: boolean; replicas?: number; strategy?: Strategy; workloadRef?: unknown };
type Status = {
  phase?: string;
  message?: string;
  observedGeneration?: string;
  workloadObservedGeneration?: string;
  pauseConditions?: unknown[];
  currentPodHash?: string;
  stableRS?: string;
  replicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  blueGreen?: { activeSelector?: string };
  canary?: { stableRS?: string };
};
type RolloutView = KubeObject<Spec, Status>;

const phases: ReadonlyMap<string, HealthOf> = new Map([
  ['Healthy', healthy],
  ['Progressing', progressing],
  ['Degraded', degraded],
  ['Paused', suspended],
]);
const workloadGeneration = 'rollout.argoproj.io/workload-generation';

const abortOfRun =
  /^RolloutAborted: Rollout aborted update to revision (\d+): .*? phase error\/failed \([^)]*\): (.+)$/;

const measuredMetric = /: Metric "(.+?)" assessed \w+ due to (.+?); value (.+)$/;

/** compat rollouts RK-11, RA-20: the metric that aborted an update and what it measured, in front of what a line has room for. */
export const shortAbort = (message: string): string =>
  message.replace(abortOfRun, 'aborted revision $1: $2').replace(measuredMetric, ': $1 measured $3; $2');

/** compat engine §5.7: Argo Rollouts judges itself since 1.0; before that the replica counts must do. */
export function rolloutHealth(object: KubeObject): Health {
  const rollout = object as RolloutView;
  const { status } = rollout;
  if (!status || !isObserved(rollout) || !isWorkloadObserved(rollout)) return progressing(waitingForSpec);
  if (status.phase !== undefined) {
    const verdict = phases.get(status.phase);
    return verdict ? verdict(status.message) : unknown(`unexpected phase ${status.phase}`);
  }
  return beforeOne(rollout, status);
}

/** The generation is text, and before 1.0 a hash: what is no number has been seen. */
function isObserved({ metadata, status }: RolloutView): boolean {
  const seen = Number.parseInt(status?.observedGeneration ?? '', 10);
  return (
    Number.isNaN(seen) ||
    String(seen) !== String(status?.observedGeneration) ||
    seen >= (metadata.generation ?? 0)
  );
}

function isWorkloadObserved({ metadata, spec, status }: RolloutView): boolean {
  if (!spec?.workloadRef || !metadata.annotations) return true;
  return metadata.annotations[workloadGeneration] === status?.workloadObservedGeneration;
}

function beforeOne(object: RolloutView, status: Status): Health {
  const stuck = conditionsOf(object).find(
    ({ type, reason = '' }) =>
      type === 'InvalidSpec' ||
      (type === 'Progressing' && /^(?:RolloutAborted|ProgressDeadlineExceeded)$/.test(reason)),
  );
  if (stuck) return degraded(say(stuck));
  if (status.pauseConditions?.length || object.spec?.paused) return suspended('the rollout is paused');
  if (!status.currentPodHash) return progressing('waiting for the first replicas');
  return replicasOf(object.spec ?? {}, status) ?? switchOf(object.spec?.strategy ?? {}, status) ?? healthy();
}

function replicasOf({ replicas: wanted = 1 }: Spec, status: Status): Health | undefined {
  const { updatedReplicas = 0, availableReplicas = 0 } = status;
  if (updatedReplicas < wanted)
    return progressing(`${updatedReplicas}/${wanted} replicas run the new version`);
  if (availableReplicas >= updatedReplicas) return undefined;
  return progressing(`${availableReplicas}/${updatedReplicas} replicas of the new version can serve`);
}

/** All replicas are there; the traffic and the name "stable" have to follow. */
function switchOf({ blueGreen, canary }: Strategy, status: Status): Health | undefined {
  const { currentPodHash, replicas = 0, updatedReplicas = 0 } = status;
  const stable = status.stableRS ?? status.canary?.stableRS ?? '';
  if (blueGreen) {
    if (status.blueGreen?.activeSelector !== currentPodHash)
      return progressing('the active service is to switch');
    return stable && stable !== currentPodHash
      ? progressing('the new version is to become stable')
      : undefined;
  }
  if (!canary) return undefined;
  if (replicas > updatedReplicas) {
    return progressing(`${replicas - updatedReplicas} replicas of the previous version still run`);
  }
  return stable === currentPodHash ? undefined : progressing('the new version is to become stable');
}
