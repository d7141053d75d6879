import { expect, test } from 'vitest';
import { ago, clockTime, duration, shortAge } from './time.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const before = (ms: number) => now - ms;

test.each([
  [0, 'just now', '0s'],
  [-9_000, 'just now', '0s'],
  [42_000, '42 s ago', '42s'],
  [5 * 60_000, '5 min ago', '5m'],
  [3 * 3_600_000, '3 h ago', '3h'],
  [2 * 86_400_000, '2 d ago', '2d'],
  [40 * 86_400_000, '6 Feb', '40d'],
  [400 * 86_400_000, '11 Feb 2025', '400d'],
])('%i ms before now is %s, in short %s', (ms, words, short) => {
  expect(ago(before(ms), now)).toBe(words);
  expect(shortAge(before(ms), now)).toBe(short);
});

test.each([
  [400, '0 s'],
  [42_000, '42 s'],
  [180_000, '3 min'],
  [185_000, '3 min 5 s'],
  [4_320_000, '1 h 12 min'],
  [7_200_000, '2 h'],
])('%i ms last %s', (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test.each([
  ['2026-03-18T14:02:00Z', '14:02'],
  ['2026-03-17T23:59:00Z', 'Tue 23:59'],
  ['2026-03-02T09:05:00Z', '2 Mar 09:05'],
  ['2025-03-02T09:05:00Z', '2 Mar 2025 09:05'],
])('%s is written %s', (then, words) => {
  expect(clockTime(Date.parse(then), now, 'UTC')).toBe(words);
});

test('the day is that of the reader, not of the server', () => {
  expect(clockTime(Date.parse('2026-03-17T23:59:00Z'), now, 'Europe/Berlin')).toBe('00:59');
});
