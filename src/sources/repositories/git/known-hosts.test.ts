import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hostKeyAlgorithms } from './known-hosts.ts';

// the hashed name was made by `ssh-keygen -H` of OpenSSH 9.2 from `example.com`
const file = `# a comment
github.com,gh ssh-rsa AAAA
github.com ecdsa-sha2-nistp256 AAAA
github.com ssh-ed25519 AAAA
[git.example.com]:2222 ecdsa-sha2-nistp256 AAAA
*.corp,!old.corp ssh-ed25519 AAAA
@cert-authority *.signed ssh-ed25519 AAAA
@revoked bad.host ssh-ed25519 AAAA
|1|ZUtz4ZGgHpgqbzB6IpwRyFNhIzI=|pFnRZGivmueOdKu+iKwC0EmJ4RE= ssh-ed25519 AAAA
half
`;

test('the hosts that come with the program are known', () => {
  const shipped = readFileSync(new URL('../../../../deploy/ssh-known-hosts', import.meta.url), 'utf8');
  for (const host of [
    'github.com',
    'gitlab.com',
    'bitbucket.org',
    'ssh.dev.azure.com',
    'vs-ssh.visualstudio.com',
  ]) {
    expect(hostKeyAlgorithms(shipped, host, 22)).not.toEqual([]);
  }
});

describe('how a host may prove itself, from the keys we know of it (CRED-9, SSH-1)', () => {
  test.each([
    ['github.com', 22, ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256']],
    ['gh', 22, ['rsa-sha2-512', 'rsa-sha2-256']],
    ['github.com', 2222, []],
    ['git.example.com', 2222, ['ecdsa-sha2-nistp256']],
    ['git.example.com', 22, []],
    ['a.corp', 22, ['ssh-ed25519']],
    ['old.corp', 22, []],
    ['x.signed', 22, ['ssh-ed25519-cert-v01@openssh.com']],
    ['bad.host', 22, []],
    ['example.com', 22, ['ssh-ed25519']],
    ['example.org', 22, []],
    ['half', 22, []],
  ])('%s port %i', (host, port, algorithms) => {
    expect(hostKeyAlgorithms(file, host, port)).toEqual(algorithms);
  });
});
