import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSources, type Sources } from '#source';
import { type Ctx, realClock, silent } from '#std';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { temporaryFolder } from '../git-repository.ts';
import { gitCommand } from '../manifests.ts';

// Attack 26, as far as repositories go: hosts that are this machine, the link, or the cloud's metadata.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sources: Sources;
let server: GitHttpServer;

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await gitHttpServer({ root: folder.path });
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git: gitCommand() });
});
afterAll(async () => {
  await sources.close();
  await server.close();
  await folder.remove();
});

test.each([
  'http://127.0.0.1:PORT/repo',
  'http://localhost:PORT/repo',
  'http://127.1:PORT/repo',
  'http://2130706433:PORT/repo',
  'http://0x7f.1:PORT/repo',
  'http://0177.0.0.1:PORT/repo',
  'http://[::1]:PORT/repo',
  'http://[::ffff:127.0.0.1]:PORT/repo',
  'http://[::ffff:7f00:1]:PORT/repo',
  'http://0.0.0.0:PORT/repo',
  'http://[::]:PORT/repo',
  'http://169.254.169.254/latest/meta-data',
  'http://[::ffff:169.254.169.254]/latest',
  'http://[fe80::1]/repo',
  'http://[fd00:ec2::254]/latest',
  'http://[64:ff9b::a9fe:a9fe]/latest',
  'http://100.100.100.200/latest',
  'http://user:pass@169.254.169.254/latest',
  'http://224.0.0.1/repo',
  'ssh://git@127.0.0.1:PORT/repo',
  'ssh://git@localhost:PORT/repo',
  'ssh://git@[::1]:PORT/repo',
  'ssh://git@0.0.0.0/repo',
  'ssh://git@169.254.169.254/repo',
  'git@169.254.169.254:repo',
  'git@[::ffff:169.254.169.254]:repo',
  'git@127.0.0.1:repo',
])('%s is not reached', async (url) => {
  // a key, and a host that need not be known: nothing but its address keeps us from it
  const credentials = { sshPrivateKey: 'a key' };
  const repository = {
    url: url.replace('PORT', new URL(server.url).port),
    credentials,
    insecureIgnoreHostKey: true,
  };
  const resolving = sources.resolveRevision(ctx, repository, 'main');
  await expect(resolving).rejects.toMatchObject({ code: 'PermissionDenied' });
  await expect(sources.openTree(ctx, repository, 'a'.repeat(40))).rejects.toMatchObject({
    code: 'PermissionDenied',
  });
  expect(server.requests).toEqual([]);
});

test.each([
  'http://127.0.0.1:PORT',
  'socks5://localhost:PORT',
  'http://169.254.169.254',
  'https://[fd00:ec2::254]',
])('a proxy at %s is not used', async (address) => {
  const proxy = address.replace('PORT', new URL(server.url).port);
  const credentials = { sshPrivateKey: 'a key' };
  for (const url of ['https://192.0.2.1/repo', 'ssh://git@192.0.2.1/repo']) {
    const repository = { url, proxy, credentials, insecureIgnoreHostKey: true };
    await expect(sources.resolveRevision(ctx, repository, 'main')).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
  }
  expect(server.requests).toEqual([]);
});

test.each(['http://169.254.169.254/latest', 'http://127.0.0.1:PORT/repo'])(
  'no token is asked for at %s',
  async (address) => {
    const endpoint = address.replace('PORT', new URL(server.url).port);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const account = { client_email: 'a@example.com', private_key: key, token_uri: endpoint };
    for (const credentials of [
      { githubAppId: 1, githubAppPrivateKey: key, githubAppEnterpriseBaseUrl: endpoint },
      { gcpServiceAccountKey: JSON.stringify(account) },
      {
        azureServicePrincipalClientId: 'a',
        azureServicePrincipalClientSecret: 'b',
        azureServicePrincipalTenantId: 'c',
        azureActiveDirectoryEndpoint: endpoint,
      },
    ]) {
      const repository = { url: 'https://192.0.2.1/org/repo', credentials };
      await expect(sources.resolveRevision(ctx, repository, 'main')).rejects.toMatchObject({
        code: 'PermissionDenied',
      });
    }
    expect(server.requests).toEqual([]);
  },
);

test.each([
  '127.0.0.1:PORT',
  'localhost:PORT',
  '2130706433:PORT',
  '[::1]:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '0.0.0.0:PORT',
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[64:ff9b::a9fe:a9fe]',
])('neither charts, nor artifacts, nor value files are got from %s', async (host) => {
  const place = host.replace('PORT', new URL(server.url).port);
  const denied = { code: 'PermissionDenied' };
  for (const repository of [
    { url: `http://${place}/charts`, chart: 'web' },
    { url: `oci://${place}/web`, insecureOciForceHttp: true },
    { url: `${place}/charts`, chart: 'web', enableOci: true, insecureOciForceHttp: true },
  ]) {
    await expect(sources.resolveRevision(ctx, repository, '^1'), repository.url).rejects.toMatchObject(
      denied,
    );
  }
  await expect(sources.readUrl(ctx, `http://${place}/values.yaml`)).rejects.toMatchObject(denied);
  expect(server.requests).toEqual([]);
});

test('a name that answers differently the second time gains nothing: git is given the address that was checked', async () => {
  const notes = join(folder.path, 'notes');
  const program = join(folder.path, 'noting-git');
  const { command } = gitCommand();
  const script = `#!/bin/sh
env | grep GIT_CONFIG_VALUE >> ${notes}
exec ${command} "$@"
`;
  await writeFile(program, script, { mode: 0o755 });
  const reach = { loopback: true };
  const open = createSources({ cacheDir: join(folder.path, 'noted'), git: { command: program }, reach });
  const { port } = new URL(server.url);
  const asking = open.resolveRevision(ctx, { url: `http://localhost:${port}/repo` }, 'main');
  await expect(asking).rejects.toMatchObject({ code: 'NotFound' });
  expect(await readFile(notes, 'utf8')).toMatch(new RegExp(`=localhost:${port}:(127\\.0\\.0\\.1|\\[::1\\])`));
  await open.close();
});
