import type { Health, KubeObject } from '#model';
import { conditionOf, conditionsOf, degraded, healthy, progressing, say } from './verdict.ts';

/** compat X-4: Healthy when the generated Applications are up to date as objects; they are not waited for. */
export function applicationSetHealth(object: KubeObject): Health {
  if (conditionsOf(object).length === 0) return progressing('waiting for the first status');
  const failed = conditionOf(object, 'ErrorOccurred');
  if (failed?.status === 'True') return degraded(say(failed));
  const current = conditionOf(object, 'ResourcesUpToDate');
  if (current?.status === 'False') return degraded(say(current));
  const rolling = conditionOf(object, 'RolloutProgressing');
  if (rolling?.status === 'True') return progressing(say(rolling));
  return current?.status === 'True'
    ? healthy(say(current))
    : progressing('waiting for generated applications');
}
