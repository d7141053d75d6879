import { parseDuration, type SyncWindow } from '#base/model';
import { FairleadError, findTimeZone, offsetAt, offsetChange, type TimeZone, utcZone } from '#base/std';
import { type CronSchedule, longestGap, parseSchedule, tickAfter } from '#lang/cron';

/** A window whose schedule and duration could be read. */
export type OpenTimes = {
  readonly schedule: CronSchedule;
  readonly durationMs: number;
  readonly zone: TimeZone;
  /** Every tick begins before the last one ended. */
  readonly isAlwaysOpen: boolean;
};

type Read = OpenTimes | { readonly problem: string };

// by the object itself: windows come from a watch, stay the same until they change, and are checked all day
const readings = new WeakMap<SyncWindow, Read>();

/** When a window is open, or why that cannot be determined (engine P-43). */
export function timesOf(window: SyncWindow): Read {
  const known = readings.get(window);
  if (known) return known;
  const made = readTimes(window);
  readings.set(window, made);
  return made;
}

function readTimes({ schedule: text = '', duration = '', timeZone = '' }: SyncWindow): Read {
  try {
    const schedule = parseSchedule(text);
    const durationMs = parseDuration(duration);
    const gap = longestGap(schedule);
    const isAlwaysOpen = gap !== undefined && gap <= durationMs;
    // compat engine P-40: an unknown zone is UTC
    return { schedule, durationMs, zone: findTimeZone(timeZone) ?? utcZone, isAlwaysOpen };
  } catch (error) {
    return { problem: FairleadError.from(error).message };
  }
}

/**
 * compat engine P-40: open when the first tick after (time − duration) lies before the time, read on the zone's clock as it goes
 * now. Both ends are exclusive and overlapping ticks merge. A schedule that never ticks counts as always open.
 */
export function isOpen({ schedule, durationMs, zone }: OpenTimes, at: number, now: number): boolean {
  const local = at + offsetAt(zone, now);
  const tick = tickAfter(schedule, local - durationMs);
  return tick === undefined || tick < local;
}

/**
 * The first millisecond after a time at which a window has opened or closed; a gap of one instant between two ticks is
 * no closing. Undefined: not within a year.
 */
export function changeAfter(times: OpenTimes, now: number): number | undefined {
  if (times.durationMs <= 1 || times.isAlwaysOpen) return undefined;
  const wasOpen = isOpen(times, now, now);
  for (let at = now; at < now + yearMs; ) {
    const shift = offsetChange(times.zone, at) ?? Number.POSITIVE_INFINITY;
    const change = changeOnOneClock(times, at, wasOpen) ?? Number.POSITIVE_INFINITY;
    if (change < shift) return change;
    if (shift === Number.POSITIVE_INFINITY) return undefined;
    const changed = changeAtShift(times, shift, wasOpen);
    if (changed !== undefined) return changed;
    at = shift;
  }
  return undefined;
}

/** The clocks change, and with them perhaps the window. */
function changeAtShift(times: OpenTimes, shift: number, wasOpen: boolean): number | undefined {
  const differs = (at: number): boolean => isOpen(times, at, at) !== wasOpen;
  if (!differs(shift + 1)) return undefined;
  return differs(shift) ? shift : shift + 1;
}

const yearMs = 370 * 86_400_000;

function changeOnOneClock({ schedule, durationMs, zone }: OpenTimes, at: number, open: boolean) {
  const offset = offsetAt(zone, at);
  const local = at + offset;
  if (open) {
    const end = endOfRun(schedule, durationMs, local);
    return end === undefined ? undefined : Math.ceil(end) - offset;
  }
  const tick = tickAfter(schedule, local - 1);
  return tick === undefined ? undefined : tick + 1 - offset;
}

/** The end of the open time around a moment, however many ticks it is made of. */
function endOfRun(schedule: CronSchedule, durationMs: number, local: number): number | undefined {
  let tick = tickAfter(schedule, local - durationMs);
  while (tick !== undefined && tick < local + yearMs) {
    const end: number = tick + durationMs;
    const later = lateTick(schedule, tick, end);
    if (later === undefined) return end;
    tick = later;
  }
  return undefined;
}

/** A tick after one time and not after another, near the end if there are several. */
function lateTick(schedule: CronSchedule, after: number, last: number): number | undefined {
  const first = tickAfter(schedule, after);
  if (first === undefined || first > last) return undefined;
  for (let back = 60_000; last - back > first; back *= 2) {
    const tick = tickAfter(schedule, last - back);
    if (tick !== undefined && tick <= last) return tick;
  }
  return first;
}
