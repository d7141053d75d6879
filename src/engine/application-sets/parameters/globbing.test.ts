import { expect, test } from 'vitest';
import { doublestar, pathspec } from './globbing.ts';

const paths = ['a.yaml', 'a/b.yaml', 'a/c/d.yaml', 'a/c/e.json', 'ab/[x].yaml', 'a/-', '.a/b.yaml'];

/** Recorded from `git ls-files` of a repository with these files. */
test.each([
  ['*.yaml', ['a.yaml', 'a/b.yaml', 'a/c/d.yaml', 'ab/[x].yaml', '.a/b.yaml']],
  ['a/*.yaml', ['a/b.yaml', 'a/c/d.yaml']],
  ['a/?.yaml', ['a/b.yaml']],
  ['a?b.yaml', ['a/b.yaml']],
  ['a/c', ['a/c/d.yaml', 'a/c/e.json']],
  ['a/c/', ['a/c/d.yaml', 'a/c/e.json']],
  ['a/c/d.yaml/', []],
  ['./a/c/../b.yaml', ['a/b.yaml']],
  ['a/[!b]*', ['a/c/d.yaml', 'a/c/e.json', 'a/-']],
  ['a/[^b-c]', ['a/-']],
  ['*/\\[x\\].yaml', ['ab/[x].yaml']],
  ['ab/[x].yaml', ['ab/[x].yaml']],
  ['**/d.yaml', ['a/c/d.yaml']],
  ['[[:alpha:]].yaml', ['a.yaml']],
  ['{a,ab}/*', []],
  ['.', paths],
])('the pathspec %s selects %j (sources ASG-4)', (pattern, expected) => {
  expect(paths.filter(pathspec(pattern))).toEqual(expected);
});

test.each([
  ['*.yaml', ['a.yaml']],
  ['**/*.yaml', ['a.yaml', 'a/b.yaml', 'a/c/d.yaml', 'ab/[x].yaml', '.a/b.yaml']],
  ['a/**', ['a/b.yaml', 'a/c/d.yaml', 'a/c/e.json', 'a/-']],
  ['a/**/d.yaml', ['a/c/d.yaml']],
  ['a/**/b.yaml', ['a/b.yaml']],
  ['a**.yaml', ['a.yaml']],
  ['{a,.a}/?.yaml', ['a/b.yaml', '.a/b.yaml']],
  ['a/c/{d.yaml,e.json}', ['a/c/d.yaml', 'a/c/e.json']],
  ['a/[^b]', ['a/-']],
  ['a[^b]b.yaml', []],
  ['a/c', []],
])('the doublestar pattern %s selects %j (sources ASG-4)', (pattern, expected) => {
  expect(paths.filter(doublestar(pattern))).toEqual(expected);
});

test.each([
  [pathspec, '/a'],
  [pathspec, '../a'],
  [pathspec, ':!a'],
  [pathspec, 'a/['],
  [doublestar, '{a'],
  [doublestar, 'a\\'],
] as const)('%o refuses %s with its name', (compile, pattern) => {
  expect(() => compile(pattern)).toThrow(pattern);
});

test('a pattern of stars ends in time that grows with the path alone', () => {
  expect(pathspec('*a'.repeat(500))('a'.repeat(400))).toBe(false);
});
