import type { Condition } from '#base/model';
import { type Core, timestamp } from './core.ts';

/** The conditions, each with the time since which it has had its status. */
export function dated(
  core: Core,
  before: readonly Condition[],
  conditions: readonly Condition[],
): Condition[] {
  return conditions.map((condition) => {
    const { type, status } = condition;
    const same = before.find((one) => one.type === type && one.status === status);
    return { ...condition, lastTransitionTime: same?.lastTransitionTime ?? timestamp(core) };
  });
}
