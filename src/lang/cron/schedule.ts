import { FairleadError } from '#base/std';
import { type CronFault, type CronField, fieldBounds, isFault, readField } from './fields.ts';
import { type Interval, readInterval } from './interval.ts';

/** Five fields as jump tables. Times are read on a calendar without zones; `nextTime` adds the zone. */
export type CronSchedule = {
  readonly minutes: Uint8Array;
  readonly hours: Uint8Array;
  readonly months: Uint8Array;
  readonly days: Uint8Array;
  readonly weekdays: Uint8Array;
  /** compat: a day must suit both lists when one of them is `*`, otherwise either. */
  readonly bothDays: boolean;
  /** Every day of the year is named. */
  readonly daily: boolean;
};

/** Reads a schedule as robfig/cron does with its five standard fields. Throws InvalidSpec naming the part and the fix. */
export function parseSchedule(text: string): CronSchedule {
  const read = /^(?:@|TZ=|CRON_TZ=)/.test(text) ? { original: '', fix: shapeFix(text) } : readFields(text);
  if (isFault(read)) throw invalid(text, read);
  return read;
}

/**
 * As parseSchedule, with the names and intervals that Kubernetes accepts in a CronJob: `@daily`, `@every 1h30m`. Throws
 * InvalidSpec.
 */
export function parseJobSchedule(text: string): CronSchedule | Interval {
  const read = readJobSchedule(text);
  if (isFault(read)) throw invalid(text, read);
  return read;
}

/** The fault in the schedule of a CronJob, as robfig/cron words it; undefined: parseJobSchedule reads it. */
export function jobScheduleFault(text: string): string | undefined {
  const read = readJobSchedule(text);
  return isFault(read) ? read.original : undefined;
}

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

function readJobSchedule(text: string): CronSchedule | Interval | CronFault {
  if (!text.startsWith('@')) return readFields(text);
  const fields = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined;
  if (fields !== undefined) return readFields(fields);
  if (text.startsWith('@every ')) return readInterval(text);
  const names = `${Object.keys(descriptors).join(', ')}, or @every with a duration`;
  return { original: `unrecognized descriptor: ${text}`, fix: `the names are ${names}` };
}

function readFields(text: string): CronSchedule | CronFault {
  if (text === '') return { original: 'empty spec string', fix: shapeFix(text) };
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length !== fieldBounds.length) {
    const original = `expected exactly 5 fields, found ${words.length}: [${words.join(' ')}]`;
    return { original, fix: shapeFix(text) };
  }
  const fields: CronField[] = [];
  for (const [i, bounds] of fieldBounds.entries()) {
    const field = readField(words[i] ?? '', bounds);
    if (isFault(field)) return field;
    fields.push(field);
  }
  return scheduleOf(fields as [CronField, CronField, CronField, CronField, CronField]);
}

type FiveFields = readonly [CronField, CronField, CronField, CronField, CronField];

function scheduleOf([minute, hour, day, month, weekday]: FiveFields): CronSchedule {
  return {
    minutes: minute.next,
    hours: hour.next,
    months: month.next,
    days: day.next,
    weekdays: weekday.next,
    bothDays: day.star || weekday.star,
    daily: [day, month, weekday].every(({ next }, i) => isFull(next, i + 2)),
  };
}

function isFull(next: Uint8Array, field: number): boolean {
  const bounds = fieldBounds[field];
  return bounds !== undefined && next.every((value, i) => value === i || i < bounds.from || i > bounds.to);
}

const invalid = (text: string, { fix }: CronFault): FairleadError =>
  new FairleadError('InvalidSpec', `schedule "${text}" cannot be read: ${fix}`);

function shapeFix(text: string): string {
  if (text.startsWith('@')) return 'names such as @daily are not known here; write "0 0 * * *"';
  // dev engine P-40: the peer's parser takes a zone here and then shifts by timeZone as well
  if (/^(?:CRON_)?TZ=/.test(text)) return 'write the zone in timeZone, not in the schedule';
  return 'it needs five fields: minute, hour, day of the month, month, weekday';
}
