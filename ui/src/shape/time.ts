const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, in words: `just now`, `42 s ago`, `5 min ago`, `3 h ago`, `2 d ago`, then the date. */
export function ago(then: number, now: number): string {
  const ms = Math.max(0, now - then);
  if (ms < 5 * second) return 'just now';
  if (ms < 14 * day) return `${rough(ms)} ago`;
  return dateOf(then, now);
}

/** A short age: `42s`, `5m`, `3h`, `2d`. */
export function shortAge(then: number, now: number): string {
  return rough(Math.max(0, now - then))
    .replace(' min', 'm')
    .replace(' ', '');
}

/** How long something took: `42 s`, `3 min 5 s`, `1 h 12 min`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms / second));
  if (whole < 60) return `${whole} s`;
  const [minutes, seconds] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return seconds ? `${minutes} min ${seconds} s` : `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest ? `${hours} h ${rest} min` : `${hours} h`;
}

/** The time of day, with as much of the date as is needed to distinguish it from today's. */
export function clockTime(then: number, now: number, zone?: string): string {
  const time = format(then, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, zone);
  if (dayOf(then, zone) === dayOf(now, zone)) return time;
  if (now - then < 6 * day) return `${format(then, { weekday: 'short' }, zone)} ${time}`;
  return `${dateOf(then, now, zone)} ${time}`;
}

/** The full date and time, for tooltips. */
export function fullTime(then: number, zone?: string): string {
  return format(then, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }, zone);
}

/** The time of day with its milliseconds, for lines of logs. */
export function preciseTime(then: number, zone?: string): string {
  const digits = {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  } as const;
  return format(then, { ...digits, hourCycle: 'h23' }, zone);
}

function rough(ms: number): string {
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

function dateOf(then: number, now: number, zone?: string): string {
  const isThisYear = format(then, { year: 'numeric' }, zone) === format(now, { year: 'numeric' }, zone);
  return format(then, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) }, zone);
}

const dayOf = (then: number, zone?: string): string =>
  format(then, { year: 'numeric', month: 'numeric', day: 'numeric' }, zone);

const formatters = new Map<string, Intl.DateTimeFormat>();

function format(then: number, options: Intl.DateTimeFormatOptions, zone?: string): string {
  const key = JSON.stringify([options, zone]);
  const known =
    formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, ...(zone && { timeZone: zone }) });
  formatters.set(key, known);
  return known.format(then);
}
