import { describe, expect, test } from 'vitest';
import { normalizeUrl, parseRemote, redactUrl, remoteKey, sameRepository } from './repository-url.ts';

describe('normalizeUrl', () => {
  test.each([
    ['https://GitHub.com/Org/Repo.git', 'https://github.com/org/repo'],
    ['  https://github.com/org/repo ', 'https://github.com/org/repo'],
    ['git@github.com:org/repo.git', 'git@github.com/org/repo'],
    ['ssh://git@github.com/org/repo', 'git@github.com/org/repo'],
    ['ssh://git@github.com:22/org/repo.git', 'git@github.com:22/org/repo'],
    ['/srv/git/demo', '/srv/git/demo'],
    ['https://host:port/x', ''],
    ['https://host/%zz', ''],
    ['http://a b/x', ''],
    ['1.2.3.4:80/x', ''],
  ])('%s becomes "%s"', (url, normal) => {
    expect(normalizeUrl(url)).toBe(normal);
  });

  test('two spellings are one repository, two broken ones are not', () => {
    expect(sameRepository('git@github.com:a/b.git', 'ssh://git@github.com/a/b')).toBe(true);
    expect(sameRepository('https://host:port/x', 'https://host:port/x')).toBe(false);
  });
});

describe('parseRemote', () => {
  test('user-info leaves the URL and becomes a login', () => {
    const remote = parseRemote('https://joe:s3%40cret@Git.Example.com/org/repo.git/');
    expect(remote).toMatchObject({
      kind: 'http',
      shown: 'https://git.example.com/org/repo.git',
      login: { username: 'joe', password: 's3@cret' },
    });
    expect(remoteKey(remote)).toBe('https://git.example.com/org/repo');
  });

  test('the mirror key minds case, because hosts may', () => {
    expect(remoteKey(parseRemote('https://h/Org/repo'))).not.toBe(
      remoteKey(parseRemote('https://h/org/repo')),
    );
  });

  test('file URLs and absolute paths are local', () => {
    expect(parseRemote('file:///srv/my%20repo/')).toEqual({
      kind: 'local',
      shown: 'file:///srv/my%20repo/',
      path: '/srv/my repo',
    });
    expect(parseRemote('/srv//demo')).toMatchObject({ kind: 'local', path: '/srv/demo' });
  });

  test.each([
    ['ext::sh -c whoami', 'holds a character'],
    ['ext::whoami', 'is of no kind we speak'],
    ['-oProxyCommand=x', 'holds a character'],
    ['--upload-pack=x', 'holds a character'],
    ['git://host/repo', 'is of no kind we speak'],
    ['fd::17', 'is of no kind we speak'],
    ['file://host/share', 'not of the form'],
    ['/srv/../etc', 'may not hold ".."'],
    ['relative/path', 'is of no kind we speak'],
    ['git@host:org/repo', 'not supported yet'],
    ['', 'repoURL is empty'],
  ])('%s is refused', (url, reason) => {
    expect(() => parseRemote(url)).toThrow(reason);
  });

  test('a refused URL does not print its password', () => {
    expect(() => parseRemote('ftp://joe:hunter2@host/x')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
    expect(redactUrl('https://joe:hunter2@host/x@y')).toBe('https://host/x@y');
  });
});
