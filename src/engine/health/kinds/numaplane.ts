import type { KubeObject } from '#base/model';
import { check, conditions, type HealthRule, on, otherwise, unobserved, where } from '../rules.ts';
import {
  type Checks,
  conditionOf,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  unknown,
} from '../verdict.ts';

type RolloutView = KubeObject<unknown, { phase?: string; upgradeInProgress?: string }>;

/** An upgrade is Progressing until it has succeeded or failed. */
const upgrading: HealthRule = (object) => {
  const { phase, upgradeInProgress } = (object as RolloutView).status ?? {};
  if (!upgradeInProgress && phase !== 'Pending') return undefined;
  const failed = conditionOf(object, 'ProgressiveUpgradeSucceeded')?.status === 'False';
  return failed ? undefined : progressing(upgradeInProgress ? `upgrading: ${upgradeInProgress}` : 'Pending');
};

/**
 * `child` is the reason that reports a failed child, without it any reason does; `paused` is the reason that
 * reports a pause.
 */
const rollout = (child?: string, paused?: string): HealthCheck =>
  check(
    (object) => (object.status ? unobserved(object) : progressing('waiting for the first status')),
    upgrading,
    conditions(on('ChildResourcesHealthy', 'False', progressing, ['Progressing'])),
    where('status.phase', 'Failed', degraded, 'the rollout failed'),
    conditions(
      on('ChildResourcesHealthy', 'False', degraded, child ? [child] : undefined),
      on('ProgressiveUpgradeSucceeded', 'False', degraded),
    ),
    conditions(...(paused ? [on(paused, 'True', healthy)] : [])),
    conditions(on('ChildResourcesHealthy', 'True', healthy)),
    otherwise(unknown, 'the health of what it made is not reported'),
  );

export const numaplane: Checks = {
  'numaplane.numaproj.io/ISBServiceRollout': rollout('ISBSvcFailed'),
  'numaplane.numaproj.io/MonoVertexRollout': rollout('MonoVertexFailed', 'MonoVertexPausingOrPaused'),
  'numaplane.numaproj.io/NumaflowControllerRollout': rollout(),
  'numaplane.numaproj.io/PipelineRollout': rollout('PipelineFailed', 'PipelinePausingOrPaused'),
};
