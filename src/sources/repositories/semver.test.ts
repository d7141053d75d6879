import { describe, expect, test } from 'vitest';
import { compareVersions } from '#base/std';
import { parseConstraint, parseVersion, satisfies } from './semver.ts';

const check = (constraint: string, version: string): boolean | undefined => {
  const [parsed, of] = [parseConstraint(constraint), parseVersion(version)];
  return parsed && of ? satisfies(of, parsed) : undefined;
};

describe('constraints as Masterminds semver reads them (GIT-5)', () => {
  test.each([
    ['1.2.3', '1.2.3', true],
    ['=1.2.3', '1.2.4', false],
    ['1.2', '1.2.9', true],
    ['1.2', '1.3.0', false],
    ['1.x', '1.99.0', true],
    ['1.x', '2.0.0', false],
    ['*', '0.0.1', true],
    ['*', '1.0.0-rc.1', false],
    ['*-0', '1.0.0-rc.1', true],
    ['>=1.2.0-0', '1.2.0-rc.1', true],
    ['>=1.2.0-0, <2', '1.3.0-rc.1', true],
    ['>11', '11.1.0', false],
    ['>11', '12.0.0', true],
    ['>11.1', '11.1.1', false],
    ['>11.1', '11.2.1', true],
    ['<=11', '11.2.0', true],
    ['<=11.1', '11.2.0', false],
    ['<11', '11.0.0', false],
    ['!=4.1', '4.1.0', false],
    ['!=4.1', '5.1.0', true],
    ['!=4.x', '4.2.0', false],
    ['~1.2.3', '1.2.9', true],
    ['~1.2.3', '1.3.0', false],
    ['~1', '1.9.0', true],
    ['~0.0.0', '7.1.0', true],
    ['^1.2.3', '1.9.0', true],
    ['^1.2.3', '2.0.0', false],
    ['^0.2.3', '0.2.9', true],
    ['^0.2.3', '0.3.0', false],
    ['^0.0.3', '0.0.4', false],
    ['^0.0', '0.0.9', true],
    ['^0', '0.9.9', true],
    ['1.2 - 1.4.5', '1.4.5', true],
    ['1.2 - 1.4', '1.4.9', true],
    ['1.2 - 1.4', '1.5.0', false],
    ['>1.0, <2.0', '1.5.0', true],
    ['>1.0 <2.0', '2.5.0', false],
    ['<1 || >=3', '3.1.0', true],
    ['=>1.0', '1.0.0', true],
    ['v1.2.x', '1.2.7', true],
  ])('%s on %s is %s', (constraint, version, expected) => {
    expect(check(constraint, version)).toBe(expected);
  });

  test.each(['main', 'release-1.2', '', '1.2.3.4', '>>1', '1.2||', 'feature/1.x'])(
    '"%s" is no constraint',
    (text) => {
      expect(parseConstraint(text)).toBeUndefined();
    },
  );

  test('versions order by number, and a release follows its candidates', () => {
    const ordered = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0',
      'v1.2',
      '1.10',
    ];
    const shuffled = [...ordered].reverse().map((text) => parseVersion(text));
    const sorted = shuffled.filter((v) => v !== undefined).sort(compareVersions);
    expect(sorted.map((version) => version.text)).toEqual(ordered);
  });

  test.each(['1.0.0-01', 'one', '1.', 'v', '1.2.3.4'])('"%s" is no version', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });
});
