import { parseDuration } from '#base/model';
import { FairleadError } from '#base/std';
import type { CronFault } from './fields.ts';

/** A fixed time between two ticks, in whole seconds. */
export type Interval = { readonly everyMs: number };

const secondMs = 1000;

/** Reads `@every 1h30m`. compat: parts of a second are dropped, and one second is the least. */
export function readInterval(text: string): Interval | CronFault {
  const duration = text.slice('@every '.length);
  try {
    return { everyMs: Math.max(secondMs, Math.trunc(parseDuration(duration) / secondMs) * secondMs) };
  } catch (error) {
    const original = `failed to parse duration ${text}: ${goFault(duration)}`;
    return { original, fix: FairleadError.from(error).message };
  }
}

const units = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);
const piece = /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)([^.0-9]*)/;

/** The words of Go's time.ParseDuration for a text that it does not read. */
function goFault(duration: string): string {
  for (let rest = duration.replace(/^[-+]/, ''); rest !== ''; ) {
    const [found, unit] = piece.exec(rest) ?? [];
    if (found === undefined || unit === undefined) break;
    if (unit === '') return `time: missing unit in duration "${duration}"`;
    if (!units.has(unit)) return `time: unknown unit "${unit}" in duration "${duration}"`;
    rest = rest.slice(found.length);
  }
  return `time: invalid duration "${duration}"`;
}

/** The first tick of an interval after a time, both in milliseconds. */
export const intervalTickAfter = ({ everyMs }: Interval, after: number): number =>
  Math.floor(after / secondMs) * secondMs + everyMs;
