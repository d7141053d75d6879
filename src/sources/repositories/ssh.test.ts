import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { type GitSshServer, gitSshServer, type KeyPair, sshKeys } from '../../../test/git-ssh-server.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { type ProxyServer, proxyServer } from '../../../test/proxy-server.ts';
import { createSources, type Sources, type SourcesConfig } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let commit: string;
let key: KeyPair;
let server: GitSshServer;
let proxy: ProxyServer;
let sources: Sources;
let run = 0;
let cacheDir: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/org/repo'));
  commit = await repo.commit({ 'a.yaml': 'a: 1\n' });
  key = sshKeys();
  server = await gitSshServer(join(folder.path, 'srv'), key);
  proxy = await proxyServer();
});
beforeEach(async () => {
  await open({});
  server.commands.length = 0;
  proxy.asked.length = 0;
});
afterAll(async () => {
  await sources.close();
  await server.close();
  await proxy.close();
  await folder.remove();
});

/** The folder's name has a blank and a percent sign in it: it must survive a shell and ssh's own reading. */
async function open(config: Partial<SourcesConfig>): Promise<void> {
  await sources?.close();
  run += 1;
  cacheDir = join(folder.path, `ca che %h 'x' ${run}`);
  sources = createSources({
    cacheDir,
    git: gitCommand(),
    reach: { loopback: true },
    trust: () => ({ certificates: {}, knownHosts: `# ours\n${server.knownAs('127.0.0.1')}\n` }),
    ...config,
  });
}

const url = (host = '127.0.0.1'): string => `ssh://git@${host}:${server.port}/org/repo`;
const repository = () => ({ url: url(), credentials: { sshPrivateKey: key.private } });

describe('a repository over ssh', () => {
  test('is listed and fetched with its key, as the user of its URL (CRED-9)', async () => {
    expect(await sources.resolveRevision(ctx, repository(), 'main')).toMatchObject({ commit });
    const tree = await sources.openTree(ctx, repository(), commit);
    expect(await tree.text('a.yaml')).toBe('a: 1\n');
    expect(server.commands[0]).toBe("git: git-upload-pack '/org/repo'");
    const other = { ...repository(), url: url().replace('git@', 'build@') };
    await sources.resolveRevision(ctx, other, 'main');
    expect(server.commands.at(-1)).toMatch(/^build: /);
  });

  test('leaves no key behind, also when it fails', async () => {
    await sources.resolveRevision(ctx, repository(), 'main');
    await expect(
      sources.resolveRevision(ctx, { url: url(), credentials: { sshPrivateKey: 'no key' } }, 'main'),
    ).rejects.toThrow();
    expect(await readdir(join(cacheDir, 'git-home'))).toEqual([]);
  });

  test('clears away what a killed process left', async () => {
    const left = join(cacheDir, 'git-home/private-x');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'key'), 'secret');
    await sources.resolveRevision(ctx, repository(), 'main');
    await expect(access(left)).rejects.toThrow();
  });

  test('a key that lost its last line break, or came with those of Windows, is still the key', async () => {
    const worn = key.private.trim().replaceAll('\n', '\r\n');
    const asked = sources.resolveRevision(ctx, { url: url(), credentials: { sshPrivateKey: worn } }, 'main');
    await expect(asked).resolves.toMatchObject({ commit });
  });

  test('neither the agent nor the keys of the user are tried', async () => {
    const other = { url: url(), credentials: { sshPrivateKey: sshKeys().private } };
    await expect(sources.resolveRevision(ctx, other, 'main')).rejects.toMatchObject({
      code: 'Auth',
      message: `repository ssh://127.0.0.1:${server.port}/org/repo refused our ssh key: add its public half there, or correct sshPrivateKey in its Secret`,
    });
  });

  test.each([
    [undefined, 'has no key: put sshPrivateKey into its Secret'],
    [
      '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
      'is no private key that ssh',
    ],
  ])('without a usable key it says so: %#', async (sshPrivateKey, message) => {
    const credentials = sshPrivateKey === undefined ? {} : { sshPrivateKey };
    await expect(sources.resolveRevision(ctx, { url: url(), credentials }, 'main')).rejects.toMatchObject({
      code: 'Auth',
      message: expect.stringContaining(message),
    });
  });

  test('a key with a passphrase is refused by that name (CRED-9)', async () => {
    const credentials = { sshPrivateKey: sshKeys('open sesame').private };
    await expect(sources.resolveRevision(ctx, { url: url(), credentials }, 'main')).rejects.toMatchObject({
      code: 'Auth',
      message: expect.stringContaining('has a passphrase'),
    });
  });

  test('a repository that is not there', async () => {
    const missing = { ...repository(), url: url().replace('org/repo', 'org/nope') };
    await expect(sources.resolveRevision(ctx, missing, 'main')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('a machine without ssh is told what to install', async () => {
    const bin = join(folder.path, `bin-${run}`);
    await mkdir(bin);
    const script = `#!/bin/sh\nPATH=${bin} GIT_EXEC_PATH="$(${gitCommand().command} --exec-path)" exec ${gitCommand().command} "$@"\n`;
    await writeFile(join(bin, 'git'), script, { mode: 0o755 });
    await open({ git: { command: join(bin, 'git') } });
    await expect(sources.resolveRevision(ctx, repository(), 'main')).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('install openssh-client'),
    });
  });
});

