import { expect, test } from 'vitest';
import { unifiedDiff } from './text.ts';

test('a change is shown with its surroundings', () => {
  const text = unifiedDiff({ a: 1, b: { c: 'old', d: 2 } }, { b: { d: 2, c: 'new' }, a: 1 });
  expect(text.split('\n').slice(0, 3)).toEqual(['--- live', '+++ target', '@@ -1,4 +1,4 @@']);
  expect(text).toContain('\n-  c: old\n+  c: new\n');
});

test('equal objects give nothing, whatever the order of their keys', () => {
  expect(unifiedDiff({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe('');
  expect(unifiedDiff(null, undefined)).toBe('');
});

test('a missing side is an empty file', () => {
  expect(unifiedDiff(null, { a: 1 })).toContain('+a: 1');
  expect(unifiedDiff({ a: 1 }, null)).toContain('-a: 1');
});

test('an integer beyond 2^53 is printed as it is', () => {
  expect(unifiedDiff({ a: 9007199254740993n }, { a: 9007199254740995n })).toContain('+a: 9007199254740995');
});
