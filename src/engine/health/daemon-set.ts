import type { Health, KubeObject } from '#base/model';
import { healthy, isStale, progressing, waitingForSpec } from './verdict.ts';

type DaemonSetView = KubeObject<
  { updateStrategy?: { type?: string } },
  { desiredNumberScheduled?: number; updatedNumberScheduled?: number; numberAvailable?: number }
>;

export function daemonSetHealth(object: KubeObject): Health {
  if (isStale(object)) return progressing(waitingForSpec);
  const { spec, status } = object as DaemonSetView;
  const wanted = status?.desiredNumberScheduled ?? 0;
  const updated = status?.updatedNumberScheduled ?? 0;
  const available = status?.numberAvailable ?? 0;

  if (spec?.updateStrategy?.type === 'OnDelete') {
    return healthy(`${updated} of ${wanted} pods are updated, the rest when they are deleted`);
  }
  if (updated < wanted) return progressing(`${updated} of ${wanted} pods are updated`);
  if (available < wanted) return progressing(`${available} of ${wanted} pods are available`);
  return healthy();
}
