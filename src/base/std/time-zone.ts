import { Lru } from './lru.ts';

const dayMs = 86_400_000;
/** No zone has changed its offset twice within this time in living memory. */
const strideMs = 10 * dayMs;
/** How far ahead the next change of an offset is searched. */
const horizonMs = 400 * dayMs;

const keptStretches = 12;

/** A stretch of time in which a zone keeps one offset. */
type Stretch = { readonly from: number; readonly until: number; readonly offsetMs: number };
type Reader = (time: number) => number;

/** A time zone and the offsets found for it. UTC is the one without a reader. */
export type TimeZone = { stretches: readonly Stretch[]; readonly read?: Reader };

const zones = new Lru<TimeZone | 'unknown'>({ capacity: 600 });
export const utcZone: TimeZone = { stretches: [] };

/** The zone that Go's time.LoadLocation finds for a name; undefined: there is none. The empty name is UTC. */
export function findTimeZone(name: string): TimeZone | undefined {
  const zone = known(name);
  return zone === 'unknown' ? undefined : zone;
}

/** How far a zone's clocks are ahead of UTC at a time, in milliseconds. */
export const offsetAt = (zone: TimeZone, time: number): number => stretchAt(zone, time)?.offsetMs ?? 0;

/** When the zone's clocks next change, or when to check again; undefined for UTC, which never does. */
export const offsetChange = (zone: TimeZone, time: number): number | undefined =>
  stretchAt(zone, time)?.until;

function stretchAt(zone: TimeZone, time: number): Stretch | undefined {
  if (!zone.read) return undefined;
  for (const stretch of zone.stretches) if (time >= stretch.from && time < stretch.until) return stretch;
  const found = stretchFrom(zone.read, time);
  zone.stretches = [found, ...zone.stretches.slice(0, keptStretches - 1)];
  return found;
}

function known(name: string): TimeZone | 'unknown' {
  // compat: Go calls the zone of the machine Local, and that of a container is UTC
  if (name === '' || name === 'UTC' || name === 'Local') return utcZone;
  const before = zones.get(name);
  if (before) return before;
  const made = open(name);
  zones.set(name, made);
  return made;
}

function open(name: string): TimeZone | 'unknown' {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    return isMisspelled(name, format.resolvedOptions().timeZone)
      ? 'unknown'
      : { stretches: [], read: readerOf(format) };
  } catch {
    return 'unknown'; // the only thing it can throw: no such zone
  }
}

/** compat: Go finds zones as files, so letters count; and an offset such as +02:00 is no name. */
const isMisspelled = (name: string, resolved: string): boolean =>
  /^[+-]/.test(name) || (name !== resolved && name.toLowerCase() === resolved.toLowerCase());

function readerOf(format: Intl.DateTimeFormat): Reader {
  return (time) => {
    const second = Math.floor(time / 1000) * 1000;
    const parts: Partial<Record<string, number>> = {};
    for (const { type, value } of format.formatToParts(second)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = parts;
    const local = new Date(0);
    local.setUTCFullYear(year, month - 1, day); // Date.UTC takes the years below 100 for those of the 20th century
    return local.setUTCHours(hour, minute, s) - second;
  };
}

/** Strides ahead until the offset differs, then closes in on the second. */
function stretchFrom(read: Reader, time: number): Stretch {
  const from = Math.floor(time / 1000) * 1000;
  const offsetMs = read(from);
  let until = from;
  while (until < from + horizonMs) {
    const ahead = until + strideMs;
    if (read(ahead) !== offsetMs) return { from, until: closeIn(read, until, ahead), offsetMs };
    until = ahead;
  }
  return { from, until, offsetMs };
}

function closeIn(read: Reader, before: number, after: number): number {
  const offsetMs = read(before);
  let [low, high] = [before, after];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (read(middle) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
}
