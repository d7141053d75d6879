import { utcZone } from '#base/std';
import { toBytes } from '../text.ts';
import { GoError } from '../value.ts';
import { type LayoutPiece, piecesOf } from './layout.ts';
import { type GoMoment, months, unixOf, weekdays } from './moment.ts';

/** compat: the time package quotes everything that is not ASCII byte by byte. */
function quote(text: string): string {
  let quoted = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else quoted += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `"${quoted}"`;
}

type Fields = {
  year: number;
  month: number;
  day: number;
  yearDay: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  pm: boolean | undefined;
  offset: number | undefined;
  zoneName: string;
};

/** Reads a piece from the text: how much of it, and what it means. Undefined: it does not fit. */
type Reader = (rest: string, fields: Fields, piece: LayoutPiece) => number | undefined;

const digits =
  (pattern: RegExp, field: keyof Fields, range: readonly [number, number]): Reader =>
  (rest, fields) => {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) return undefined;
    const value = Number(found.trim());
    if (value < range[0] || value > range[1]) throw new RangeOf(rangeNames[field] ?? String(field));
    Object.assign(fields, { [field]: value });
    return found.length;
  };

const rangeNames: Partial<Record<keyof Fields, string>> = { yearDay: 'day-of-year' };

/** A number that fits its digits and not its field. */
class RangeOf extends Error {}

const named =
  (names: readonly string[], length: number | undefined, field: 'month' | undefined): Reader =>
  (rest, fields) => {
    const at = names.findIndex((name) => rest.toLowerCase().startsWith(name.slice(0, length).toLowerCase()));
    if (at < 0) return undefined;
    if (field) fields[field] = at + 1;
    return (names[at] ?? '').slice(0, length).length;
  };

const half: Reader = (rest, fields, { text }) => {
  const found = rest.slice(0, 2);
  const isUpper = text === 'PM';
  if (found !== (isUpper ? 'AM' : 'am') && found !== (isUpper ? 'PM' : 'pm')) return undefined;
  fields.pm = found.toLowerCase() === 'pm';
  return 2;
};

