import { expect, test } from 'vitest';
import { type Sample, trendOf } from '../../bench/soak/trend.ts';

// The judgement of the soak: what leaks is found, what fills up to a bound, and what a restart changes, is not taken for it.

const hour = (heapAt: (minute: number) => number, killEvery = 60): Sample[] =>
  Array.from({ length: 60 }, (_one, at) => {
    const heapMb = heapAt(at + 1) + (at % 3); // with noise
    const memory = { foundMb: 200, rssMb: 150, anonMb: 90, heapMb };
    const life = Math.floor(at / killEvery);
    return { minute: at + 1, life, steps: at * 30, ...memory, descriptors: 46, children: 2 };
  });

test.each<[string, boolean, Sample[]]>([
  ['stays the same', true, hour(() => 65)],
  ['fills up to a bound in the first half', true, hour((minute) => 60 + Math.min(minute, 30) / 3)],
  ['is lower after a restart', true, hour((minute) => (minute <= 40 ? 70 : 60), 20)],
  ['grows by 12 MB in an hour', false, hour((minute) => 60 + minute / 5)],
  [
    'grows by 12 MB in an hour, and less after a restart',
    false,
    hour((minute) => 60 + ((minute - 1) % 20) / 5, 20),
  ],
  ['begins to grow in the second half', false, hour((minute) => 60 + Math.max(0, minute - 40) / 2)],
])('a heap that %s: flat is %s', (_what, isFlat, samples) => {
  expect(trendOf(samples, 'heapMb', 5)?.isFlat).toBe(isFlat);
});

test('five minutes are too few for a trend', () => {
  expect(trendOf(hour(() => 65).slice(0, 5), 'heapMb', 5)).toBeUndefined();
});
