import { expect, test } from 'vitest';
import { goDiff } from './go-diff.ts';

test('what is different is shown with three lines around it', () => {
  const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 };
  expect(goDiff(before, { ...before, e: 0 })).toBe(
    '\n@@ -3,7 +3,7 @@\n  "b": 2,\n  "c": 3,\n  "d": 4,\n- "e": 5,\n+ "e": 0,\n  "f": 6,\n  "g": 7,\n  "h": 8\n',
  );
});

test('differences that are near one another are shown together', () => {
  const before = { a: 1, b: 2, c: 3 };
  expect(goDiff(before, { a: 0, b: 2, c: 4 }).match(/@@/g)).toHaveLength(2);
});

test('what is the same needs no words', () => {
  expect(goDiff({ a: [1] }, { a: [1] })).toBe('');
});
