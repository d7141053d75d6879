import type { Health, KubeObject } from '#base/model';
import { check, conditions, on } from '../rules.ts';
import { type Checks, conditionOf, degraded, healthy, say, suspended } from '../verdict.ts';

/** compat engine §5.7: paused counts only for a scaler that would otherwise work. */
function working(object: KubeObject): Health | undefined {
  const ready = conditionOf(object, 'Ready');
  if (ready?.status !== 'True') return undefined;
  const paused = conditionOf(object, 'Paused');
  return paused?.status === 'True' ? suspended(say(paused)) : healthy(say(ready));
}

export const keda: Checks = {
  'keda.sh/ScaledJob': check(
    conditions(on('Ready', 'False', degraded), on('Ready', 'Unknown', degraded)),
    working,
  ),
  'keda.sh/ScaledObject': check(
    conditions(on('Ready', 'False', degraded), on('Fallback', 'True', degraded)),
    working,
  ),
};
