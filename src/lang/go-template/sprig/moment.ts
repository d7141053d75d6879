import { findTimeZone, offsetAt, type TimeZone, utcZone } from '#base/std';

/** An instant in a zone. */
export type GoMoment = {
  /** Nanoseconds since 1970. */
  readonly unix: bigint;
  /** A zone with rules, or a fixed offset in milliseconds. */
  readonly zone: TimeZone | number;
  /** What `MST` in a layout prints, where it is known. */
  readonly zoneName: string;
};

const million = 1_000_000n;

export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Go's zero time, the first of January of the year 1. */
export const zeroMoment: GoMoment = { unix: -62_135_596_800_000_000_000n, zone: utcZone, zoneName: 'UTC' };

export const utcMoment = (unix: bigint): GoMoment => ({ unix, zone: utcZone, zoneName: 'UTC' });

/** The same instant in another zone; an unknown one is UTC, as in sprig. */
export function inZone(moment: GoMoment, name: string): GoMoment {
  const zone = findTimeZone(name);
  if (!zone || zone === utcZone) return utcMoment(moment.unix);
  return { unix: moment.unix, zone, zoneName: abbreviation(name, moment.unix) };
}

/** Each region writes the names of its own zones. */
const locales = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA', 'ja-JP'];

/** What the zone is called at that time, where JavaScript knows it; else its offset, as the database of zones has it. */
function abbreviation(name: string, unix: bigint): string {
  for (const locale of locales) {
    const format = new Intl.DateTimeFormat(locale, { timeZone: name, timeZoneName: 'short' });
    const parts = format.formatToParts(Number(floorDivide(unix, million)));
    const short = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    if (/^[A-Z]{3,4}$/.test(short)) return short;
  }
  return zoneOffset(offsetSeconds({ unix, zone: findTimeZone(name) ?? utcZone, zoneName: '' }));
}

/** `+03`, or `+0530` where there are minutes. */
function zoneOffset(seconds: number): string {
  const minutes = Math.abs(Math.trunc(seconds / 60));
  const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return (seconds < 0 ? '-' : '+') + parts[0] + (parts[1] === '00' ? '' : parts[1]);
}

export const floorDivide = (value: bigint, by: bigint): bigint => {
  const quotient = value / by;
  return value < 0n && value % by !== 0n ? quotient - 1n : quotient;
};

/** How far the clock is ahead of UTC, in seconds. */
export function offsetSeconds({ unix, zone }: GoMoment): number {
  const offset = typeof zone === 'number' ? zone : offsetAt(zone, Number(floorDivide(unix, million)));
  return Math.trunc(offset / 1000);
}

/** What a clock on the wall shows. */
export type WallClock = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly yearDay: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
};

export function clockOf(moment: GoMoment): WallClock {
  const local = moment.unix + BigInt(offsetSeconds(moment)) * 1000n * million;
  const ms = floorDivide(local, million);
  const date = new Date(Number(ms));
  const newYear = new Date(0);
  newYear.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  const day = Math.floor(date.getTime() / 86_400_000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    yearDay: day - Math.floor(newYear.getTime() / 86_400_000) + 1,
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: date.getUTCMilliseconds() * 1_000_000 + Number(local - ms * million),
  };
}

/** Nanoseconds since 1970 of a clock that shows UTC; a day that the month does not have runs on into the next. */
export function unixOf(clock: Omit<WallClock, 'weekday' | 'yearDay'>): bigint {
  const date = new Date(0);
  date.setUTCFullYear(clock.year, clock.month - 1, clock.day);
  date.setUTCHours(clock.hour, clock.minute, clock.second);
  return BigInt(date.getTime()) * million + BigInt(clock.nanosecond);
}
