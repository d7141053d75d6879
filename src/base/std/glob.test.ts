import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob, compilePathPattern } from './glob.ts';

describe('globs (DIR-4)', () => {
  test.each([
    ['*.yaml', 'a/b.yaml', true],
    ['*.yaml', 'b.yml', false],
    ['**/*.yaml', 'a/b/c.yaml', true],
    ['?.yaml', 'a.yaml', true],
    ['?.yaml', 'ab.yaml', false],
    ['{a,b}.yaml', 'b.yaml', true],
    ['{a,b{c,d}}*', 'bd.yaml', true],
    ['{a,}x', 'x', true],
    ['[abc].yaml', 'c.yaml', true],
    ['[!abc].yaml', 'c.yaml', false],
    ['[a-c].yaml', 'b.yaml', true],
    ['[!a-c].yaml', 'd.yaml', true],
    ['[abc-z]', '-', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['a,b', 'a,b', true],
    ['a}', 'a}', true],
    ['{a,b', 'b', true],
    ['', '', true],
    ['config.{yaml,json}', 'config.json', true],
    ['.*', '.hidden', true],
  ])('%s on %s is %s', (pattern, text, expected) => {
    expect(compileGlob(pattern)?.(text)).toBe(expected);
  });

  test.each(['[', '[]', '[a', '[a-zA-Z]', '[z-a]'])('%s does not compile', (pattern) => {
    expect(compileGlob(pattern)).toBeUndefined();
  });

  test('agree with an expression for patterns of stars, marks and letters', () => {
    const pattern = fc.stringMatching(/^[ab*?]{0,8}$/);
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab/]{0,10}$/), (glob, text) => {
        const regex = new RegExp(`^${glob.replace(/\*/g, '.*').replace(/\?/g, '.')}$`, 's');
        expect(compileGlob(glob)?.(text)).toBe(regex.test(text));
      }),
    );
  });

  test('hostile patterns cost what they weigh', () => {
    const glob = compileGlob(`${'*a'.repeat(200)}b`);
    expect(glob?.('a'.repeat(2000))).toBe(false);
  });
});

describe('shell patterns', () => {
  test.each([
    ['[a-cx]', 'x', true],
    ['[a-cx]', 'd', false],
    ['[^a-cx]', 'd', true],
    ['[\\]]', ']', true],
    ['{a,b}', '{a,b}', true],
    ['a*', 'a/b', false],
    ['**', 'a/b', false],
  ])('%s on %s is %s', (pattern, text, expected) => {
    expect(compilePathPattern(pattern)?.(text)).toBe(expected);
  });

  test.each(['[', '[]', '[a', '[a-]', '[-a]', 'a\\'])('%s does not compile', (pattern) => {
    expect(compilePathPattern(pattern)).toBeUndefined();
  });
});
