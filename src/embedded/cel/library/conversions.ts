import type { Charge, Rows } from '../function-table.ts';
import { traversal } from '../meter.ts';
import { printFloat } from '../number-text.ts';
import { dateOf, durationOf, printDuration, printTimestamp, timestampOf, zoneOffset } from '../time.ts';
import {
  CelError,
  type CelValue,
  type Duration,
  intOr,
  isInt64,
  isUint64,
  type Timestamp,
  TypeValue,
  timestampOr,
  typeNameOf,
  Uint,
  uintOr,
} from '../value.ts';

const same = (value: CelValue): CelValue => value;
const overflow = new CelError('integer overflow');
const unsignedOverflow = new CelError('unsigned integer overflow');

const unconvertible = (type: string): CelError =>
  new CelError(`type conversion error from 'string' to '${type}'`);

function intOf(text: string): CelValue {
  if (!/^[+-]?\d+$/.test(text)) return unconvertible('int');
  const value = BigInt(text.replace(/^\+/, ''));
  return isInt64(value) ? value : unconvertible('int');
}

function uintOf(text: string): CelValue {
  if (!/^\d+$/.test(text)) return unconvertible('uint');
  const value = BigInt(text);
  return isUint64(value) ? new Uint(value) : unconvertible('uint');
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const special: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
};

function doubleOf(text: string): CelValue {
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named) return (named[1] === '-' ? -1 : 1) * (special[(named[2] ?? '').toLowerCase()] ?? 0);
  if (!decimal.test(text)) return unconvertible('double');
  const value = Number(text);
  return Number.isFinite(value) ? value : unconvertible('double');
}

function boolOf(text: string): CelValue {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  return unconvertible('bool');
}

const whole = (
  value: number,
  fits: (n: bigint) => boolean,
  wrong: CelError,
  make: (n: bigint) => CelValue,
): CelValue => {
  if (!Number.isFinite(value)) return wrong;
  const integer = BigInt(Math.trunc(value));
  return fits(integer) ? make(integer) : wrong;
};

/** compat: a double at the very limit is refused, because its neighbours are not distinguishable. */
const insideInt = (n: bigint): boolean => n > -(2n ** 63n) && n < 2n ** 63n;

function textOf(bytes: Uint8Array): CelValue {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const seconds = (time: Timestamp): bigint => BigInt(Math.floor(dateOf(time).getTime() / 1000));

/** Reads one part of a time, in UTC or in a zone. */
const part = (read: (date: Date, time: Timestamp) => number): Rows[string] => [
  ['timestamp.() -> int', (time: Timestamp) => BigInt(read(dateOf(time), time))],
  [
    'timestamp.(string) -> int',
    (time: Timestamp, zone: string) => {
      const offset = zoneOffset(zone, time);
      if (offset === undefined) return new CelError(`unknown time zone ${zone}`);
      return BigInt(read(dateOf(time, offset), time));
    },
  ],
];

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - new Date(date).setUTCMonth(0, 1)) / 86_400_000);

const whileIn = (unit: bigint): Rows[string] => [
  ['duration.() -> int', ({ nanos }: Duration) => nanos / unit],
];

const milliseconds: Rows[string] = [['duration.() -> int', ({ nanos }: Duration) => nanos / 1_000_000n]];

/** Conversions between types, and the parts of times. */
export const conversionRows: Rows = {
  dyn: [['(A) -> dyn', same]],
  type: [['(A) -> type(A)', (value: CelValue) => new TypeValue(typeNameOf(value))]],
  int: [
    ['(int) -> int', same],
    ['(uint) -> int', ({ value }: Uint) => intOr(value)],
    ['(double) -> int', (value: number) => whole(value, insideInt, overflow, same)],
    ['(string) -> int', intOf],
    ['(timestamp) -> int', seconds],
    ['(duration) -> int', ({ nanos }: Duration) => nanos],
  ],
  uint: [
    ['(uint) -> uint', same],
    ['(int) -> uint', uintOr],
    ['(double) -> uint', (value: number) => whole(value, isUint64, unsignedOverflow, (n) => new Uint(n))],
    ['(string) -> uint', uintOf],
  ],
  double: [
    ['(double) -> double', same],
    ['(int) -> double', (value: bigint) => Number(value)],
    ['(uint) -> double', ({ value }: Uint) => Number(value)],
    ['(string) -> double', doubleOf],
  ],
  bool: [
    ['(bool) -> bool', same],
    ['(string) -> bool', boolOf],
  ],
  string: [
    ['(string) -> string', same],
    ['(bool) -> string', String],
    ['(int) -> string', String],
    ['(uint) -> string', ({ value }: Uint) => String(value)],
    ['(double) -> string', (value: number) => printFloat(value)],
    ['(bytes) -> string', textOf],
    ['(timestamp) -> string', printTimestamp],
    ['(duration) -> string', printDuration],
  ],
  bytes: [
    ['(bytes) -> bytes', same],
    ['(string) -> bytes', (text: string) => new TextEncoder().encode(text)],
  ],
  timestamp: [
    ['(timestamp) -> timestamp', same],
    ['(int) -> timestamp', (value: bigint) => timestampOr(value * 1_000_000_000n)],
    ['(string) -> timestamp', timestampOf],
  ],
  duration: [
    ['(duration) -> duration', same],
    ['(string) -> duration', durationOf],
  ],
  getFullYear: part((date) => date.getUTCFullYear()),
  getMonth: part((date) => date.getUTCMonth()),
  getDayOfYear: part(dayOfYear),
  getDayOfMonth: part((date) => date.getUTCDate() - 1),
  getDate: part((date) => date.getUTCDate()),
  getDayOfWeek: part((date) => date.getUTCDay()),
  getHours: [...part((date) => date.getUTCHours()), ...whileIn(3_600_000_000_000n)],
  getMinutes: [...part((date) => date.getUTCMinutes()), ...whileIn(60_000_000_000n)],
  getSeconds: [...part((date) => date.getUTCSeconds()), ...whileIn(1_000_000_000n)],
  getMilliseconds: [...part((date) => date.getUTCMilliseconds()), ...milliseconds],
};

export const conversionCharges: Readonly<Record<string, Charge>> = {
  string: ([value]) => (value instanceof Uint8Array ? traversal(value) : 1),
  bytes: ([value]) => (typeof value === 'string' ? traversal(value) : 1),
};
