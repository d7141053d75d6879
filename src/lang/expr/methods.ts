import { formatTime, inZone, unixOf, utcMoment } from '#lang/go-template';
import { ExprError } from './errors.ts';
import { between, later, toInt } from './operators.ts';
import {
  ExprDuration,
  ExprFunction,
  ExprTime,
  type ExprValue,
  ExprZone,
  printed,
  typeOf,
  wallClock,
} from './value.ts';

const second = 1_000_000_000n;
type Method<Of> = (of: Of, ...args: ExprValue[]) => ExprValue;

function moment(value: ExprValue | undefined): ExprTime {
  if (value instanceof ExprTime) return value;
  throw new ExprError(`${typeOf(value ?? null)} is not a time`);
}

function nanoseconds(value: ExprValue | undefined): bigint {
  if (value instanceof ExprDuration) return value.nanoseconds;
  if (typeof value === 'bigint') return value;
  throw new ExprError(`${typeOf(value ?? null)} is not a duration`);
}

function text(value: ExprValue | undefined): string {
  if (typeof value === 'string') return value;
  throw new ExprError(`${typeOf(value ?? null)} is not a string`);
}

const clockPart =
  (part: keyof ReturnType<typeof wallClock>): Method<ExprTime> =>
  (of) =>
    BigInt(wallClock(of)[part]);

/** The methods of a time that Go has and that conditions use. */
const ofMoment: Readonly<Record<string, Method<ExprTime>>> = {
  Sub: (of, other) => between(of, moment(other)),
  Add: (of, by) => later(of, nanoseconds(by)),
  AddDate: (of, years = 0n, inMonths = 0n, days = 0n) => {
    const clock = wallClock(of);
    const local = unixOf({
      ...clock,
      year: clock.year + Number(toInt(years)),
      month: clock.month + Number(toInt(inMonths)),
      day: clock.day + Number(toInt(days)),
    });
    return later(of, local - unixOf(clock));
  },
  After: (of, other) => of.at.unix > moment(other).at.unix,
  Before: (of, other) => of.at.unix < moment(other).at.unix,
  Equal: (of, other) => of.at.unix === moment(other).at.unix,
  Compare: (of, other) => {
    const difference = of.at.unix - moment(other).at.unix;
    return difference < 0n ? -1n : difference > 0n ? 1n : 0n;
  },
  Unix: (of) => floor(of.at.unix, second),
  UnixMilli: (of) => floor(of.at.unix, 1_000_000n),
  UnixMicro: (of) => floor(of.at.unix, 1_000n),
  UnixNano: (of) => of.at.unix,
  Format: (of, layout) => formatTime(of.at, text(layout)),
  String: (of) => printed(of),
  UTC: (of) => new ExprTime(utcMoment(of.at.unix)),
  In: (of, zone) => {
    if (!(zone instanceof ExprZone)) throw new ExprError(`${typeOf(zone ?? null)} is not a time zone`);
    return new ExprTime(inZone(of.at, zone.name));
  },
  Truncate: (of, by) => {
    const size = nanoseconds(by);
    return size <= 0n ? of : later(of, -modulo(of.at.unix + zeroTime, size));
  },
  IsZero: (of) => of.at.unix === -zeroTime,
  Year: clockPart('year'),
  Month: clockPart('month'),
  Day: clockPart('day'),
  Hour: clockPart('hour'),
  Minute: clockPart('minute'),
  Second: clockPart('second'),
  Nanosecond: clockPart('nanosecond'),
  Weekday: clockPart('weekday'),
  YearDay: clockPart('yearDay'),
};

/** Go rounds from its zero time, the first of January of the year 1. */
const zeroTime = 62_135_596_800n * second;

const modulo = (value: bigint, by: bigint): bigint => ((value % by) + by) % by;
const floor = (value: bigint, by: bigint): bigint => (value - modulo(value, by)) / by;

const float = (of: ExprDuration, unit: bigint): number =>
  Number(of.nanoseconds / unit) + Number(of.nanoseconds % unit) / Number(unit);

const ofDuration: Readonly<Record<string, Method<ExprDuration>>> = {
  Hours: (of) => float(of, 3600n * second),
  Minutes: (of) => float(of, 60n * second),
  Seconds: (of) => float(of, second),
  Milliseconds: (of) => of.nanoseconds / 1_000_000n,
  Microseconds: (of) => of.nanoseconds / 1_000n,
  Nanoseconds: (of) => of.nanoseconds,
  Abs: (of) => (of.nanoseconds < 0n ? new ExprDuration(-of.nanoseconds) : of),
  Truncate: (of, by) => {
    const size = nanoseconds(by);
    return size <= 0n ? of : new ExprDuration(of.nanoseconds - (of.nanoseconds % size));
  },
  String: (of) => printed(of),
};

/** A method by its name; undefined when there is none. */
export function methodOf(of: ExprTime | ExprDuration, name: string): ExprFunction | undefined {
  const table: Readonly<Record<string, Method<never>>> = of instanceof ExprTime ? ofMoment : ofDuration;
  const method = Object.hasOwn(table, name) ? table[name] : undefined;
  return method && new ExprFunction((...args) => (method as Method<typeof of>)(of, ...args));
}
