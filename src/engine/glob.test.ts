import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob } from '#base/std';
import { parseAll } from '#lang/yaml';
import { cpuNow } from '../../test/cpu-time.ts';
import { denialGlob, glob, lenientMatcherOf, matcherOf, pathMatch } from './glob.ts';

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
  ['x{', 'x{', '', false],
  ['x[', 'x[', '', false],
  ['*{', 'anything', '', false],
  ['{a,b', 'b', '', false],
  ['a{}', 'a', '', false],
  ['[{]', '{', '', true],
  ['[!{]x', 'ax', '', true],
  ['[{-}]', '|', '', true],
  ['\\{a', '{a', '', true],
  ['[\\]{]{a,b}', '{b', '', true],
  ['a*b*c', 'a-b-b-c', '', true],
  ['a*b*c', 'abc', '', true],
  ['ab*bc', 'abc', '', false],
  ['*a*a*', 'xaxx', '', false],
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
  const started = cpuNow();
  expect(glob(`${'*a'.repeat(50)}b`, 'a'.repeat(5000))).toBe(false);
  expect(glob('{a,b}'.repeat(40), 'c'.repeat(100))).toBe(false);
  expect(cpuNow() - started).toBeLessThan(2000);
});

const texts = [
  '',
  'a',
  'ab',
  'abc',
  'a/b',
  'a/b/c',
  'x{',
  '*',
  'a*',
  '[a]',
  'a,b',
  '{a,b}',
  '-',
  ']',
  'ac',
  'a-c',
];
texts.push('\\', 'a\\b', 'b', 'z', '!', 'p/app', 'p/ns/app');

type Row = readonly [pattern: string, separators: string, theirs: string, ours?: string];
function rowsOf(name: string): Row[] {
  const text = readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8');
  return parseAll(text, { name })[0]?.value as Row[];
}

function answerOf(pattern: string, separators: string): string {
  const match = matcherOf(pattern, separators);
  return match ? texts.flatMap((one, i) => (match(one) ? [i] : [])).join(' ') : 'refused';
}

test('globs match as those of gobwas, whose table this is (P-5)', () => {
  const table = rowsOf('gobwas.yaml');
  const strange = table
    .filter(([pattern, separators, theirs]) => answerOf(pattern, separators) !== theirs)
    .map(([pattern]) => pattern);
  // dev P-5: there one character may be none at all, two ends may share their letters, so that `a*a` matches `a`, and
  // broken braces are read (decision 0035)
  expect([...new Set(strange)]).toEqual([
    '?',
    '[!abc]',
    '[!a-c]',
    '{}',
    '{a',
    'x{',
    'p/*/app',
    '***',
    'a{b',
    'a{b,c',
  ]);
});

test('random globs match as those of gobwas, or as recorded (P-5)', () => {
  const rows = rowsOf('gobwas-random.yaml');
  for (const [pattern, separators, theirs, ours = theirs] of rows)
    expect([pattern, answerOf(pattern, separators)]).toEqual([pattern, ours]);
  // decision 0035: more is matched than there only by readable patterns in which gobwas loses a way to match
  const more = rows.filter(([, , theirs, ours]) => ours && ours !== 'refused' && !covers(theirs, ours));
  expect(more.filter(([pattern]) => !/\{[^}]*\*|\{[^}]*,\}|\{,|\{.*\{|\*{3}/.test(pattern))).toEqual([]);
});

function covers(theirs: string, ours: string): boolean {
  const hits = new Set(theirs.split(' '));
  return ours.split(' ').every((hit) => hits.has(hit));
}

test('a denial with an unclosed brace is read as if the brace closed at the end', () => {
  expect(denialGlob('team-{a,b', 'team-b')).toBe(true);
  expect(glob('team-{a,b', 'team-b')).toBe(false);
  expect(denialGlob('team-[', 'team-[')).toBe(false);
});

test('whatever the strict reading matches the lenient one matches too', () => {
  const pattern = fc.string({
    unit: fc.constantFrom('a', 'b', '*', '?', '{', '}', ',', '[', ']', '!', '\\', '-'),
    maxLength: 8,
  });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '{', '-'), maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, (one, of) => {
      if (matcherOf(one)?.(of)) expect(lenientMatcherOf(one)?.(of)).toBe(true);
    }),
  );
});

test('a glob of stars matches as one that is walked', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
  fc.assert(
    fc.property(word, text, (pattern, one) => {
      expect(matcherOf(pattern)?.(one)).toBe(compileGlob(pattern)?.(one));
    }),
  );
});
