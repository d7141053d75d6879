import fc from 'fast-check';
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

  test('ssh, in both ways of writing it', () => {
    expect(parseRemote('git@Host:org/repo.git')).toEqual({
      kind: 'ssh',
      shown: 'git@Host:org/repo.git',
      user: 'git',
      host: 'host',
      port: 22,
      location: 'git@host:org/repo.git',
    });
    expect(parseRemote('ssh://joe:pw@host:2222/org/repo')).toMatchObject({
      shown: 'ssh://host:2222/org/repo',
      user: 'joe',
      port: 2222,
      location: 'ssh://joe@host/org/repo',
    });
    expect(parseRemote('ssh://host/org/repo')).toMatchObject({ user: 'git', port: 22 });
    expect(parseRemote('ssh://git@[::1]:22/x')).toMatchObject({ host: '::1', location: 'ssh://git@[::1]/x' });
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
    ['ssh://-oProxyCommand=x/y', 'cannot be read'],
    ['-x@host:y', 'holds a character'],
    ['a@-oProxyCommand=x:y', 'cannot be read'],
    ['git@host:-x', 'cannot be read'],
    ['ssh://a;b@host/x', 'cannot be read'],
    ['ssh://git@host:99999/x', 'cannot be read'],
    ['ssh://git@host', 'cannot be read'],
    ['', 'repoURL is empty'],
  ])('%s is refused', (url, reason) => {
    expect(() => parseRemote(url)).toThrow(reason);
  });

  test('whatever it is given, nothing that looks like an option or a command reaches a program', () => {
    const pieces = fc.constantFrom(
      'http://',
      'file:///',
      '%zz',
      '%ff',
      'ssh://',
      'git@',
      '-o',
      '-',
      'host',
      ':',
      '/',
      '@',
      ';',
      '$(x)',
      '`',
      "'",
      '[',
      ']',
      '22',
      '%',
      '..',
    );
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 8 }), (parts) => {
        const remote = read(parts.join(''));
        if (remote?.kind !== 'ssh') return;
        expect(remote.location).not.toMatch(/^-/);
        expect(remote.host).toMatch(/^[a-z0-9][a-z0-9._-]*$|^[0-9a-f:.]+$/);
        expect(remote.user).toMatch(/^[\w][\w.+~-]*$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('a refused URL does not print its password', () => {
    expect(() => parseRemote('ftp://joe:hunter2@host/x')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

/** Undefined: it is refused, as it should be, with a reason. */
function read(url: string): ReturnType<typeof parseRemote> | undefined {
  try {
    return parseRemote(url);
  } catch (error) {
    expect(error).toMatchObject({ code: 'InvalidSpec' });
    return undefined;
  }
}
