import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cpuNow } from '../../../test/cpu-time.ts';
import { compileRegex, type RegexMatch } from './index.ts';

// testdata/go-regexp.json: the answers of Go 1.26's regexp package, offsets turned into UTF-16 units.
// server 5.1: users' patterns mean what RE2 means, unanchored, and what RE2 refuses is refused.
type Answer = {
  pattern: string;
  text?: string;
  refused?: true;
  test?: boolean;
  full?: boolean;
  all?: number[][];
  names?: string[];
  template?: string;
  replaced?: string;
  split?: string[];
  split2?: string[];
};

const answers: Answer[] = JSON.parse(
  readFileSync(new URL('./testdata/go-regexp.json', import.meta.url), 'utf8'),
);
const patterns = [...new Set(answers.map(({ pattern }) => pattern))];

const offsets = ({ start, end, groups }: RegexMatch): number[] => [
  start,
  end,
  ...groups.flatMap((group) => [group.start, group.end]),
];

for (const pattern of patterns) {
  const cases = answers.filter((answer) => answer.pattern === pattern);
  if (cases[0]?.refused) {
    test(`${pattern} is refused as Go refuses it`, () => {
      expect(() => compileRegex(pattern)).toThrow(
        expect.objectContaining({
          code: 'InvalidSpec',
          message: expect.stringContaining(JSON.stringify(pattern)),
        }),
      );
    });
    continue;
  }
  test(`${pattern} finds, replaces and splits as Go does`, () => {
    const regex = compileRegex(pattern);
    for (const { text = '', template = '', ...answer } of cases) {
      const all = [...regex.matches(text)];
      expect({
        text,
        test: regex.test(text),
        full: regex.fullMatch(text),
        all: all.map(offsets),
        first: regex.exec(text),
        replaced: regex.replace(text, template),
        split: regex.split(text),
        split2: regex.split(text, 2),
      }).toEqual({
        text,
        test: answer.test,
        full: answer.full,
        all: answer.all ?? [],
        first: all[0],
        replaced: answer.replaced,
        split: answer.split ?? [],
        split2: answer.split2 ?? [],
      });
      for (const match of all) {
        expect(match.text).toBe(text.slice(match.start, match.end));
        expect(match.groups.map(({ name }) => name ?? '')).toEqual(answer.names ?? []);
      }
    }
  });
}

test('patterns that make a backtracking matcher explode take linear time', () => {
  const text = `${'a'.repeat(20_000)}!`;
  const start = cpuNow();
  for (const pattern of [
    '^(a+)+$',
    '(a*)*b',
    '(a|aa)+$',
    '(.*)(.*)(.*)(.*)x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ]) {
    const regex = compileRegex(pattern);
    expect(regex.test(text)).toBe(false);
    expect(regex.exec(text)).toBeUndefined();
  }
  expect(cpuNow() - start).toBeLessThan(2_000);
});

test('a pattern that is too long is refused before it is read', () => {
  expect(() => compileRegex('a'.repeat(10_001))).toThrow(expect.objectContaining({ code: 'LimitExceeded' }));
});

test('the same pattern is compiled once', () => {
  expect(compileRegex('^once$')).toBe(compileRegex('^once$'));
});

test('the complaint names the pattern and the piece that is wrong', () => {
  expect(() => compileRegex('team-(')).toThrow('invalid regular expression "team-(": missing closing )');
  expect(() => compileRegex('a**')).toThrow('invalid nested repetition operator at "**"');
});

test('no pieces are asked for, none are given', () => {
  expect(compileRegex(',').split('a,b', 0)).toEqual([]);
});
