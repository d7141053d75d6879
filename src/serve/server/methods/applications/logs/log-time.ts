import { FairleadError } from '#base/std';

/** A moment to the nanosecond: what a log is sorted by. */
export type LogTime = { readonly ms: number; readonly nanos: number };

const form = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Undefined when it is no RFC 3339 time. */
export function readLogTime(text: string): LogTime | undefined {
  const [, whole, fraction = '', zone = ''] = form.exec(text) ?? [];
  const ms = whole === undefined ? Number.NaN : Date.parse(`${whole}${zone}`.toUpperCase());
  return Number.isNaN(ms) ? undefined : { ms, nanos: Number(fraction.padEnd(9, '0')) };
}

export const compareTimes = (a: LogTime, b: LogTime): number => a.ms - b.ms || a.nanos - b.nanos;

/** Throws InvalidSpec, naming the parameter. */
export function requireLogTime(parameter: string, text: string): LogTime {
  const time = readLogTime(text);
  if (time) return time;
  throw new FairleadError(
    'InvalidSpec',
    `invalid ${parameter} parameter value: ${text} is no RFC 3339 time, such as 2026-01-31T09:00:00Z`,
  );
}
