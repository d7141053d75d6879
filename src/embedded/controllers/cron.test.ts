import { expect, test } from 'vitest';
import { nextTime, parseCron } from './cron.ts';

const next = (schedule: string, after: string, zone?: string): string | undefined => {
  const time = nextTime(parseCron(schedule), Date.parse(after), zone);
  return time === undefined ? undefined : new Date(time).toISOString();
};

test.each([
  ['*/5 * * * *', '2024-01-01T00:00:00Z', '2024-01-01T00:05:00.000Z'],
  ['*/5 * * * *', '2024-01-01T00:04:59Z', '2024-01-01T00:05:00.000Z'],
  ['0 3 * * *', '2024-01-01T03:00:00Z', '2024-01-02T03:00:00.000Z'],
  ['30 8-10/2 * * mon-fri', '2024-01-05T10:31:00Z', '2024-01-08T08:30:00.000Z'],
  ['0 0 29 2 *', '2024-03-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['0 0 13 * 5', '2024-01-01T00:00:00Z', '2024-01-05T00:00:00.000Z'],
  ['@hourly', '2024-01-01T00:10:00Z', '2024-01-01T01:00:00.000Z'],
  ['0 0 * * 7', '2024-01-01T00:00:00Z', '2024-01-07T00:00:00.000Z'],
  ['0 0 30 2 *', '2024-01-01T00:00:00Z', undefined],
])('%s after %s is %s', (schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected);
});

test('a schedule is read on the clock of its time zone', () => {
  expect(next('0 9 * * *', '2024-07-01T00:00:00Z', 'Europe/Berlin')).toBe('2024-07-01T07:00:00.000Z');
  expect(next('0 9 * * *', '2024-01-01T00:00:00Z', 'Europe/Berlin')).toBe('2024-01-01T08:00:00.000Z');
  expect(() => next('0 9 * * *', '2024-01-01T00:00:00Z', 'Moon/Sea')).toThrow('unknown time zone "Moon/Sea"');
});

test.each(['* * * *', '61 * * * *', 'x * * * *', '*/0 * * * *', '5-x * * * *'])(
  '%s is no schedule',
  (schedule) => {
    expect(() => parseCron(schedule)).toThrow();
  },
);
