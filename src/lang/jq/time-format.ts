import { JqError } from './run.ts';

/** year, month from 0, day, hours, minutes, seconds, day of the week, day of the year from 0; all in UTC. */
type Time = readonly [number, number, number, number, number, number, number, number];

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const pad = (value: number, width: number, fill = '0'): string =>
  String(Math.trunc(value)).padStart(width, fill);

const twelve = (hour: number): number => hour % 12 || 12;

const secondsOf = ([year, month, day, hour, minute, second]: Time): number =>
  Date.UTC(year, month, day, hour, minute, Math.trunc(second)) / 1000;

const pieces: Readonly<Record<string, (time: Time) => string>> = {
  Y: ([year]) => pad(year, 4),
  C: ([year]) => pad(year / 100, 2),
  y: ([year]) => pad(year % 100, 2),
  m: ([, month]) => pad(month + 1, 2),
  B: ([, month]) => months[month] ?? '',
  b: ([, month]) => months[month]?.slice(0, 3) ?? '',
  h: ([, month]) => months[month]?.slice(0, 3) ?? '',
  d: ([, , day]) => pad(day, 2),
  e: ([, , day]) => pad(day, 2, ' '),
  j: ([, , , , , , , yearDay]) => pad(yearDay + 1, 3),
  A: ([, , , , , , weekDay]) => days[weekDay] ?? '',
  a: ([, , , , , , weekDay]) => days[weekDay]?.slice(0, 3) ?? '',
  w: ([, , , , , , weekDay]) => String(weekDay),
  u: ([, , , , , , weekDay]) => String(weekDay || 7),
  H: ([, , , hour]) => pad(hour, 2),
  k: ([, , , hour]) => pad(hour, 2, ' '),
  I: ([, , , hour]) => pad(twelve(hour), 2),
  l: ([, , , hour]) => pad(twelve(hour), 2, ' '),
  p: ([, , , hour]) => (hour < 12 ? 'AM' : 'PM'),
  M: ([, , , , minute]) => pad(minute, 2),
  S: ([, , , , , second]) => pad(second, 2),
  s: (time) => String(secondsOf(time)),
  z: () => '+0000',
  Z: () => 'UTC',
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

const shorthands: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
};

const spelledOut = (format: string): string =>
  format.replace(/%(.)/gs, (found, letter: string) => shorthands[letter] ?? found);

/** The directives of strftime, without widths and without weeks of the year. */
export function formatTime(time: Time, format: string): string {
  return spelledOut(format).replace(/%(.?)/gs, (_found, letter: string) => {
    const piece = pieces[letter];
    if (!piece) throw new JqError('strftime does not know one of the directives');
    return piece(time);
  });
}

type Parsed = {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  offset: number;
};

type Reader = { readonly pattern: string; read(text: string): Partial<Parsed> };

const reads: Readonly<Record<string, Reader>> = {
  Y: { pattern: '\\d{4}', read: (text) => ({ year: Number(text) }) },
  y: { pattern: '\\d{2}', read: (text) => ({ year: Number(text) + (Number(text) < 69 ? 2000 : 1900) }) },
  j: { pattern: '\\d{1,3}', read: (text) => ({ month: 0, day: within(Number(text), 1, 366) }) },
  s: { pattern: '-?\\d+', read: (text) => ({ year: 1970, month: 0, day: 1, second: Number(text) }) },
  m: { pattern: '\\d{1,2}', read: (text) => ({ month: within(Number(text), 1, 12) - 1 }) },
  d: { pattern: '\\d{1,2}', read: (text) => ({ day: within(Number(text), 1, 31) }) },
  e: { pattern: ' ?\\d{1,2}', read: (text) => ({ day: within(Number(text), 1, 31) }) },
  H: { pattern: '\\d{1,2}', read: (text) => ({ hour: within(Number(text), 0, 23) }) },
  M: { pattern: '\\d{1,2}', read: (text) => ({ minute: within(Number(text), 0, 59) }) },
  S: { pattern: '\\d{1,2}', read: (text) => ({ second: within(Number(text), 0, 60) }) },
  B: { pattern: months.join('|'), read: (text) => ({ month: monthOf(text) }) },
  b: { pattern: '[A-Za-z]{3}', read: (text) => ({ month: monthOf(text) }) },
  A: { pattern: days.join('|'), read: () => ({}) },
  a: { pattern: '[A-Za-z]{3}', read: () => ({}) },
  Z: { pattern: 'UTC|GMT|Z', read: () => ({}) },
  z: { pattern: 'Z|[+-]\\d{2}:?\\d{2}', read: (text) => ({ offset: offsetOf(text) }) },
  '%': { pattern: '%', read: () => ({}) },
};

function within(value: number, least: number, most: number): number {
  if (value >= least && value <= most) return value;
  throw new JqError('strptime found a number out of range');
}

function monthOf(text: string): number {
  const found = months.findIndex(
    (month) => month.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase(),
  );
  return within(found, 0, 11);
}

function offsetOf(text: string): number {
  if (text === 'Z') return 0;
  const [, sign = '', hours = 0, minutes = 0] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

/** Seconds since 1970. The format must describe the whole text. */
export function parseTime(text: string, format: string): number {
  const letters: string[] = [];
  const pattern = spelledOut(format).replace(/%(.?)|[\s\S]/g, (found, letter: string | undefined) => {
    if (letter === undefined) return /\w/.test(found) ? found : `\\u{${found.charCodeAt(0).toString(16)}}`;
    const read = reads[letter];
    if (!read) throw new JqError('strptime does not know one of the directives');
    letters.push(letter);
    return `(${read.pattern})`;
  });
  const match = new RegExp(`^${pattern}$`, 'u').exec(text);
  if (!match) throw new JqError('strptime needs a time as the format describes it');
  const parsed: Parsed = { year: 1900, month: 0, day: 1, hour: 0, minute: 0, second: 0, offset: 0 };
  for (const [index, letter] of letters.entries())
    Object.assign(parsed, reads[letter]?.read(match[index + 1] ?? ''));
  const { year, month, day, hour, minute, second, offset } = parsed;
  return Date.UTC(year, month, day, hour, minute, second) / 1000 - offset;
}
