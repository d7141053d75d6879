import { describe, expect, test } from 'vitest';
import { matchRevision, parseRefs } from './refs.ts';

const sha = (digit: string): string => digit.repeat(40);
const refs = parseRefs(
  [
    'ref: refs/heads/main\tHEAD',
    `${sha('a')}\tHEAD`,
    `${sha('a')}\trefs/heads/main`,
    `${sha('b')}\trefs/heads/feature/x`,
    `${sha('c')}\trefs/heads/1.x`,
    `${sha('d')}\trefs/heads/both`,
    `${sha('e')}\trefs/tags/both`,
    `${sha('1')}\trefs/tags/v1.0.0`,
    `${sha('2')}\trefs/tags/v1.0.0^{}`,
    `${sha('3')}\trefs/tags/1.2.0`,
    `${sha('4')}\trefs/tags/2.0.0-rc.1`,
    `${sha('5')}\trefs/tags/app-3.1.0`,
    `${sha('6')}\trefs/pull/12/head`,
    '',
  ].join('\n'),
  'here',
);
const commit = (revision: string, prefix?: string): string | undefined => {
  const match = matchRevision(refs, revision, prefix);
  return match?.kind === 'commit' ? match.commit : match?.prefix;
};

describe('a revision names a commit', () => {
  test.each([
    ['', sha('a')],
    ['HEAD', sha('a')],
    ['main', sha('a')],
    ['refs/heads/main', sha('a')],
    ['feature/x', sha('b')],
    ['pull/12/head', sha('6')],
    ['v1.0.0', sha('2')],
    ['1.*', sha('3')],
    ['^1.0.0', sha('3')],
    ['>=2.0.0-0', sha('4')],
    ['nothing', undefined],
    ['abcdef1', 'abcdef1'],
    ['abcdef', undefined],
  ])('%s', (revision, expected) => {
    expect(commit(revision)).toBe(expected);
  });

  test('a branch that looks like a range is shadowed by a matching tag (GIT-1)', () => {
    expect(commit('1.x')).toBe(sha('3'));
  });

  test('with a tag prefix only such tags count, and the rest falls through (GIT-3)', () => {
    expect(commit('3.x', 'app-')).toBe(sha('5'));
    expect(commit('3.1.0', 'app-')).toBe(sha('5'));
    expect(commit('main', 'app-')).toBe(sha('a'));
  });

  test('of a tag and a branch with one name the tag wins, with a warning (GIT-2, DEV-3)', () => {
    expect(matchRevision(refs, 'both')).toEqual({
      kind: 'commit',
      commit: sha('e'),
      ref: 'refs/tags/both',
      warning: 'revision both names both refs/tags/both and refs/heads/both; refs/tags/both is used',
    });
  });

  test('tags that are no versions are passed over, and build metadata decides nothing (GIT-6)', () => {
    const rows = ['latest', '1.0.0+b2', '1.0.0+b1', 'v2', '1.5.x', 'nightly-2024'].map(
      (name, at) => `${sha(String(at))}\trefs/tags/${name}`,
    );
    const tags = parseRefs(rows.join('\n'), 'here');
    expect(matchRevision(tags, '*')).toMatchObject({ ref: 'refs/tags/v2' });
    expect(matchRevision(tags, '<2')).toMatchObject({ ref: expect.stringContaining('refs/tags/1.0.0+b') });
  });

  test('an annotated tag keeps the hash of the tag itself beside that of its commit', () => {
    expect([...refs.tagObjects]).toEqual([['refs/tags/v1.0.0', sha('1')]]);
    expect(refs.byName.get('refs/tags/v1.0.0')).toBe(sha('2'));
  });

  test('HEAD is reported under the branch it stands for', () => {
    expect(matchRevision(refs, 'HEAD')).toMatchObject({ ref: 'refs/heads/main' });
  });

  test('a default branch of any length is no SHA-256 hash', () => {
    for (let length = 40; length < 60; length++) {
      const target = `refs/heads/${'m'.repeat(length)}`;
      expect(parseRefs(`ref: ${target}\tHEAD\n${'a'.repeat(40)}\tHEAD\n`, 'here').head).toBe(target);
    }
  });

  test('a repository of SHA-256 objects is refused (GIT-13)', () => {
    expect(() => parseRefs(`${'a'.repeat(64)}\tHEAD\n`, 'here')).toThrow('only SHA-1 is');
  });
});
