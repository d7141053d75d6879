import type { Health, KubeObject } from '#base/model';
import { conditionsOf, degraded, healthy, progressing, say } from './verdict.ts';

/** compat engine §5.7: a budget that currently allows no disruption is doing its work, so InsufficientPods is fine. */
export function podDisruptionBudgetHealth(object: KubeObject): Health {
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return progressing('waiting for the first status');
  const bad = conditions.find(({ status, reason }) => status === 'False' && reason !== 'InsufficientPods');
  return bad ? degraded(say(bad)) : healthy();
}
