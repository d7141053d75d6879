import { findTimeZone, offsetAt } from '#base/std';
import { CelError, type CelValue, Duration, isInt64, type Timestamp, timestampOr } from './value.ts';

const nanosPerSecond = 1_000_000_000n;

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(Z|([+-])(\d\d):(\d\d))$/;

/** Year, month, day, hour, minute, second. */
type Parts = [number, number, number, number, number, number];

/** Nanoseconds since 1970 of an RFC 3339 time; undefined when it is invalid. */
export function parseTimestamp(text: string): bigint | undefined {
  const found = rfc3339.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', , sign, zoneHour = '0', zoneMinute = '0'] =
    found;
  const parts = [year, month, day, hour, minute, second].map(Number) as Parts;
  if (parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return undefined;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const ms = utc(parts);
  const date = new Date(ms);
  if (date.getUTCDate() !== parts[2] || date.getUTCMonth() !== parts[1] - 1) return undefined;
  const offset = BigInt((Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)) * 60n;
  const nanos = BigInt(fraction.slice(1).padEnd(9, '0').slice(0, 9) || '0');
  return (BigInt(ms) / 1000n - offset) * nanosPerSecond + nanos;
}

function utc([year, month, day, hour, minute, second]: Parts): number {
  // Date.UTC maps years below 100 to the twentieth century
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime();
}

export function timestampOf(text: string): CelValue {
  const nanos = parseTimestamp(text);
  if (nanos !== undefined) return timestampOr(nanos);
  return new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
}

const floorDiv = (a: bigint, b: bigint): bigint => {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
};

/** The time as a Date, which has a resolution of milliseconds. */
export function dateOf({ nanos }: Timestamp, offsetSeconds = 0): Date {
  return new Date(Number(floorDiv(nanos, 1_000_000n)) + offsetSeconds * 1000);
}

export function printTimestamp(time: Timestamp): string {
  const seconds = floorDiv(time.nanos, nanosPerSecond);
  const nanos = time.nanos - seconds * nanosPerSecond;
  const text = new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, '');
  const fraction = nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${text}${fraction}Z`;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3600n * nanosPerSecond,
};

/** A duration in Go's syntax: `1h30m`, `-1.5s`, `0`; undefined when it is invalid or too long. */
export function parseDuration(text: string): bigint | undefined {
  const found = /^([+-]?)(0|(?:\d*\.?\d*(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (!found) return undefined;
  if (found[2] === '0') return 0n;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of (found[2] ?? '').matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    if (whole === '' && fraction === '') return undefined;
    const scale = units[unit] as bigint;
    total += BigInt(whole || '0') * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  const signed = found[1] === '-' ? -total : total;
  return isInt64(signed) ? signed : undefined;
}

export function durationOf(text: string): CelValue {
  const nanos = parseDuration(text);
  if (nanos !== undefined) return new Duration(nanos);
  return new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");
}

/** Seconds, with as many digits as necessary. */
export function printDuration({ nanos }: Duration): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % nanosPerSecond)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${sign}${size / nanosPerSecond}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** The offset of a zone at a time, in seconds east of UTC; undefined when the zone is unknown. */
export function zoneOffset(zone: string, time: Timestamp): number | undefined {
  if (zone === 'UTC' || zone === '') return 0;
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 3600 + Number(fixed[3]) * 60);
  const named = findTimeZone(zone);
  return named && offsetAt(named, dateOf(time).getTime()) / 1000;
}
