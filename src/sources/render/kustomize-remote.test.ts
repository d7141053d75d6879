import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withPlaces } from './kustomize-mention.ts';
import { isWebUrl, parseRemoteBase } from './kustomize-remote.ts';

describe('a remote base (KL-5)', () => {
  test.each([
    ['https://host/org/repo', 'https://host/org/repo', '', ''],
    ['https://host/org/repo/a/b?ref=v1', 'https://host/org/repo', 'a/b', 'v1'],
    ['https://host/org/repo.git/a/b?ref=v1', 'https://host/org/repo.git', 'a/b', 'v1'],
    ['https://host/a/b/c//d/e?version=v2', 'https://host/a/b/c', 'd/e', 'v2'],
    ['https://host/org/repo//a?version=v2&ref=v1', 'https://host/org/repo', 'a', 'v1'],
    ['https://host/org/project/_git/repo/a', 'https://host/org/project/_git/repo', 'a', ''],
    ['git::https://host/org/repo', 'https://host/org/repo', '', ''],
    ['HTTPS://host/org/repo', 'https://host/org/repo', '', ''],
    ['https://joe:pw@host/org/repo', 'https://joe:pw@host/org/repo', '', ''],
    ['ssh://git@host:22/org/repo//a', 'ssh://git@host:22/org/repo', 'a', ''],
    ['git@host.xz:org/repo.git//a', 'git@host.xz:org/repo.git', 'a', ''],
    ['git@host.xz:org/repo/a', 'git@host.xz:org/repo', 'a', ''],
    ['github.com/org/repo/a', 'https://github.com/org/repo', 'a', ''],
    ['github.com:org/repo', 'https://github.com/org/repo', '', ''],
    ['http://github.com/org/repo', 'https://github.com/org/repo', '', ''],
    ['git@github.com/org/repo', 'git@github.com:org/repo', '', ''],
    ['ssh://git@github.com/org/repo', 'git@github.com:org/repo', '', ''],
    ['file:///srv/repo/with/depth', 'file:///srv/repo/with/depth', '', ''],
    ['file:///srv/repo.git/a', 'file:///srv/repo.git', 'a', ''],
    ['https://host/org/repo//a/./b/../c/', 'https://host/org/repo', 'a/c', ''],
    ['https://host/org/repo?ref=a%2Fb', 'https://host/org/repo', '', 'a/b'],
    ['https://host/org/repo?ref=%zz', 'https://host/org/repo', '', ''],
  ])('%s is read', (text, repository, path, revision) => {
    expect(parseRemoteBase(text)).toMatchObject({ repository, path, revision });
  });

  test.each([
    '/abs/path',
    '../base',
    'base',
    'gitlab.com/org/repo',
    'host:org/repo',
    'https://host',
    'https://host/one',
    'git::x',
    'ext::sh -c x',
    '',
  ])('%s is none', (text) => {
    expect(parseRemoteBase(text)).toBeUndefined();
  });

  test.each([
    ['', true, undefined],
    ['timeout=61', true, 61_000],
    ['timeout=1m1s', true, 61_000],
    ['timeout=-5', true, undefined],
    ['timeout=soon', true, undefined],
    ['submodules=false', false, undefined],
    ['submodules=0&timeout=2', false, 2000],
    ['submodules=perhaps', true, undefined],
  ])('with ?%s is asked for so', (query, submodules, timeoutMs) => {
    expect(parseRemoteBase(`https://host/org/repo?${query}`)).toMatchObject({ submodules, timeoutMs });
  });

  test.each([
    'https://h/o/r//../x',
    'https://h/o/r//a/../../x',
    'https://h/o/r/../../..',
    'git@h:o/r.git/../x',
  ])('%s leaves its repository', (text) => {
    expect(() => parseRemoteBase(text)).toThrow('url path exits repo');
  });

  test('whatever is written, a path never leaves the repository', () => {
    const part = fc.constantFrom('a', '..', '.', '', '.git', '_git', '//', 'b?ref=x', 'git@', ':');
    fc.assert(
      fc.property(
        fc.constantFrom('https://h/', 'git@h:', 'file:///', 'github.com/'),
        fc.array(part),
        (host, parts) => {
          try {
            expect(parseRemoteBase(host + parts.join('/'))?.path.split('/') ?? []).not.toContain('..');
          } catch (error) {
            expect(String(error)).toContain('url path exits repo');
          }
        },
      ),
    );
  });
});

test('only http and https are pages', () => {
  expect(['http://h/x', 'HTTPS://h', 'file:///x', 'https:///x', 'git::https://h/x'].map(isWebUrl)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('places are renamed where places stand, and nowhere else', () => {
  const text = [
    'Resources: ["https://h/o/r", local]',
    'commonAnnotations: {docs: "https://h/o/r"}',
    'configMapGenerator: [{files: ["k=https://h/f"], literals: ["k=https://h/f"]}]',
    'replicas: [{name: x, count: 12345678901234567890}]',
  ].join('\n');
  const renamed = withPlaces(
    text,
    'k',
    new Map([
      ['https://h/o/r', '../r'],
      ['k=https://h/f', 'k=f'],
    ]),
  );
  expect(renamed.replace(/\s/g, '')).toBe(
    '{"Resources":["../r","local"],"commonAnnotations":{"docs":"https://h/o/r"},' +
      '"configMapGenerator":[{"files":["k=f"],"literals":["k=https://h/f"]}],' +
      '"replicas":[{"name":"x","count":12345678901234567890}]}',
  );
});
