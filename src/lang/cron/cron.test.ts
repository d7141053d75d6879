import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findTimeZone, utcZone } from '#base/std';
import { parseAll } from '#lang/yaml';
import { nextTime } from './next-time.ts';
import { jobScheduleFault, parseJobSchedule, parseSchedule } from './schedule.ts';
import { longestGap, tickAfter } from './tick.ts';

/** A table of the original's answers; its first line names the times that it was asked about. */
function readTable<Row>(name: string): { starts: readonly number[]; rows: readonly Row[] } {
  const text = readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8');
  const starts = text.split('\n')[0]?.match(/\d{4}-\d\d-\d\dT[\d:]+Z/g) ?? [];
  return { starts: starts.map(Date.parse), rows: parseAll(text, { name })[0]?.value as Row[] };
}

const print = (tick: number | undefined): string =>
  tick === undefined ? 'never' : new Date(tick).toISOString().replace('.000', '');

function ticks(schedule: string, starts: readonly number[]): string {
  try {
    const parsed = parseSchedule(schedule);
    return starts.map((start) => print(tickAfter(parsed, start))).join(' ');
  } catch {
    return 'refused';
  }
}

test('schedules tick as those of robfig/cron, whose table this is (P-40)', () => {
  const { starts, rows } = readTable<[string, string]>('robfig.yaml');
  expect(rows.length).toBeGreaterThan(400);
  const different = rows.filter(([schedule, wanted]) => ticks(schedule, starts) !== wanted);
  // dev P-40: a zone inside the schedule is refused, because timeZone says it
  expect(different.map(([schedule]) => schedule)).toEqual([
    'TZ=UTC 0 0 * * *',
    'CRON_TZ=Europe/Berlin 0 0 * * *',
  ]);
});

function jobTicks(text: string, zoneName: string, starts: readonly number[]): string {
  const fault = jobScheduleFault(text);
  if (fault !== undefined) {
    expect(() => parseJobSchedule(text)).toThrow(`schedule "${text}" cannot be read: `);
    return `refused: ${fault}`;
  }
  const schedule = parseJobSchedule(text);
  const zone = findTimeZone(zoneName) ?? utcZone;
  return starts
    .flatMap((start) => {
      const first = nextTime(schedule, start, zone);
      return first === undefined ? [undefined] : [first, nextTime(schedule, first, zone)];
    })
    .map(print)
    .join(' ');
}

test('schedules of CronJobs tick, in every zone, and are refused as Kubernetes does it', () => {
  const { starts, rows } = readTable<[string, string, string]>('robfig-jobs.yaml');
  expect(rows.length).toBeGreaterThan(150);
  const ours = rows.map(([schedule, zone]) => [schedule, zone, jobTicks(schedule, zone, starts)]);
  expect(ours).toEqual(rows);
});

test.each([
  ['@daily', 'names such as @daily are not known here; write "0 0 * * *"'],
  ['TZ=UTC 0 0 * * *', 'write the zone in timeZone, not in the schedule'],
  ['0 0 * *', 'it needs five fields: minute, hour, day of the month, month, weekday'],
  ['0 25 * * *', 'in the hour, "25" is outside 0 to 23'],
  ['0 0 * * mon-', 'in the weekday, "mon-" is not a number or a name such as mon, or a range of two'],
  ['1-2-3 0 * * *', 'in the minute, "1-2-3" is not a number, or a range of two'],
  ['*/0 0 * * *', 'in the minute, "*/0" needs one step, a number above 0'],
  ['0 20-4 * * *', 'in the hour, "20-4" ends before it begins; write two ranges with a comma between them'],
])('the schedule %j is refused with its fix (P-43)', (schedule, why) => {
  expect(() => parseSchedule(schedule)).toThrow(`schedule "${schedule}" cannot be read: ${why}`);
});

test.each([
  ['* * * * *', 60_000],
  ['0 0 * * *', 86_400_000],
  ['0 8,20 * * *', 12 * 3_600_000],
  ['0 22 1-31 jan-dec 0-6', 86_400_000],
  ['0 0 * * 1', undefined],
  [', * * * *', undefined],
])('the longest gap of %j is %j', (schedule, gap) => {
  expect(longestGap(parseSchedule(schedule))).toBe(gap);
});
