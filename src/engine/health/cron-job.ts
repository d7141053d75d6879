import type { Health, KubeObject } from '#base/model';
import { degraded, healthy, progressing } from './verdict.ts';

type CronJobView = KubeObject<
  { suspend?: boolean },
  { active?: unknown[]; lastScheduleTime?: string; lastSuccessfulTime?: string }
>;

/** compat engine H-19: a suspended CronJob is Healthy on purpose, so that it never blocks an application. */
export function cronJobHealth(object: KubeObject): Health {
  const { spec, status } = object as CronJobView;
  if (spec?.suspend) return healthy('the schedule is suspended');
  if (!status) return progressing('waiting for the first status');
  const { active, lastScheduleTime, lastSuccessfulTime } = status;
  if (!lastScheduleTime) return healthy('no run was due yet');
  if (!lastSuccessfulTime) return healthy('no run has succeeded yet');
  if (active && active.length > 0) return healthy(`${active.length} runs are active`);
  // both are RFC 3339 in UTC with whole seconds, so text order is time order
  if (lastSuccessfulTime < lastScheduleTime) return degraded('the last run did not succeed');
  return healthy('the last run succeeded');
}
