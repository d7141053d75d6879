import type { Health, KubeObject } from '#base/model';
import { conditionOf, healthy, progressing, say } from './verdict.ts';

export function apiServiceHealth(object: KubeObject): Health {
  const available = conditionOf(object, 'Available');
  if (!available) return progressing('waiting to be processed');
  return available.status === 'True' ? healthy(say(available)) : progressing(say(available));
}
