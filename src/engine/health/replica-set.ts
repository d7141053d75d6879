import type { Health, KubeObject } from '#base/model';
import { conditionOf, degraded, healthy, isStale, progressing, say, waitingForSpec } from './verdict.ts';

type ReplicaSetView = KubeObject<{ replicas?: number }, { availableReplicas?: number }>;

export function replicaSetHealth(object: KubeObject): Health {
  if (isStale(object)) return progressing(waitingForSpec);
  const failure = conditionOf(object, 'ReplicaFailure');
  if (failure?.status === 'True') return degraded(say(failure));

  const { spec, status } = object as ReplicaSetView;
  const available = status?.availableReplicas ?? 0;
  const wanted = spec?.replicas;
  if (wanted !== undefined && available < wanted) {
    return progressing(`${available} of ${wanted} replicas are available`);
  }
  return healthy();
}
