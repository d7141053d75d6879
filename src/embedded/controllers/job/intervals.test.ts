import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  includesNumber,
  parseIntervals,
  printIntervals,
  sharedBy,
  totalOf,
  withNumbers,
} from './intervals.ts';

const numbers = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 });

test('any numbers are printed and read back as the same set', () => {
  fc.assert(
    fc.property(numbers, (list) => {
      const runs = withNumbers([], list);
      expect(parseIntervals(printIntervals(runs), 61)).toEqual(runs);
      expect(totalOf(runs)).toBe(new Set(list).size);
      for (let one = 0; one <= 60; one++) expect(includesNumber(runs, one)).toBe(list.includes(one));
    }),
  );
});

test('what two sets share is counted', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const shared = [...new Set(a)].filter((one) => b.includes(one)).length;
      expect(sharedBy(withNumbers([], a), withNumbers([], b))).toBe(shared);
    }),
  );
});

test('neighbours are a run from three on, and nonsense is left out', () => {
  expect(printIntervals(withNumbers([], [5, 1, 2, 7, 6]))).toBe('1,2,5-7');
  expect(parseIntervals('x,3-1,-2,4,9-99999', 11)).toEqual([
    [4, 4],
    [9, 10],
  ]);
});
