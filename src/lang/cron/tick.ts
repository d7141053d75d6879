import { none } from './fields.ts';
import type { CronSchedule } from './schedule.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** compat: the search ends with the fifth year after this one. */
const horizonYears = 5;

/** The first tick strictly after a time, both in milliseconds; undefined when no day within five years suits. */
export function tickAfter(schedule: CronSchedule, after: number): number | undefined {
  const start = (Math.floor(after / minuteMs) + 1) * minuteMs;
  const today = Math.floor(start / dayMs) * dayMs;
  const minute = (start - today) / minuteMs;
  const left = isDay(schedule, today)
    ? minuteOfDay(schedule, Math.floor(minute / 60), minute % 60)
    : undefined;
  if (left !== undefined) return today + left * minuteMs;
  const first = minuteOfDay(schedule, 0, 0);
  const day = first === undefined ? undefined : dayAfter(schedule, today);
  return day === undefined || first === undefined ? undefined : day + first * minuteMs;
}

/** The first minute of a day at or after this time of day, counted from midnight. */
function minuteOfDay({ hours, minutes }: CronSchedule, hour: number, minute: number): number | undefined {
  const now = hours[hour] === hour ? (minutes[minute] ?? none) : none;
  if (now !== none) return hour * 60 + now;
  const later = hours[hour + 1] ?? none;
  const first = minutes[0] ?? none;
  return later === none || first === none ? undefined : later * 60 + first;
}

function isDay(schedule: CronSchedule, day: number): boolean {
  if (schedule.daily) return true;
  const date = new Date(day);
  const month = date.getUTCMonth() + 1;
  return schedule.months[month] === month && suits(schedule, date.getUTCDate(), date.getUTCDay());
}

function suits({ days, weekdays, bothDays }: CronSchedule, date: number, weekday: number): boolean {
  const byDate = days[date] === date;
  const byWeekday = weekdays[weekday] === weekday;
  return bothDays ? byDate && byWeekday : byDate || byWeekday;
}

/** Midnight of the first suitable day after this one. */
function dayAfter(schedule: CronSchedule, today: number): number | undefined {
  const from = new Date(today + dayMs);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth()];
  const months = 12 * (new Date(today).getUTCFullYear() + horizonYears - year + 1) - month;
  for (let ahead = 0; ahead < months; ahead++) {
    const first = Date.UTC(year, month + ahead, 1);
    const found = dayInMonth(schedule, first, ahead === 0 ? from.getUTCDate() : 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function dayInMonth(schedule: CronSchedule, first: number, date: number): number | undefined {
  const start = new Date(first);
  const month = start.getUTCMonth() + 1;
  if (schedule.months[month] !== month) return undefined;
  const length = (Date.UTC(start.getUTCFullYear(), month, 1) - first) / dayMs;
  const weekday = start.getUTCDay();
  for (let at = date; at <= length; at++) {
    if (suits(schedule, at, (weekday + at - 1) % 7)) return first + (at - 1) * dayMs;
  }
  return undefined;
}

/** The longest time between two ticks, where every day is alike; undefined where days differ or there is no tick. */
export function longestGap(schedule: CronSchedule): number | undefined {
  const monday = Date.UTC(2024, 0, 1);
  const first = schedule.daily ? tickAfter(schedule, monday - 1) : undefined;
  if (first === undefined) return undefined;
  let longest = 0;
  for (let tick = first; tick < first + dayMs; ) {
    const next = tickAfter(schedule, tick) ?? tick;
    longest = Math.max(longest, next - tick);
    tick = next;
  }
  return longest;
}
