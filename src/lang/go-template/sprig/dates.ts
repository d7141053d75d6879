import { utcZone } from '#base/std';
import { fn } from '../functions.ts';
import { types } from '../go-type.ts';
import { quote } from '../quote.ts';
import { type CallContext, GoError, type GoFunction, GoInt, GoObject, type Value } from '../value.ts';
import { durationText, parseDuration, roundedToSecond } from './duration.ts';
import { formatTime } from './format-time.ts';
import { clockOf, floorDivide, type GoMoment, inZone, months, utcMoment, zeroMoment } from './moment.ts';
import { parseTime } from './parse-time.ts';

const second = 1_000_000_000n;

/** sprig's dates. The local zone is UTC. */
export const dateFunctions: [string, GoFunction][] = [
  ['now', fn('', (run) => goTime(now(run)))],
  ['date', fn('string any', (run, layout, date) => formatTime(inZone(momentOf(run, date), 'UTC'), layout))],
  [
    'dateInZone',
    fn('string any string', (run, layout, date, zone) =>
      formatTime(inZone(momentOf(run, date), zone), layout),
    ),
  ],
  [
    'date_in_zone',
    fn('string any string', (run, layout, date, zone) =>
      formatTime(inZone(momentOf(run, date), zone), layout),
    ),
  ],
  ['htmlDate', fn('any', (run, date) => formatTime(inZone(momentOf(run, date), 'UTC'), '2006-01-02'))],
  [
    'htmlDateInZone',
    fn('any string', (run, date, zone) => formatTime(inZone(momentOf(run, date), zone), '2006-01-02')),
  ],
  ['dateModify', fn('string time', (_run, change, date) => orSame(change, date))],
  ['date_modify', fn('string time', (_run, change, date) => orSame(change, date))],
  ['mustDateModify', fn('string time', (_run, change, date) => modified(change, date))],
  ['must_date_modify', fn('string time', (_run, change, date) => modified(change, date))],
  ['ago', fn('any', (run, date) => durationText(roundedToSecond(now(run).unix - agoOf(run, date).unix)))],
  ['duration', fn('any', (_run, seconds) => durationText(BigInt.asIntN(64, secondsOf(seconds) * second)))],
  ['durationRound', fn('any', (run, value) => coarse(spanOf(run, value)))],
  ['toDate', fn('string string', (_run, layout, value) => goTime(orZero(layout, value)))],
  ['mustToDate', fn('string string', (_run, layout, value) => goTime(parseTime(layout, value)))],
  ['unixEpoch', fn('time', (_run, date) => String(floorDivide(inner(date).unix, second)))],
];

function now(run: CallContext): GoMoment {
  if (!run.host.now) throw new GoError('the clock is not available to this template');
  return utcMoment(BigInt(Math.trunc(run.host.now())) * 1_000_000n);
}

const inner = (date: GoObject): GoMoment => (date.inner as { moment: GoMoment }).moment;

/** compat: a number is seconds since 1970 if it is an int or an int64; everything else is now. */
function momentOf(run: CallContext, value: Value): GoMoment {
  if (value instanceof GoObject && value.type === types.time) return inner(value);
  if (value instanceof GoInt && (value.type === types.int64 || value.type === types.int32))
    return utcMoment(value.value * second);
  return typeof value === 'bigint' ? utcMoment(value * second) : now(run);
}

const agoOf = (run: CallContext, value: Value): GoMoment =>
  value instanceof GoInt && value.type === types.int32 ? now(run) : momentOf(run, value);

function modified(change: string, date: GoObject): GoObject {
  const moment = inner(date);
  return goTime({ ...moment, unix: moment.unix + parseDuration(change) });
}

function orSame(change: string, date: GoObject): GoObject {
  try {
    return modified(change, date);
  } catch (error) {
    if (error instanceof GoError) return date;
    throw error;
  }
}

function orZero(layout: string, value: string): GoMoment {
  try {
    return parseTime(layout, value);
  } catch (error) {
    if (error instanceof GoError) return zeroMoment;
    throw error;
  }
}

