import { FairleadError } from '#base/std';

/** A parsed cron schedule: the minutes, hours, days, months and weekdays that it names. */
export type Cron = {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** compat: when both days are restricted, either will do. */
  readonly eitherDay: boolean;
};

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Throws InvalidSpec when the text is not a schedule. */
export function parseCron(text: string): Cron {
  const fields = (macros[text.trim()] ?? text).trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday) {
    throw new FairleadError('InvalidSpec', `schedule "${text}" must have five fields, such as "*/5 * * * *"`);
  }
  const weekdays = numbers(weekday, { from: 0, to: 7, names: dayNames });
  return {
    minutes: numbers(minute, { from: 0, to: 59 }),
    hours: numbers(hour, { from: 0, to: 23 }),
    days: numbers(day, { from: 1, to: 31 }),
    months: numbers(month, { from: 1, to: 12, names: ['', ...monthNames] }),
    weekdays: new Set([...weekdays].map((one) => one % 7)),
    eitherDay: !isAny(day) && !isAny(weekday),
  };
}

const isAny = (field: string): boolean => field.startsWith('*') || field === '?';

type Bounds = { readonly from: number; readonly to: number; readonly names?: readonly string[] };

function numbers(field: string, bounds: Bounds): ReadonlySet<number> {
  return new Set(field.split(',').flatMap((part) => range(part, bounds)));
}

function range(part: string, { from, to, names = [] }: Bounds): number[] {
  const [span = '', every] = part.split('/');
  const value = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    const number = named >= 0 ? named : Number(word);
    if (word === '' || !Number.isInteger(number) || number < from || number > to) {
      throw new FairleadError('InvalidSpec', `"${part}" is not a range between ${from} and ${to}`);
    }
    return number;
  };
  const [low = '', high] = span.split('-');
  const start = isAny(span) ? from : value(low);
  const end = isAny(span) ? to : high !== undefined ? value(high) : every !== undefined ? to : start;
  const step = every === undefined ? 1 : Number(every);
  if (!Number.isInteger(step) || step < 1)
    throw new FairleadError('InvalidSpec', `"${part}" has no valid step`);
  return Array.from(
    { length: Math.max(0, Math.floor((end - start) / step) + 1) },
    (_, i) => start + i * step,
  );
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Far enough for the 29th of February. */
const horizonMs = 9 * 366 * 24 * hourMs;

/** The first time after `after`, in milliseconds; undefined when the schedule names none, such as 30 February. */
export function nextTime(cron: Cron, after: number, timeZone = 'UTC'): number | undefined {
  const read = reader(timeZone);
  const end = after + horizonMs;
  for (let time = Math.floor(after / minuteMs) * minuteMs + minuteMs; time <= end; ) {
    const at = read(time);
    if (!cron.months.has(at.month) || !isDay(cron, at))
      time += (24 - at.hour) * hourMs - at.minute * minuteMs;
    else if (!cron.hours.has(at.hour)) time += hourMs - at.minute * minuteMs;
    else if (!cron.minutes.has(at.minute)) time += minuteMs;
    else return time;
  }
  return undefined;
}

type Moment = { month: number; day: number; weekday: number; hour: number; minute: number };

function isDay({ days, weekdays, eitherDay }: Cron, { day, weekday }: Moment): boolean {
  const byDate = days.has(day);
  const byWeekday = weekdays.has(weekday);
  return eitherDay ? byDate || byWeekday : byDate && byWeekday;
}

/** Reads the local time of a time zone. Throws InvalidSpec when the zone does not exist. */
function reader(timeZone: string): (time: number) => Moment {
  if (timeZone === 'UTC') {
    return (time) => {
      const date = new Date(time);
      return {
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
        weekday: date.getUTCDay(),
        hour: date.getUTCHours(),
        minute: date.getUTCMinutes(),
      };
    };
  }
  const format = formatFor(timeZone);
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    const weekday = dayNames.indexOf((parts.get('weekday') ?? '').toLowerCase());
    return {
      month: number('month'),
      day: number('day'),
      weekday,
      hour: number('hour'),
      minute: number('minute'),
    };
  };
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      month: 'numeric',
      day: 'numeric',
      weekday: 'short',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch (error) {
    throw new FairleadError('InvalidSpec', `unknown time zone "${timeZone}"`, error);
  }
}
