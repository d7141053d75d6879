import { describe, expect, test } from 'vitest';
import { compilePathGlob } from './path-glob.ts';

describe('patterns of value files (4.1.1)', () => {
  test.each([
    ['values/*.yaml', 'values/a.yaml', true],
    ['values/*.yaml', 'values/x/a.yaml', false],
    ['values/**/*.yaml', 'values/a.yaml', true],
    ['values/**/*.yaml', 'values/x/y/a.yaml', true],
    ['**', 'a/b', true],
    ['a/**', 'a/b/c', true],
    ['env-[ab]/{x,y}.yaml', 'env-b/y.yaml', true],
    ['env-[^ab]/x', 'env-c/x', true],
    ['a?/x', 'ab/x', true],
    ['a**b', 'axxb', true],
    ['a**b', 'ax/xb', false],
  ])('%s on %s is %s', (pattern, path, expected) => {
    expect(compilePathGlob(pattern).matches(path)).toBe(expected);
  });

  test('a walk may pass by folders in which nothing can match', () => {
    const glob = compilePathGlob('values/*/prod.yaml');
    expect(['values', 'values/eu'].map(glob.mayHold)).toEqual([true, true]);
    expect(['other', 'values/eu/deep'].map(glob.mayHold)).toEqual([false, false]);
  });
});
