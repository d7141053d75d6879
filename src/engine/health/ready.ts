import type { Health, KubeObject } from '#model';
import { type Check, conditionOf, degraded, healthy, progressing, say } from './verdict.ts';

/** Most controllers report through one condition: True is Healthy, False is Degraded, anything else is on its way. */
export function conditionHealth(type: string): Check {
  return (object: KubeObject): Health => {
    const condition = conditionOf(object, type);
    if (condition?.status === 'True') return healthy(say(condition));
    if (condition?.status === 'False') return degraded(say(condition));
    return progressing(condition ? say(condition) : `waiting for the ${type} condition`);
  };
}

export const readyHealth: Check = conditionHealth('Ready');

/** cert-manager: a certificate being issued is on its way, whatever Ready still says of the old one. */
export function certificateHealth(object: KubeObject): Health | undefined {
  const issuing = conditionOf(object, 'Issuing');
  if (issuing?.status === 'True') return progressing(say(issuing));
  return readyHealth(object);
}

type ReplicationView = KubeObject<unknown, { lastSyncTime?: string; latestImage?: unknown }>;

/** VolSync has no Ready: a source is good once it has synced, a destination once it has an image. */
export function replicationHealth(object: KubeObject): Health {
  const { lastSyncTime, latestImage } = (object as ReplicationView).status ?? {};
  if (object.kind === 'ReplicationSource') {
    return lastSyncTime ? healthy(`last synced ${lastSyncTime}`) : progressing('waiting for the first sync');
  }
  return latestImage ? healthy() : progressing('waiting for the first image');
}
