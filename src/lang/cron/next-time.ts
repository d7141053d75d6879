import { offsetAt, offsetChange, type TimeZone } from '#base/std';
import { type Interval, intervalTickAfter } from './interval.ts';
import type { CronSchedule } from './schedule.ts';
import { tickAfter } from './tick.ts';

/**
 * The first tick strictly after a time on the clocks of a zone, in milliseconds; undefined when no day within five years
 * suits. compat: a tick in an hour that the clocks skip is left out, one in an hour that they repeat comes twice.
 */
export function nextTime(
  schedule: CronSchedule | Interval,
  after: number,
  zone: TimeZone,
): number | undefined {
  if ('everyMs' in schedule) return intervalTickAfter(schedule, after);
  for (let from = after, at = after; ; ) {
    const offset = offsetAt(zone, at);
    const local = tickAfter(schedule, from + offset);
    if (local === undefined) return undefined;
    const change = offsetChange(zone, at);
    if (change === undefined || local - offset < change) return local - offset;
    // the new clock begins with the instant of the change, which may be a tick
    at = change;
    from = change - 1;
  }
}
