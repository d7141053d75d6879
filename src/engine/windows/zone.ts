import { Lru } from '#base/std';

const dayMs = 86_400_000;
/** No zone has changed its offset twice within this time in living memory. */
const strideMs = 10 * dayMs;
/** How far ahead the next change of an offset is searched. */
const horizonMs = 400 * dayMs;

const remembered = 12;

/** A stretch of time in which a zone keeps one offset. */
type Stretch = { readonly from: number; readonly until: number; readonly offsetMs: number };
type Reader = (time: number) => number;

/** A time zone, with what was found out about it. UTC is the one that is never read. */
export type Zone = { stretches: readonly Stretch[]; readonly read?: Reader };

const zones = new Lru<Zone | 'unknown'>({ capacity: 600 });
const utc: Zone = { stretches: [] };

/** compat engine P-40: an unknown zone is UTC. */
export function zoneNamed(name: string): Zone {
  const zone = known(name);
  return zone === 'unknown' ? utc : zone;
}

/** Whether a zone is known; the empty name is UTC. */
export const isZone = (name: string): boolean => known(name) !== 'unknown';

/** How far a zone's clocks are ahead of UTC at a time, in milliseconds. */
export const offsetAt = (zone: Zone, time: number): number => stretchAt(zone, time)?.offsetMs ?? 0;

/** When the zone's clocks next change, or when to check again; undefined for UTC, which never does. */
export const offsetChange = (zone: Zone, time: number): number | undefined => stretchAt(zone, time)?.until;

function stretchAt(zone: Zone, time: number): Stretch | undefined {
  if (!zone.read) return undefined;
  for (const stretch of zone.stretches) if (time >= stretch.from && time < stretch.until) return stretch;
  const found = stretchFrom(zone.read, time);
  zone.stretches = [found, ...zone.stretches.slice(0, remembered - 1)];
  return found;
}

function known(name: string): Zone | 'unknown' {
  // compat: Go calls the zone of the machine Local, and that of a container is UTC
  if (name === '' || name === 'UTC' || name === 'Local') return utc;
  const before = zones.get(name);
  if (before) return before;
  const made = open(name);
  zones.set(name, made);
  return made;
}

function open(name: string): Zone | 'unknown' {
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
    return Date.UTC(year, month - 1, day, hour, minute, s) - second;
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
