import type { Health, KubeObject } from '#base/model';
import { healthy, isStale, progressing, waitingForSpec } from './verdict.ts';

type Strategy = { type?: string; rollingUpdate?: { partition?: number } };
type Spec = { replicas?: number; updateStrategy?: Strategy };
type Status = {
  observedGeneration?: number;
  readyReplicas?: number;
  updatedReplicas?: number;
  updateRevision?: string;
  currentRevision?: string;
};

export function statefulSetHealth(object: KubeObject): Health {
  const { spec = {}, status = {} } = object as KubeObject<Spec, Status>;
  if (!status.observedGeneration || isStale(object)) return progressing(waitingForSpec);

  const ready = status.readyReplicas ?? 0;
  if (spec.replicas !== undefined && ready < spec.replicas) {
    return progressing(`${ready} of ${spec.replicas} replicas are ready`);
  }
  return rolloutOf(spec, status);
}

function rolloutOf(spec: Spec, status: Status): Health {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  // compat engine §5.4: with a rollingUpdate block only the partition is waited for, never the revision
  if (type === 'RollingUpdate' && rollingUpdate) return partitionOf(spec, status, rollingUpdate.partition);
  if (type === 'OnDelete') return healthy('replicas are updated only when their pods are deleted');
  if (status.updateRevision !== status.currentRevision) {
    return progressing(`${status.updatedReplicas ?? 0} pods are at revision ${status.updateRevision}`);
  }
  return healthy();
}

function partitionOf(spec: Spec, status: Status, partition: number | undefined): Health {
  if (partition === undefined || spec.replicas === undefined) return healthy();
  const wanted = spec.replicas - partition;
  const updated = status.updatedReplicas ?? 0;
  if (updated >= wanted) return healthy(`${updated} pods above the partition run the new version`);
  return progressing(`${updated}/${wanted} pods above partition ${partition} run the new version`);
}
