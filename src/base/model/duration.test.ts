import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration, parseDurationOrDays, parseDurationOrSeconds, printDuration } from './duration.ts';
import { parseTime, printTime } from './timestamp.ts';

type Case = [text: string, nanos?: string, printed?: string];
const cases: Case[] = JSON.parse(
  readFileSync(new URL('./testdata/durations.json', import.meta.url), 'utf8'),
).cases;

test('reads and prints what Go reads and prints', () => {
  for (const [text, nanos, printed] of cases) {
    if (nanos === undefined) {
      expect(() => parseDuration(text), text).toThrow(/invalid duration/);
      continue;
    }
    expect(parseDuration(text), text).toBeCloseTo(Number(nanos) / 1e6, 6);
    expect(printDuration(parseDuration(text)), text).toBe(printed);
  }
});
test('what is printed is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
      expect(parseDuration(printDuration(ms))).toBe(ms);
    }),
  );
});
test('a bare integer is seconds where Argo CD says so', () => {
  expect(parseDurationOrSeconds('30')).toBe(30_000);
  expect(parseDurationOrSeconds('3m')).toBe(180_000);
  expect(() => parseDurationOrSeconds('soon')).toThrow('invalid duration "soon": write a number and a unit');
});
test('sessions may last for days', () => {
  expect(parseDurationOrDays('7d')).toBe(7 * 86_400_000);
  expect(parseDurationOrDays('24h')).toBe(86_400_000);
});
test('what is longer than Go can count is refused', () => {
  expect(() => parseDuration('2562048h')).toThrow(/invalid duration/);
});

test('times are whole seconds in UTC', () => {
  expect(printTime(new Date('2024-05-06T07:08:09.999Z'))).toBe('2024-05-06T07:08:09Z');
  expect(parseTime('2024-05-06T07:08:09Z')).toBe(Date.UTC(2024, 4, 6, 7, 8, 9));
  expect(parseTime('2024-05-06T09:08:09.123456789+02:00')).toBe(Date.UTC(2024, 4, 6, 7, 8, 9, 123));
  for (const text of ['yesterday', '2024-05-06', '2024-13-06T00:00:00Z', undefined]) {
    expect(parseTime(text)).toBeUndefined();
  }
});
