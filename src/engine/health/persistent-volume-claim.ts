import type { Health, KubeObject } from '#base/model';
import { degraded, healthy, progressing, unknown } from './verdict.ts';

export function persistentVolumeClaimHealth(object: KubeObject): Health {
  const phase = (object as KubeObject<unknown, { phase?: string }>).status?.phase;
  switch (phase) {
    case 'Bound':
      return healthy();
    case 'Pending':
      return progressing('waiting for a volume');
    case 'Lost':
      return degraded('the bound volume is gone');
    default:
      return unknown(phase ? `unexpected phase ${phase}` : undefined);
  }
}
