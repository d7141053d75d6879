import { describe, expect, test } from 'vitest';
import { parseRemote, remoteKey } from './repository-url.ts';

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
  });
});
