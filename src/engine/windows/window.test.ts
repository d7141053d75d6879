import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SyncWindow } from '#base/model';
import { findTimeZone, offsetAt, offsetChange, utcZone } from '#base/std';
import { tickAfter } from '#lang/cron';
import { changeAfter, isOpen, type OpenTimes, timesOf } from './window.ts';

const minute = 60_000;

function timesFrom(window: SyncWindow): OpenTimes {
  const times = timesOf(window);
  if ('problem' in times) throw new Error(times.problem);
  return times;
}

/** The rule as it is written: any tick of the last `duration` that is not now itself. */
function isOpenByWalking({ schedule, durationMs, zone }: OpenTimes, at: number): boolean {
  const local = at + offsetAt(zone, at);
  for (let tick = Math.ceil(local / minute) * minute - minute; tick > local - durationMs; tick -= minute) {
    if (tickAfter(schedule, tick - 1) === tick) return true;
  }
  return false;
}

const window = fc.record({
  kind: fc.constant('deny' as const),
  schedule: fc.constantFrom(
    '0 2 * * *',
    '30 1 * * 0',
    '*/20 1-3 * * *',
    '0 0 1 * *',
    '0 22 * * fri',
    '0 */6 28-31 3,10 *',
    '15 3 25 10 *',
    '* * * * 1-5',
  ),
  duration: fc.constantFrom('10m', '1h', '90m', '8h', '24h', '26h', '20m', '90s'),
  timeZone: fc.constantFrom(
    '',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'Africa/Casablanca',
    'No/Where',
  ),
});
// around the changes of 2026 in both hemispheres, and across a quiet month
const moment = fc
  .constantFrom('2026-03-07', '2026-03-28', '2026-04-04', '2026-10-24', '2026-10-31', '2026-06-29')
  .chain((day) =>
    fc.integer({ min: 0, max: 3 * 1440 }).map((m) => Date.parse(`${day}T00:00:30Z`) + m * minute),
  );

test('a window is open when the rule says so, minute by minute, whatever the clocks do (P-40)', () => {
  fc.assert(
    fc.property(window, moment, (one, at) => {
      const times = timesFrom(one);
      expect(isOpen(times, at, at)).toBe(isOpenByWalking(times, at));
    }),
    { numRuns: 300 },
  );
});

test('between now and the next change nothing changes, and there it does (P-40)', () => {
  fc.assert(
    fc.property(window, moment, (one, now) => {
      const times = timesFrom(one);
      const was = isOpen(times, now, now);
      const change = changeAfter(times, now) ?? Number.POSITIVE_INFINITY;
      for (let at = now; at < Math.min(change, now + 2 * 1440 * minute); at += minute) {
        if (isOpen(times, at, at) !== was)
          throw new Error(`changes at ${new Date(at).toISOString()} already`);
      }
      if (change === Number.POSITIVE_INFINITY) return;
      expect(isOpen(times, change, change)).toBe(!was);
      expect(isOpen(times, change - 1, change - 1)).toBe(was);
    }),
    { numRuns: 150 },
  );
});

test('a window that closes for an instant only does not close', () => {
  const times = timesFrom({ schedule: '0 0 * * 1-5', duration: '24h' });
  const monday = Date.parse('2026-06-01T12:00:00Z');
  expect(isOpen(times, Date.parse('2026-06-02T00:00:00Z'), monday)).toBe(false);
  expect(changeAfter(times, monday)).toBe(Date.parse('2026-06-06T00:00:00Z'));
});

test.each([
  ['0 0 30 2 *', '1h', true, 'a schedule that never ticks counts as always open (P-40)'],
  ['* * * * *', '2m', true, 'a duration longer than the period is always open (P-40)'],
  ['0 0 * * *', '-1h', false, 'a negative duration is never open'],
  ['0 0 * * *', '0', false, 'no duration is never open'],
])('%j for %s stays as it is (%s): %s', (schedule, duration, open) => {
  const times = timesFrom({ schedule, duration });
  const now = Date.parse('2026-06-01T12:00:30Z');
  expect(isOpen(times, now, now)).toBe(open);
  expect(changeAfter(times, now)).toBeUndefined();
});

test('a window that overlaps itself across days is open all year (P-40)', () => {
  const times = timesFrom({ schedule: '* * * * 1-5', duration: '72h', timeZone: 'Europe/Berlin' });
  expect(times.isAlwaysOpen).toBe(false);
  expect(changeAfter(times, Date.parse('2026-06-01T12:00:00Z'))).toBeUndefined();
});

test('the offset is the one that holds now, also for a time in the other half of the year (P-40)', () => {
  const times = timesFrom({ schedule: '0 12 * * *', duration: '1h', timeZone: 'Europe/Berlin' });
  const started = Date.parse('2026-06-01T10:30:00Z');
  expect(isOpen(times, started, started)).toBe(true);
  expect(isOpen(times, started, Date.parse('2026-12-01T10:30:00Z'))).toBe(false);
});

test.each([
  ['', true],
  ['UTC', true],
  ['Local', true],
  ['Europe/Berlin', true],
  ['US/Eastern', true],
  ['europe/berlin', false],
  ['+02:00', false],
  ['Mars/Base', false],
])('zone %j is known: %j (P-40)', (zone, known) => {
  expect(findTimeZone(zone) !== undefined).toBe(known);
  const window = { kind: 'deny', schedule: '0 2 * * *', duration: '1h', timeZone: zone } as const;
  if (!known) expect(timesFrom(window).zone).toBe(utcZone);
});

test('clocks change at the second they change', () => {
  const berlin = findTimeZone('Europe/Berlin') ?? utcZone;
  const june = Date.parse('2026-06-01T00:00:00Z');
  expect(offsetAt(berlin, june)).toBe(2 * 3_600_000);
  expect(offsetChange(berlin, june)).toBe(Date.parse('2026-10-25T01:00:00Z'));
  expect(offsetAt(berlin, Date.parse('2026-10-25T00:59:59Z'))).toBe(2 * 3_600_000);
  expect(offsetAt(berlin, Date.parse('2026-10-25T01:00:00Z'))).toBe(3_600_000);
  expect(offsetChange(utcZone, june)).toBeUndefined();
});
