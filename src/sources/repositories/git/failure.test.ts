import { describe, expect, test } from 'vitest';
import { gitFailure, isDamage, isUnadvertised } from './failure.ts';

const shown = 'https://host/repo';

describe('what git says becomes what a user can act on', () => {
  test.each([
    ["fatal: could not read Username for 'https://host': terminal prompts disabled", 'Auth'],
    ["fatal: Authentication failed for 'https://host/repo/'", 'Auth'],
    ["fatal: unable to access 'https://host/repo/': The requested URL returned error: 403", 'Auth'],
    ["fatal: repository 'https://host/repo/' not found", 'NotFound'],
    ["fatal: '/srv/x' does not appear to be a git repository", 'NotFound'],
    ["fatal: unable to access 'https://host/': The requested URL returned error: 302", 'InvalidSpec'],
    ['fatal: mismatched algorithms: client sha1; server sha256', 'InvalidSpec'],
    ["fatal: detected dubious ownership in repository at '/srv/x'", 'PermissionDenied'],
    ["fatal: unable to access 'https://host/': Could not resolve host: host", 'Unavailable'],
    ["fatal: unable to access 'https://host/': The requested URL returned error: 503", 'Unavailable'],
    [
      "fatal: unable to access 'https://host/': SSL certificate problem: self-signed certificate",
      'Unavailable',
    ],
    ['', 'Unavailable'],
  ])('%s', (stderr, code) => {
    const error = gitFailure(shown, stderr);
    expect(error).toMatchObject({ code, message: expect.stringContaining(shown) });
  });

  test('paths and URLs of this machine are not repeated', () => {
    const said =
      "error: unable to open /var/cache/secret/x: Permission denied\nfatal: 'https://joe:pw@host/x' failed";
    expect(gitFailure(shown, said).message).toBe(
      'repository https://host/repo cannot be read: unable to open its folder: Permission denied',
    );
  });

  test('a failure has the same text however long it took', () => {
    const said = (ms: number): string =>
      `fatal: unable to access 'https://host/': Failed to connect to host port 443 after ${ms} ms: Couldn't connect to server`;
    expect(gitFailure(shown, said(7)).message).toBe(gitFailure(shown, said(0)).message);
    const timeout = (ms: number): string =>
      `fatal: unable to access 'https://host/': Connection timed out after ${ms} milliseconds`;
    expect(gitFailure(shown, timeout(15_001)).message).toBe(gitFailure(shown, timeout(15_002)).message);
  });

  test('a rate is no path', () => {
    const said = 'error: RPC failed; curl 28 Operation too slow. Less than 1 bytes/sec transferred';
    expect(gitFailure(shown, said).message).toContain('Less than 1 bytes/sec transferred');
  });

  test('damage is ours only when the other side does not complain of its own', () => {
    expect(isDamage("fatal: Unable to create '/m/refs/kept/x.lock': File exists.")).toBe(true);
    expect(isDamage('fatal: bad object abc')).toBe(true);
    expect(isDamage('remote: fatal: bad object abc\nfatal: protocol error')).toBe(false);
    // a connection that broke off is no reason to throw a good mirror away
    expect(isDamage('error: RPC failed; curl 56\nfatal: early EOF\nfatal: index-pack failed')).toBe(false);
    expect(isUnadvertised('fatal: remote error: upload-pack: not our ref 0123')).toBe(true);
  });
});
