import { describe, expect, test } from 'vitest';
import type { SyncWindow } from '#base/model';
import { windowCalendar } from './window-calendar.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const window = (kind: 'allow' | 'deny', schedule: string, duration: string): SyncWindow => ({
  kind,
  schedule,
  duration,
});
const pad = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const drawn = (windows: readonly SyncWindow[], from = now, zone = 'UTC') =>
  windowCalendar(windows, from, zone).map(({ label, stretches }) => [
    label,
    ...stretches.map(({ from, to, state }) => `${pad(from)}-${pad(to)} ${state}`),
  ]);

describe('the calendar of the windows', () => {
  test('blocks what lies outside of every allow window, and a deny wins', () => {
    const days = drawn([window('allow', '0 8 * * *', '9h'), window('deny', '0 12 * * *', '1h')]);
    expect(days).toHaveLength(7);
    expect(days[0]).toEqual([
      'Wed 18',
      '00:00-08:00 blocked',
      '08:00-12:00 allow',
      '12:00-13:00 deny',
      '13:00-17:00 allow',
      '17:00-24:00 blocked',
    ]);
    expect(drawn([])[0]).toEqual(['Wed 18', '00:00-24:00 none']);
  });

  test('draws a window that is shorter than half an hour', () => {
    expect(drawn([window('deny', '0 8 * * *', '20m')])[0]).toEqual([
      'Wed 18',
      '00:00-08:00 none',
      '08:00-08:20 deny',
      '08:20-24:00 none',
    ]);
  });

  test('draws windows that change by the second as their strongest state', () => {
    const days = drawn([window('deny', '* * * * *', '30s')]);
    expect(days[0]).toEqual(['Wed 18', '00:00-24:00 deny']);
  });

  test('counts days in the zone it is drawn in, also where the clocks change', () => {
    // in Berlin the clocks go forward on the 29th of March and back on the 25th of October
    const noon = [window('allow', '0 10 * * *', '1h')];
    const spring = drawn(noon, Date.parse('2026-03-27T23:30:00Z'), 'Europe/Berlin');
    expect(spring.map(([label]) => label)).toEqual([
      ...['Sat 28', 'Sun 29', 'Mon 30', 'Tue 31', 'Wed 1', 'Thu 2', 'Fri 3'],
    ]);
    expect(spring[0]).toEqual(['Sat 28', '00:00-11:00 blocked', '11:00-12:00 allow', '12:00-24:00 blocked']);
    expect(spring[1]).toEqual(['Sun 29', '00:00-12:00 blocked', '12:00-13:00 allow', '13:00-24:00 blocked']);
    const autumn = drawn(noon, Date.parse('2026-10-24T12:00:00Z'), 'Europe/Berlin');
    expect(autumn.map((day) => day.slice(0, 2))).toEqual(
      ['Sat 24', 'Sun 25', 'Mon 26', 'Tue 27', 'Wed 28', 'Thu 29', 'Fri 30'].map((label, at) => [
        label,
        at === 0 ? '00:00-12:00 blocked' : '00:00-11:00 blocked',
      ]),
    );
  });

  test('marks the present moment on its day only', () => {
    const days = windowCalendar([], now, 'Europe/Berlin');
    expect(days.map((day) => day.now)).toEqual([15 * 60 + 30, ...Array(6).fill(undefined)]);
  });
});
