import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type IssuedCertificates, issueCertificates } from '../../../test/certificates.ts';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { type ProxyServer, proxyServer } from '../../../test/proxy-server.ts';
import { createSources, type GitRepository, type Sources, type SourcesConfig } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ours: IssuedCertificates;
let theirs: IssuedCertificates;
let server: GitHttpServer;
let strict: GitHttpServer;
let proxy: ProxyServer;
let sources: Sources;
let cacheDir: string;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  const repo = await gitRepository(join(folder.path, 'srv/repo'));
  await repo.commit({ 'a.yaml': 'a: 1\n' });
  const hosts = ['127.0.0.1', 'git.hidden.test', 'localhost'];
  [ours, theirs] = await Promise.all([issueCertificates(hosts), issueCertificates(hosts)]);
  const root = join(folder.path, 'srv');
  const tls = { cert: ours.server.certificate, key: ours.server.key };
  server = await gitHttpServer({ root, tls });
  strict = await gitHttpServer({ root, tls: { ...tls, clientAuthority: ours.authority } });
  proxy = await proxyServer();
});
beforeEach(() => open({}));
afterAll(async () => {
  await sources.close();
  await Promise.all([server.close(), strict.close(), proxy.close()]);
  await folder.remove();
});

async function open(certificates: Record<string, string>, more: Partial<SourcesConfig> = {}): Promise<void> {
  await sources?.close();
  run += 1;
  cacheDir = join(folder.path, `cache-${run}`);
  const trust = () => ({ certificates, knownHosts: '' });
  sources = createSources({ cacheDir, git: gitCommand(), reach: { loopback: true }, trust, ...more });
  proxy.asked.length = 0;
}

const at = (url: string): string => `${url}/repo/.git`;
const read = async (repository: GitRepository): Promise<string> => {
  const { commit: found } = await sources.resolveRevision(ctx, repository, 'main', { fresh: true });
  return (await sources.openTree(ctx, repository, found)).text('a.yaml');
};

describe('whom we believe over https', () => {
  test('an authority nobody told us of is refused, and the fix is named', async () => {
    await expect(read({ url: at(server.url) })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('argocd-tls-certs-cm'),
    });
  });

  test('the list of the machine that the environment names (TLS-1)', async () => {
    const file = join(folder.path, 'machine.pem');
    await writeFile(file, ours.authority);
    await open({}, { trust: () => ({ certificates: {}, knownHosts: '', machine: { file } }) });
    expect(await read({ url: at(server.url) })).toBe('a: 1\n');
    expect(await read({ url: at(server.url) })).toBe('a: 1\n');
  });
  test('the authority of the host, whatever its port (TLS-1)', async () => {
    await open({ '127.0.0.1': ours.authority });
    expect(await read({ url: at(server.url) })).toBe('a: 1\n');
  });

  test('several in one bundle, with words between them', async () => {
    await open({ '127.0.0.1': `old\n${theirs.authority}\nnew\n${ours.authority}` });
    expect(await read({ url: at(server.url) })).toBe('a: 1\n');
  });

  test('not the authority of another host, and not another authority (TLS-1)', async () => {
    for (const certificates of [
      { 'git.hidden.test': ours.authority },
      { '127.0.0.1': theirs.authority },
      { '127.0.0.1': 'no certificate at all' },
    ]) {
      await open(certificates);
      await expect(read({ url: at(server.url) })).rejects.toMatchObject({ code: 'Unavailable' });
    }
  });

  test('anybody, for the one repository that says so (TLS-3)', async () => {
    expect(await read({ url: at(server.url), insecure: true })).toBe('a: 1\n');
    await expect(read({ url: at(server.url) })).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

describe('who we are over https', () => {
  const credentials = () => ({
    tlsClientCertData: ours.client.certificate,
    tlsClientCertKey: ours.client.key,
  });

  test('a client certificate opens the door, and lies nowhere afterwards (TLS-2)', async () => {
    await open({ '127.0.0.1': ours.authority });
    expect(await read({ url: at(strict.url), credentials: credentials() })).toBe('a: 1\n');
    await expect(read({ url: at(strict.url) })).rejects.toThrow();
    expect(await readdir(join(cacheDir, 'git-home'))).toEqual([]);
  });

  test('one that cannot be used is an error, not a visit as nobody (DEV-5)', async () => {
    await open({ '127.0.0.1': ours.authority });
    const whole = credentials();
    const before = server.requests.length;
    for (const [bad, message] of [
      [{ tlsClientCertData: whole.tlsClientCertData }, 'belong together'],
      [{ tlsClientCertKey: whole.tlsClientCertKey }, 'belong together'],
      [{ ...whole, tlsClientCertKey: 'x' }, 'write both as PEM'],
      [{ ...whole, tlsClientCertKey: theirs.client.key }, 'not that of the certificate'],
    ] as const) {
      await expect(read({ url: at(server.url), credentials: bad })).rejects.toMatchObject({
        code: 'Auth',
        message: expect.stringContaining(message),
      });
    }
    expect(server.requests).toHaveLength(before);
  });
});

describe('through a proxy (PRX-1)', () => {
  const hidden = (): string => at(server.url.replace('127.0.0.1', 'git.hidden.test'));

  test.each(['http', 'socks5'])('%s, with its login', async (kind) => {
    await open({ 'git.hidden.test': ours.authority });
    const through = `${kind}://joe:pw@127.0.0.1:${proxy.port}`;
    expect(await read({ url: hidden(), proxy: through })).toBe('a: 1\n');
    expect(new Set(proxy.asked)).toEqual(new Set([`${kind} git.hidden.test joe:pw`]));
  });

  test('the proxy of the installation is for repositories that name none', async () => {
    const https = `http://127.0.0.1:${proxy.port}`;
    await open({ 'git.hidden.test': ours.authority }, { proxy: { https } });
    expect(await read({ url: hidden() })).toBe('a: 1\n');
    expect(proxy.asked.length).toBeGreaterThan(0);
    await open({ 'git.hidden.test': ours.authority }, { proxy: { https, noProxy: '.hidden.test' } });
    await expect(read({ url: hidden() })).rejects.toMatchObject({ code: 'Unavailable' }); // nobody else knows the name
    expect(proxy.asked).toEqual([]);
  });

  test('a repository with a proxy of its own minds only its own exceptions', async () => {
    await open({ 'git.hidden.test': ours.authority }, { proxy: { noProxy: '*' } });
    const own = `http://127.0.0.1:${proxy.port}`;
    expect(await read({ url: hidden(), proxy: own })).toBe('a: 1\n');
    await open({ 'git.hidden.test': ours.authority });
    await expect(read({ url: hidden(), proxy: own, noProxy: 'hidden.test' })).rejects.toThrow();
  });

  test('a proxy is no way to where we may not go', async () => {
    await open({}, { reach: { loopback: true } });
    const own = `http://127.0.0.1:${proxy.port}`;
    for (const repository of [
      { url: 'https://169.254.169.254/x', proxy: own },
      { url: 'https://git.hidden.test/x', proxy: 'http://169.254.169.254' },
    ]) {
      await expect(read(repository)).rejects.toMatchObject({ code: 'PermissionDenied' });
    }
    await expect(read({ url: hidden(), proxy: 'ftp://x' })).rejects.toMatchObject({ code: 'InvalidSpec' });
    expect(proxy.asked).toEqual([]);
  });
});