describe('the host must be the one we know', () => {
  test('an unknown host is refused before anything is said to it (SSH-1)', async () => {
    await open({ trust: () => ({ certificates: {}, knownHosts: server.knownAs('elsewhere') }) });
    await expect(sources.resolveRevision(ctx, repository(), 'main')).rejects.toMatchObject({
      code: 'Auth',
      message: expect.stringContaining(
        `is not known: check the output of "ssh-keyscan -p ${server.port} 127.0.0.1" with its owner and add it to ssh_known_hosts`,
      ),
    });
  });

  test('a host with another key is refused', async () => {
    const impostor = `[127.0.0.1]:${server.port} ${sshKeys().public}`;
    await open({ trust: () => ({ certificates: {}, knownHosts: impostor }) });
    await expect(sources.resolveRevision(ctx, repository(), 'main')).rejects.toMatchObject({
      code: 'Auth',
      message: expect.stringContaining('showed another key than the known one'),
    });
    expect(server.commands).toEqual([]);
  });

  test('unless the repository says that it does not matter', async () => {
    await open({ trust: () => ({ certificates: {}, knownHosts: '' }) });
    for (const flag of [{ insecure: true }, { insecureIgnoreHostKey: true }]) {
      const asked = sources.resolveRevision(ctx, { ...repository(), ...flag }, 'main', { fresh: true });
      await expect(asked).resolves.toMatchObject({ commit });
    }
  });

  test('what is believed is asked anew each time', async () => {
    let knownHosts = '';
    await open({ trust: () => ({ certificates: {}, knownHosts }) });
    await expect(sources.resolveRevision(ctx, repository(), 'main')).rejects.toMatchObject({ code: 'Auth' });
    knownHosts = server.knownAs('127.0.0.1');
    await expect(sources.resolveRevision(ctx, repository(), 'main')).resolves.toMatchObject({ commit });
  });
});

describe('through a proxy (PRX-1)', () => {
  const hidden = () => ({ ...repository(), url: url('git.hidden.test') });
  const trust = () => ({ certificates: {}, knownHosts: server.knownAs('git.hidden.test') });

  test.each(['socks5://joe:pw@127.0.0.1', 'http://joe:pw@127.0.0.1'])('%s', async (address) => {
    await open({ trust });
    const through = { ...hidden(), proxy: `${address}:${proxy.port}` };
    expect(await sources.resolveRevision(ctx, through, 'main')).toMatchObject({ commit });
    expect((await sources.openTree(ctx, through, commit)).has('a.yaml')).toBe(true);
    expect(new Set(proxy.asked)).toEqual(new Set([`${address.split(':')[0]} git.hidden.test joe:pw`]));
  });

  test('a proxy that does not answer is named', async () => {
    await open({ trust });
    const dead = await proxyServer();
    await dead.close();
    const through = { ...hidden(), proxy: `socks5://127.0.0.1:${dead.port}` };
    await expect(sources.resolveRevision(ctx, through, 'main')).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('what lies behind one must still be a permitted place, and the proxy itself too', async () => {
    await open({ trust: () => ({ certificates: {}, knownHosts: '169.254.169.254 ssh-ed25519 AAAA' }) });
    const metadata = { ...repository(), url: 'ssh://git@169.254.169.254/x' };
    const through = { ...metadata, proxy: `socks5://127.0.0.1:${proxy.port}` };
    await expect(sources.resolveRevision(ctx, through, 'main')).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
    expect(proxy.asked).toEqual([]);
  });
});

test('the ssh settings let nothing of the user or the machine in', async () => {
  const bin = join(folder.path, 'spy-bin');
  await mkdir(bin);
  const log = join(folder.path, 'ssh-calls');
  // an ssh that shows what it was given and goes away
  await writeFile(
    join(bin, 'ssh'),
    `#!/bin/sh\n{ echo "$@"; cat "$2"; ls -l "$(dirname "$2")"; env; } > ${log}\nexit 255\n`,
    { mode: 0o755 },
  );
  const script = `#!/bin/sh\nPATH=${bin}:$PATH exec ${gitCommand().command} "$@"\n`;
  await writeFile(join(bin, 'git'), script, { mode: 0o755 });
  await open({ git: { command: join(bin, 'git') } });
  await expect(sources.resolveRevision(ctx, repository(), 'main')).rejects.toThrow();
  const seen = await readFile(log, 'utf8');
  for (const setting of [
    'BatchMode yes',
    'IdentitiesOnly yes',
    'IdentityAgent none',
    'StrictHostKeyChecking yes',
    'GlobalKnownHostsFile /dev/null',
    `HostKeyAlias [127.0.0.1]:${server.port}`,
    'HostKeyAlgorithms ssh-ed25519\n',
    'KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,ecdh-sha2-nistp521,diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256,diffie-hellman-group14-sha1\n',
  ]) {
    expect(seen).toContain(setting);
  }
  expect(seen).toMatch(/^-rw------- .* key$/m);
  expect(seen).not.toContain('SSH_AUTH_SOCK');
  expect(seen).not.toContain(key.private.split('\n')[2]);
});
