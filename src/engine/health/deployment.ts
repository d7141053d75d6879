import type { Health, KubeObject } from '#base/model';
import {
  conditionOf,
  degraded,
  healthy,
  isStale,
  progressing,
  say,
  suspended,
  waitingForSpec,
} from './verdict.ts';

type DeploymentView = KubeObject<
  { paused?: boolean; replicas?: number },
  { replicas?: number; updatedReplicas?: number; availableReplicas?: number }
>;

/**
 * compat engine §5.4: the order of the checks decides; a paused rollout is Suspended whatever else is true.
 */
export function deploymentHealth(object: KubeObject): Health {
  const { spec, status } = object as DeploymentView;
  if (spec?.paused) return suspended('the rollout is paused');
  if (isStale(object)) return progressing(waitingForSpec);

  const progress = conditionOf(object, 'Progressing');
  if (progress?.reason === 'ProgressDeadlineExceeded') return degraded(say(progress));

  const wanted = spec?.replicas;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  if (wanted !== undefined && updatedReplicas < wanted) {
    return progressing(`${updatedReplicas}/${wanted} replicas run the new version`);
  }
  if (replicas > updatedReplicas) {
    return progressing(`${replicas - updatedReplicas} replicas of the previous version still run`);
  }
  if (availableReplicas < updatedReplicas) {
    return progressing(`${availableReplicas}/${updatedReplicas} replicas of the new version can serve`);
  }
  return healthy();
}
