import { FairleadError } from '#base/std';

/**
 * A five-field schedule as jump tables: `next[i]` is the smallest member at or after i, or `none`. Times are
 * read on a calendar without zones; the caller shifts the time for another zone first.
 */
export type CronSchedule = {
  readonly minutes: Uint8Array;
  readonly hours: Uint8Array;
  readonly months: Uint8Array;
  readonly days: Uint8Array;
  readonly weekdays: Uint8Array;
  /** compat: a day must suit both lists when one of them is `*`, otherwise either. */
  readonly bothDays: boolean;
  /** Every day of the year is named. */
  readonly daily: boolean;
};

type Bounds = {
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
};
type Field = { readonly next: Uint8Array; readonly star: boolean };

const none = 255;
const bounds: readonly Bounds[] = [
  { what: 'minute', from: 0, to: 59 },
  { what: 'hour', from: 0, to: 23 },
  { what: 'day of the month', from: 1, to: 31 },
  {
    what: 'month',
    from: 1,
    to: 12,
    names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { what: 'weekday', from: 0, to: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/** Reads a schedule as robfig/cron does with its five standard fields. Throws InvalidSpec naming the part and the fix. */
export function parseSchedule(text: string): CronSchedule {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length !== bounds.length || /^(?:@|TZ=|CRON_TZ=)/.test(text)) {
    throw invalid(text, shapeFix(text));
  }
  const [minute, hour, day, month, weekday] = bounds.map((bound, i) => fieldOf(words[i] ?? '', bound, text));
  if (!minute || !hour || !day || !month || !weekday) throw invalid(text, shapeFix(text));
  return {
    minutes: minute.next,
    hours: hour.next,
    months: month.next,
    days: day.next,
    weekdays: weekday.next,
    bothDays: day.star || weekday.star,
    daily: [day, month, weekday].every(({ next }, i) => isFull(next, bounds[i + 2])),
  };
}

const invalid = (text: string, why: string): FairleadError =>
  new FairleadError('InvalidSpec', `schedule "${text}" cannot be read: ${why}`);

function shapeFix(text: string): string {
  if (text.startsWith('@')) return 'names such as @daily are not known here; write "0 0 * * *"';
  // dev P-40: the peer's parser takes a zone here and then shifts by timeZone as well
  if (/^(?:CRON_)?TZ=/.test(text)) return 'write the zone in timeZone, not in the schedule';
  return 'it needs five fields: minute, hour, day of the month, month, weekday';
}

const isFull = (next: Uint8Array, bound: Bounds | undefined): boolean =>
  bound !== undefined && next.every((value, i) => value === i || i < bound.from || i > bound.to);

function fieldOf(field: string, bound: Bounds, text: string): Field {
  const has = new Uint8Array(bound.to + 2);
  let star = false;
  for (const part of field.split(',').filter((one) => one !== '')) {
    const { low, high, step, isStar } = rangeOf(part, bound, text);
    star ||= isStar;
    for (let at = low; at <= high; at += step) has[at] = 1;
  }
  const next = new Uint8Array(bound.to + 2).fill(none);
  for (let at = bound.to; at >= 0; at--) next[at] = has[at] ? at : (next[at + 1] ?? none);
  return { next, star };
}

type Range = { readonly low: number; readonly high: number; readonly step: number; readonly isStar: boolean };

function rangeOf(part: string, bound: Bounds, text: string): Range {
  const { low, high, step, isAny } = readRange(part, bound);
  const why = rangeProblem({ low, high, step }, bound);
  if (why || low === undefined || high === undefined || step === undefined) {
    throw invalid(text, `in the ${bound.what}, "${part}" ${why}`);
  }
  return { low, high, step, isStar: isAny && step === 1 };
}

type Numbers = Readonly<Record<'low' | 'high' | 'step', number | undefined>>;

function readRange(part: string, bound: Bounds): Numbers & { readonly isAny: boolean } {
  const [span = '', every, ...moreSteps] = part.split('/');
  const [first = '', last, ...moreEnds] = span.split('-');
  const step = every === undefined ? 1 : numberOf(moreSteps.length > 0 ? '' : every);
  // compat: after a star nothing is read before the step
  if (first === '*' || first === '?') return { low: bound.from, high: bound.to, step, isAny: true };
  const low = memberOf(first, bound);
  if (last !== undefined) {
    return { low, high: moreEnds.length > 0 ? undefined : memberOf(last, bound), step, isAny: false };
  }
  return { low, high: every === undefined ? low : bound.to, step, isAny: false };
}

function rangeProblem({ low, high, step }: Numbers, bound: Bounds): string | undefined {
  if (low === undefined || high === undefined) return `is not a number${namesOf(bound)}, or a range of two`;
  if (!step) return 'needs one step, a number above 0';
  if (low < bound.from || high > bound.to) return `is outside ${bound.from} to ${bound.to}`;
  return low > high ? 'ends before it begins; write two ranges with a comma between them' : undefined;
}

const namesOf = ({ names }: Bounds): string => (names ? ` or a name such as ${names[1]}` : '');

function memberOf(word: string, { names }: Bounds): number | undefined {
  const named = word === '' ? -1 : (names?.indexOf(word.toLowerCase()) ?? -1);
  return named >= 0 ? named : numberOf(word);
}

const numberOf = (word: string): number | undefined =>
  /^\+?[0-9]{1,18}$/.test(word) ? Number(word) : undefined;

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
