/** Why a schedule cannot be read: as robfig/cron words it, and as we do, with the fix. */
export type CronFault = { readonly original: string; readonly fix: string };

/** What one of the five fields may contain. */
export type FieldBounds = {
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
};

/** A field as a jump table: `next[i]` is the smallest member at or after i, or `none`. */
export type CronField = { readonly next: Uint8Array; readonly star: boolean };

export const none = 255;

const months = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export const fieldBounds: readonly FieldBounds[] = [
  { what: 'minute', from: 0, to: 59 },
  { what: 'hour', from: 0, to: 23 },
  { what: 'day of the month', from: 1, to: 31 },
  { what: 'month', from: 1, to: 12, names: months },
  { what: 'weekday', from: 0, to: 6, names: weekdays },
];

export const isFault = (read: object): read is CronFault => 'fix' in read;

/** Reads one field: ranges with commas between them. */
export function readField(field: string, bounds: FieldBounds): CronField | CronFault {
  const has = new Uint8Array(bounds.to + 2);
  let star = false;
  for (const part of field.split(',').filter((one) => one !== '')) {
    const range = readRange(part, bounds);
    if (isFault(range)) return { ...range, fix: `in the ${bounds.what}, "${part}" ${range.fix}` };
    star ||= range.isStar;
    for (let at = range.low; at <= range.high; at += range.step) has[at] = 1;
  }
  const next = new Uint8Array(bounds.to + 2).fill(none);
  for (let at = bounds.to; at >= 0; at--) next[at] = has[at] ? at : (next[at + 1] ?? none);
  return { next, star };
}

type CronRange = {
  readonly low: number;
  readonly high: number;
  readonly step: number;
  readonly isStar: boolean;
};

/** In the order in which the original finds the faults. */
function readRange(part: string, bounds: FieldBounds): CronRange | CronFault {
  const [span = '', every, ...slashes] = part.split('/');
  const ends = readEnds(span, part, bounds);
  if (isFault(ends)) return ends;
  const step = slashes.length > 0 ? tooManySlashes(part) : readStep(every);
  if (typeof step !== 'number') return step;
  const high = ends.high ?? (every === undefined ? ends.low : bounds.to);
  const range = { low: ends.low, high, step };
  return rangeFault(part, range, bounds) ?? { ...range, isStar: ends.isAny && step === 1 };
}

/** `high` is undefined for a single number. */
type CronEnds = { readonly low: number; readonly high: number | undefined; readonly isAny: boolean };

function readEnds(span: string, part: string, bounds: FieldBounds): CronEnds | CronFault {
  const [first = '', last, ...hyphens] = span.split('-');
  // compat: after a star nothing is read before the step
  if (first === '*' || first === '?') return { low: bounds.from, high: bounds.to, isAny: true };
  const low = readMember(first, bounds);
  if (typeof low !== 'number') return low;
  if (hyphens.length > 0) return { original: `too many hyphens: ${part}`, fix: notARange(bounds) };
  const high = last === undefined ? undefined : readMember(last, bounds);
  return typeof high === 'object' ? high : { low, high, isAny: false };
}

const notARange = ({ names }: FieldBounds): string =>
  `is not a number${names ? ` or a name such as ${names[1]}` : ''}, or a range of two`;
const oneStep = 'needs one step, a number above 0';
const tooManySlashes = (part: string): CronFault => ({ original: `too many slashes: ${part}`, fix: oneStep });

function readMember(word: string, bounds: FieldBounds): number | CronFault {
  const named = word === '' ? -1 : (bounds.names?.indexOf(word.toLowerCase()) ?? -1);
  return named >= 0 ? named : readNumber(word, notARange(bounds));
}

const readStep = (every: string | undefined): number | CronFault =>
  every === undefined ? 1 : readNumber(every, oneStep);

const largest = 2n ** 63n;

/** A number as Go's strconv.Atoi reads it. */
function readNumber(word: string, fix: string): number | CronFault {
  const parsing = `failed to parse int from ${word}: strconv.Atoi: parsing ${JSON.stringify(word)}`;
  if (!/^[+-]?[0-9]+$/.test(word)) return { original: `${parsing}: invalid syntax`, fix };
  const value = BigInt(word.replace('+', ''));
  if (value >= largest || value < -largest) return { original: `${parsing}: value out of range`, fix };
  return value < 0n ? { original: `negative number (${value}) not allowed: ${word}`, fix } : Number(value);
}

function rangeFault(
  part: string,
  { low, high, step }: Omit<CronRange, 'isStar'>,
  { from, to }: FieldBounds,
): CronFault | undefined {
  const outside = `is outside ${from} to ${to}`;
  if (low < from)
    return { original: `beginning of range (${low}) below minimum (${from}): ${part}`, fix: outside };
  if (high > to) return { original: `end of range (${high}) above maximum (${to}): ${part}`, fix: outside };
  if (low > high) {
    return {
      original: `beginning of range (${low}) beyond end of range (${high}): ${part}`,
      fix: 'ends before it begins; write two ranges with a comma between them',
    };
  }
  if (step > 0) return undefined;
  return { original: `step of range should be a positive number: ${part}`, fix: oneStep };
}