/** Strings in base 10 and int64; anything else, an int too, is 0. */
function secondsOf(value: Value): bigint {
  if (value instanceof GoInt && value.type === types.int64) return value.value;
  if (typeof value !== 'string' || !/^[-+]?[0-9]{1,30}$/.test(value)) return 0n;
  const seconds = BigInt(value);
  if (BigInt.asIntN(64, seconds) === seconds) return seconds;
  return seconds < 0n ? -(2n ** 63n) : 2n ** 63n - 1n; // compat: ParseInt gives the nearest with its error
}

function spanOf(run: CallContext, value: Value): bigint {
  if (value instanceof GoInt && value.type === types.int64) return value.value;
  if (value instanceof GoObject && value.type === types.time) return now(run).unix - inner(value).unix;
  if (typeof value !== 'string') return 0n;
  try {
    return parseDuration(value);
  } catch (error) {
    if (error instanceof GoError) return 0n;
    throw error;
  }
}

const hour = 3600n * second;
const sizes: readonly (readonly [bigint, string])[] = [
  [hour * 24n * 365n, 'y'],
  [hour * 24n * 30n, 'mo'],
  [hour * 24n, 'd'],
  [hour, 'h'],
  [60n * second, 'm'],
  [second, 's'],
];

/** The largest unit of which there is more than one whole, without the sign. */
function coarse(span: bigint): string {
  const size = span < 0n ? -span : span;
  const unit = sizes.find(([length]) => size > length);
  return unit ? `${size / unit[0]}${unit[1]}` : '0s';
}

const stringLayout = '2006-01-02 15:04:05.999999999 -0700 MST';

/** A time.Time with the methods that templates call. */
export function goTime(moment: GoMoment): GoObject {
  const text = (): string => formatTime(moment, stringLayout);
  const clock = (): ReturnType<typeof clockOf> => clockOf(moment);
  const whole = (value: () => number): GoFunction => fn('', () => BigInt(value()));
  const methods = new Map<string, GoFunction>([
    ['Format', fn('string', (_run, layout) => formatTime(moment, layout))],
    ['String', fn('', text)],
    ['Year', whole(() => clock().year)],
    ['Day', whole(() => clock().day)],
    ['YearDay', whole(() => clock().yearDay)],
    ['Hour', whole(() => clock().hour)],
    ['Minute', whole(() => clock().minute)],
    ['Second', whole(() => clock().second)],
    ['Nanosecond', whole(() => clock().nanosecond)],
    ['Month', fn('', () => new GoInt(types.month, BigInt(clock().month)))],
    ['Weekday', fn('', () => new GoInt(types.weekday, BigInt(clock().weekday)))],
    ['Unix', fn('', () => new GoInt(types.int64, floorDivide(moment.unix, second)))],
    ['UnixMilli', fn('', () => new GoInt(types.int64, floorDivide(moment.unix, 1_000_000n)))],
    ['UnixNano', fn('', () => new GoInt(types.int64, moment.unix))],
    ['IsZero', fn('', () => moment.unix === zeroMoment.unix)],
    ['UTC', fn('', () => goTime(utcMoment(moment.unix)))],
    ['Local', fn('', () => goTime(utcMoment(moment.unix)))],
    ['Before', fn('time', (_run, other) => moment.unix < inner(other).unix)],
    ['After', fn('time', (_run, other) => moment.unix > inner(other).unix)],
    ['Equal', fn('time', (_run, other) => moment.unix === inner(other).unix)],
    ['Sub', fn('time', (_run, other) => new GoInt(types.duration, moment.unix - inner(other).unix))],
  ]);
  const json = (): string => formatTime(moment, '2006-01-02T15:04:05.999999999Z07:00');
  return new GoObject(types.time, { methods, text, goText: () => goTextOf(moment), inner: { moment, json } });
}

/** A time.Duration. */
export const goDuration = (nanoseconds: bigint): GoInt => new GoInt(types.duration, nanoseconds);

/** The expression that makes the time in a Go program. */
function goTextOf(moment: GoMoment): string {
  const { year, month, day, hour, minute, second: seconds, nanosecond } = clockOf(moment);
  const location = moment.zone === utcZone ? 'time.UTC' : `time.Location(${quote(moment.zoneName)})`;
  return `time.Date(${[year, `time.${months[month - 1]}`, day, hour, minute, seconds, nanosecond].join(', ')}, ${location})`;
}
