import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { longestGap, parseSchedule, tickAfter } from './cron.ts';

const starts = [
  '2024-02-27T13:37:41Z',
  '2023-12-31T23:59:00Z',
  '2026-10-25T00:30:00Z',
  '2096-03-01T00:00:00Z',
];

function ticks(schedule: string): string {
  try {
    const parsed = parseSchedule(schedule);
    return starts
      .map((start) => tickAfter(parsed, Date.parse(start)))
      .map((tick) => (tick === undefined ? 'never' : new Date(tick).toISOString().replace('.000', '')))
      .join(' ');
  } catch {
    return 'refused';
  }
}

test('schedules tick as those of robfig/cron, whose table this is (P-40)', () => {
  const text = readFileSync(new URL('./testdata/robfig.yaml', import.meta.url), 'utf8');
  const table = parseAll(text, { name: 'robfig.yaml' })[0]?.value as [string, string][];
  expect(table.length).toBeGreaterThan(400);
  const different = table.filter(([schedule, wanted]) => ticks(schedule) !== wanted);
  // dev P-40: a zone inside the schedule is refused, because timeZone says it
  expect(different.map(([schedule]) => schedule)).toEqual([
    'TZ=UTC 0 0 * * *',
    'CRON_TZ=Europe/Berlin 0 0 * * *',
  ]);
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
