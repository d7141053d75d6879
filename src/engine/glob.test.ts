import fc from 'fast-check';
import { expect, test } from 'vitest';
import { glob, pathMatch } from './glob.ts';

test.each([
  ['*', 'a/b', '/', true],
  ['a*', 'abc', '', true],
  ['a*', 'a/b', '/', false],
  ['a/**', 'a/b/c', '/', true],
  ['**/c', 'a/b/c', '/', true],
  ['a?c', 'abc', '', true],
  ['a?c', 'a/c', '/', false],
  ['a?c', 'ac', '', false],
  ['[abc]x', 'bx', '', true],
  ['[!abc]x', 'bx', '', false],
  ['[a-c]x', 'bx', '', true],
  ['[!a-c]x', 'zx', '', true],
  ['{a,b}c', 'bc', '', true],
  ['{a,b}c', 'cc', '', false],
  ['{a{1,2},b}*', 'a2xyz', '', true],
  ['x{', 'x{', '', true],
  ['\\*', '*', '', true],
  ['\\*', 'a', '', false],
  ['\\{a,b\\}', '{a,b}', '', true],
  ['a\\,b', 'a,b', '', true],
  ['', '', '', true],
  ['', 'a', '', false],
  ['apps', 'apps', '', true],
  ['*.example.com', 'a.b.example.com', '.', false],
  ['**.example.com', 'a.b.example.com', '.', true],
])('glob %j on %j with separators %j is %j', (pattern, text, separators, wanted) => {
  expect(glob(pattern, text, separators)).toBe(wanted);
});

test.each([
  ['*', 'abc', true],
  ['*', 'a/b', false],
  ['a*c', 'abbc', true],
  ['[^a]b', 'cb', true],
  ['[^a]b', 'ab', false],
  ['{a,b}', 'a', false],
  ['{a,b}', '{a,b}', true],
  ['**', 'a/b', false],
])('pathMatch %j on %j is %j', (pattern, text, wanted) => {
  expect(pathMatch(pattern, text)).toBe(wanted);
});

test('a text matches itself, and any part of it may be starred', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9.-]{0,20}$/), fc.nat(20), fc.nat(20), (text, a, b) => {
      expect(glob(text, text)).toBe(true);
      const [from, to] = [Math.min(a, b, text.length), Math.min(Math.max(a, b), text.length)];
      expect(glob(`${text.slice(0, from)}*${text.slice(to)}`, text)).toBe(true);
    }),
  );
});

test('no pattern makes matching slow', () => {
  const started = performance.now();
  expect(glob(`${'*a'.repeat(50)}b`, 'a'.repeat(5000))).toBe(false);
  expect(glob('{a,b}'.repeat(40), 'c'.repeat(100))).toBe(false);
  expect(performance.now() - started).toBeLessThan(2000);
});