const offset: Reader = (rest, fields, { text }) => {
  if (text.startsWith('Z') && rest.startsWith('Z')) {
    fields.offset = 0;
    return 1;
  }
  const size = text.length;
  const colon = text.includes(':');
  const parts = (text.replaceAll(':', '').length - 1) / 2;
  const pattern = new RegExp(`^[-+]${new Array(parts).fill('[0-9]{2}').join(colon ? ':' : '')}`);
  const found = pattern.exec(rest.slice(0, size))?.[0];
  if (found === undefined) return undefined;
  const numbers = (found.match(/[0-9]{2}/g) ?? []).map(Number);
  const [hours = 0, minutes = 0, seconds = 0] = numbers;
  if (hours > 24) throw new RangeOf('time zone offset hour');
  if (minutes > 60) throw new RangeOf('time zone offset minute');
  fields.offset = (found.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
  return found.length;
};

const zoneName: Reader = (rest, fields) => {
  const found = /^(?:UTC|GMT[-+][0-9]{1,2}|[A-Z]{3,5}|[-+][0-9]{2})/.exec(rest)?.[0];
  if (found === undefined) return undefined;
  fields.zoneName = found;
  return found.length;
};

const fraction: Reader = (rest, fields, { text }) => {
  const wanted = text.includes('9') ? undefined : text.length - 1;
  const found = /^[.,]([0-9]+)/.exec(rest);
  if (!found) return wanted === undefined ? 0 : undefined;
  const figures = wanted === undefined ? (found[1] ?? '') : (found[1] ?? '').slice(0, wanted);
  if (wanted !== undefined && figures.length < wanted) return undefined;
  fields.nanosecond = Number(figures.padEnd(9, '0').slice(0, 9));
  return figures.length + 1;
};

const readers: Readonly<Record<LayoutPiece['kind'], Reader>> = {
  literal: () => undefined,
  longMonth: named(months, undefined, 'month'),
  month: named(months, 3, 'month'),
  monthNumber: digits(/^[0-9]{1,2}/, 'month', [1, 12]),
  zeroMonth: digits(/^[0-9]{2}/, 'month', [1, 12]),
  longWeekday: named(weekdays, undefined, undefined),
  weekday: named(weekdays, 3, undefined),
  day: digits(/^[0-9]{1,2}/, 'day', [0, 99]),
  underDay: digits(/^ ?[0-9]{1,2}/, 'day', [0, 99]),
  zeroDay: digits(/^[0-9]{2}/, 'day', [0, 99]),
  underYearDay: digits(/^(?: {0,2}[0-9]{1,3})/, 'yearDay', [1, 366]),
  zeroYearDay: digits(/^[0-9]{3}/, 'yearDay', [1, 366]),
  hour: digits(/^[0-9]{1,2}/, 'hour', [0, 23]),
  hour12: digits(/^[0-9]{1,2}/, 'hour', [0, 12]),
  zeroHour12: digits(/^[0-9]{2}/, 'hour', [0, 12]),
  minute: digits(/^[0-9]{1,2}/, 'minute', [0, 59]),
  zeroMinute: digits(/^[0-9]{2}/, 'minute', [0, 59]),
  second: digits(/^[0-9]{1,2}/, 'second', [0, 59]),
  zeroSecond: digits(/^[0-9]{2}/, 'second', [0, 59]),
  longYear: digits(/^[0-9]{4}/, 'year', [0, 9999]),
  year2: (rest, fields) => {
    const found = /^[0-9]{2}/.exec(rest)?.[0];
    if (found === undefined) return undefined;
    fields.year = Number(found) + (Number(found) >= 69 ? 1900 : 2000);
    return 2;
  },
  PM: half,
  pm: half,
  zoneName,
  fraction0: fraction,
  fraction9: fraction,
  Z070000: offset,
  'Z07:00:00': offset,
  Z0700: offset,
  'Z07:00': offset,
  Z07: offset,
  '-070000': offset,
  '-07:00:00': offset,
  '-0700': offset,
  '-07:00': offset,
  '-07': offset,
};

/** time.Parse, with UTC as the local zone. Throws GoError with Go's message. */
export function parseTime(layout: string, value: string): GoMoment {
  const fields: Fields = {
    year: 0,
    month: 1,
    day: 1,
    yearDay: -1,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    pm: undefined,
    offset: undefined,
    zoneName: '',
  };
  const fail = (rest: string, piece: string): GoError =>
    new GoError(
      `parsing time ${quote(value)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(piece)}`,
    );
  let rest = value;
  const pieces = piecesOf(layout);
  for (const [at, piece] of pieces.entries()) {
    rest = step(piece, pieces[at + 1], rest, { fields, fail, value });
  }
  if (rest !== '') throw new GoError(`parsing time ${quote(value)}: extra text: ${quote(rest)}`);
  return momentOf(fields, value);
}

function step(
  piece: LayoutPiece,
  next: LayoutPiece | undefined,
  rest: string,
  { fields, fail, value }: { fields: Fields; fail: (rest: string, piece: string) => GoError; value: string },
): string {
  if (piece.kind === 'literal') {
    const left = withoutPrefix(rest, piece.text);
    if (left === undefined) throw fail(rest, piece.text);
    return left;
  }
  try {
    const length = readers[piece.kind](rest, fields, piece);
    if (length === undefined) throw fail(rest, piece.text);
    const left = rest.slice(length);
    return piece.kind.toLowerCase().endsWith('second') ? withFraction(left, next, fields) : left;
  } catch (error) {
    if (error instanceof RangeOf)
      throw new GoError(`parsing time ${quote(value)}: ${error.message} out of range`);
    throw error;
  }
}

/** compat: a fraction may follow the seconds where the layout has none. */
function withFraction(rest: string, next: LayoutPiece | undefined, fields: Fields): string {
  if (next?.kind === 'fraction0' || next?.kind === 'fraction9') return rest;
  const found = /^[.,][0-9]+/.exec(rest)?.[0];
  if (found === undefined) return rest;
  fields.nanosecond = Number(found.slice(1).padEnd(9, '0').slice(0, 9));
  return rest.slice(found.length);
}

/** The rest behind a literal; a run of spaces matches any run. */
function withoutPrefix(rest: string, text: string): string | undefined {
  let left = rest;
  for (const part of text.match(/ +|[^ ]+/g) ?? []) {
    if (part.startsWith(' ')) {
      if (left !== '' && !left.startsWith(' ')) return undefined;
      left = left.replace(/^ +/, '');
    } else {
      if (!left.startsWith(part)) return undefined;
      left = left.slice(part.length);
    }
  }
  return left;
}

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

function momentOf(fields: Fields, value: string): GoMoment {
  const hour = hourOf(fields);
  const byYear = fields.yearDay >= 0;
  if (!byYear && (fields.day < 1 || fields.day > daysIn(fields.year, fields.month)))
    throw new GoError(`parsing time ${quote(value)}: day out of range`);
  const unix = unixOf({ ...fields, hour, ...(byYear && { month: 1, day: fields.yearDay }) });
  if (fields.offset === undefined) return zoneless(unix, fields.zoneName);
  const shifted = unix - BigInt(fields.offset) * 1_000_000_000n;
  if (fields.offset === 0) return { unix: shifted, zone: utcZone, zoneName: 'UTC' };
  return { unix: shifted, zone: fields.offset * 1000, zoneName: fields.zoneName };
}

function hourOf({ pm, hour }: Fields): number {
  if (pm === true && hour < 12) return hour + 12;
  return pm === false && hour === 12 ? 0 : hour;
}

/** compat: a name that is not UTC's is kept, and its offset taken for zero. */
const zoneless = (unix: bigint, zoneName: string): GoMoment =>
  zoneName && zoneName !== 'UTC' ? { unix, zone: 0, zoneName } : { unix, zone: utcZone, zoneName: 'UTC' };
