import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import type { Sources } from '#sources/repositories';
import { readConfig, readRoleConfig } from '../../src/main/config.ts';
import { openSources } from '../../src/main/open-sources.ts';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { gitRepository, temporaryFolder } from '../git-repository.ts';
import { gitCommand } from '../manifests.ts';

// Attack 26, as far as repositories go: hosts that are this machine, the link, or the cloud's metadata.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sources: Sources;
let server: GitHttpServer;

/** The sources of `fairlead up --kubeconfig`, built by the program's own function from the program's own configuration. */
function onRealCluster(name: string, flags: Record<string, string> = {}): Sources {
  const config = readConfig({ kubeconfig: '/nowhere', dataDir: join(folder.path, name), ...flags }, env);
  const opened = openSources(config, gitCommand());
  open.push(opened);
  return opened;
}

const env = { HOME: '/nowhere', PATH: process.env.PATH ?? '' };
const open: Sources[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await gitHttpServer({ root: folder.path });
  sources = onRealCluster('data');
});
afterAll(async () => {
  for (const one of open) await one.close();
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
  'http://168.63.129.16/machine',
  'http://192.0.0.192/opc/v2',
  'http://[fd00:ec2::23]/latest',
  'http://[fd20:ce::254]/computeMetadata',
  'http://[2002:7f00:1::]:PORT/repo',
  'http://[2002:a9fe:a9fe::1]/latest',
  'http://[64:ff9b::7f00:1]:PORT/repo',
  'http://[64:ff9b:1::7f00:1]:PORT/repo',
  'http://[::127.0.0.1]:PORT/repo',
  'http://[::169.254.169.254]/latest',
  'http://[2001:0:7f00:1::]/repo',
  'http://0.1.2.3:PORT/repo',
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
  'ssh://git@[::1%lo]:PORT/repo',
  'ssh://git@[fe80::1%eth0]/repo',
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

test('through a proxy of the installation no forbidden address is reached', async () => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const flags = {
    kubeconfig: '/nowhere',
    dataDir: join(folder.path, 'proxied'),
    allowHosts: `127.0.0.1:${port}`,
  };
  const proxied = openSources(
    readConfig(flags, { ...env, HTTP_PROXY: address, HTTPS_PROXY: address }),
    gitCommand(),
  );
  open.push(proxied);
  const denied = { code: 'PermissionDenied' };
  await expect(proxied.readUrl(ctx, 'http://169.254.169.254/latest')).rejects.toMatchObject(denied);
  await expect(
    proxied.resolveRevision(ctx, { url: 'https://169.254.169.254/repo' }, 'main'),
  ).rejects.toMatchObject(denied);
  expect(connections).toBe(0);
  await expect(proxied.readUrl(ctx, 'http://192.0.2.1/x')).rejects.toMatchObject({ code: 'Unavailable' });
  expect(connections).toBe(1);
  const unlisted = openSources(
    readConfig({ ...flags, allowHosts: '' }, { ...env, HTTP_PROXY: address }),
    gitCommand(),
  );
  open.push(unlisted);
  await expect(unlisted.readUrl(ctx, 'http://192.0.2.1/x')).rejects.toMatchObject(denied);
  expect(connections).toBe(1);
  await new Promise((resolve) => proxy.close(resolve));
});

test('a request without git goes to the address that was checked, whatever the machine would find', async () => {
  // RFC 6761 makes this loopback; most machines' own resolvers do not know it
  const its = onRealCluster('pinned', { allowHosts: 'pinned.localhost' });
  const { port } = new URL(server.url);
  await expect(its.readUrl(ctx, `http://pinned.localhost:${port}/none`)).rejects.toMatchObject({
    code: 'NotFound',
  });
  expect(server.requests).toHaveLength(1);
  server.requests.length = 0;
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
  const config = readConfig(
    { kubeconfig: '/nowhere', dataDir: join(folder.path, 'noted'), allowHosts: 'localhost' },
    env,
  );
  const noted = openSources(config, { command: program });
  open.push(noted);
  const { port } = new URL(server.url);
  const asking = noted.resolveRevision(ctx, { url: `http://localhost:${port}/repo` }, 'main');
  await expect(asking).rejects.toMatchObject({ code: 'NotFound' });
  expect(await readFile(notes, 'utf8')).toMatch(new RegExp(`=localhost:${port}:(127\\.0\\.0\\.1|\\[::1\\])`));
  server.requests.length = 0;
});

describe('a host that an operator listed', () => {
  let near: GitHttpServer;
  let listed: Sources;
  let commit: string;
  let withSubmodule: string;
  let large: string;
  const pointer = (content: string): string =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;

  beforeAll(async () => {
    const root = join(folder.path, 'repositories');
    const repo = await gitRepository(join(root, 'repo'));
    commit = await repo.commit({ a: '1' });
    large = await repo.commit({ '.gitattributes': '* filter=lfs\n', big: pointer('large') });
    await repo.commit({ '.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ${server.url}/repo\n` });
    await repo.git('update-index', '--add', '--cacheinfo', `160000,${commit},s`);
    await repo.git('commit', '--quiet', '-m', 'a submodule');
    withSubmodule = await repo.git('rev-parse', 'HEAD');
    near = await gitHttpServer({ root, first: (request, response) => leads(request.url ?? '', response) });
    listed = onRealCluster('listed', { allowHosts: new URL(near.url).host });
  });
  afterAll(() => near.close());
  beforeEach(() => {
    server.requests.length = 0;
  });

  /** Every way in which a server can send us on to another. */
  function leads(path: string, response: ServerResponse): boolean {
    const away = `${server.url}/secret`;
    const answer = (status: number, headers: Record<string, string>, body = ''): boolean =>
      Boolean(response.writeHead(status, headers).end(body));
    if (path.startsWith('/moved')) return answer(302, { location: away });
    if (path.startsWith('/charts'))
      return answer(200, {}, `entries:\n  web:\n  - version: 1.0.0\n    urls: ["${away}.tgz"]\n`);
    if (path.startsWith('/v2/token'))
      return answer(401, { 'www-authenticate': `Bearer realm="${away}",service="x"` });
    if (path.startsWith('/v2/blob/blobs')) return answer(307, { location: away });
    if (path.startsWith('/v2/blob')) return answer(200, { 'content-type': manifestType }, manifest);
    if (!path.includes('/info/lfs')) return false;
    const oid = createHash('sha256').update('large').digest('hex');
    const objects = [{ oid, size: 5, actions: { download: { href: away } } }];
    return answer(200, { 'content-type': 'application/vnd.git-lfs+json' }, JSON.stringify({ objects }));
  }
  const manifestType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    layers: [
      {
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        digest: `sha256:${'a'.repeat(64)}`,
        size: 5,
      },
    ],
  });

  test('is reached', async () => {
    const found = await listed.resolveRevision(ctx, { url: `${near.url}/repo` }, commit);
    expect(await (await listed.openTree(ctx, { url: `${near.url}/repo` }, found.commit)).text('a')).toBe('1');
  });

  test('is reached by the name that was listed and no other', async () => {
    const { port } = new URL(near.url);
    for (const host of [`localhost:${port}`, `[::1]:${port}`, new URL(server.url).host]) {
      await expect(
        listed.resolveRevision(ctx, { url: `http://${host}/repo` }, 'main'),
        host,
      ).rejects.toMatchObject({ code: 'PermissionDenied' });
    }
  });

  const chart = (name: string) => ({ url: `${near.url}/${name}`, chart: 'web' });
  const artifact = (name: string) => ({
    url: `oci://${new URL(near.url).host}/${name}`,
    insecureOciForceHttp: true,
  });
  test.each<[what: string, ask: () => Promise<unknown>]>([
    ['a value file', () => listed.readUrl(ctx, `${near.url}/moved/values.yaml`)],
    ['the index of a chart repository', () => listed.resolveRevision(ctx, chart('moved'), '^1')],
    ['a chart', () => listed.openTree(ctx, chart('charts'), '1.0.0')],
    ['the tokens of a registry', () => listed.resolveRevision(ctx, artifact('token'), '1.0.0')],
    [
      'a layer of an artifact',
      async () => {
        const { commit: digest } = await listed.resolveRevision(ctx, artifact('blob'), '1.0.0');
        return listed.openTree(ctx, artifact('blob'), digest);
      },
    ],
    ['a submodule', () => listed.openTree(ctx, { url: `${near.url}/repo` }, withSubmodule)],
    [
      'a large file',
      async () =>
        (await listed.openTree(ctx, { url: `${near.url}/repo`, enableLfs: true }, large)).text('big'),
    ],
  ])('cannot send us for %s to a place that was not', async (_what, ask) => {
    await expect(ask()).rejects.toMatchObject({ code: 'PermissionDenied' });
    expect(server.requests).toEqual([]);
  });

  test('cannot send us on with a redirect of git', async () => {
    const redirecting = await gitHttpServer({ root: folder.path, redirectTo: server.url });
    const own = onRealCluster('redirecting', { allowHosts: new URL(redirecting.url).host });
    await expect(own.resolveRevision(ctx, { url: `${redirecting.url}/repo` }, 'main')).rejects.toThrow(
      'redirect, which is not followed',
    );
    expect(server.requests).toEqual([]);
    await redirecting.close();
  });
});

test.each(['controller', 'server'] as const)('`fairlead %s` reaches no loopback address', async (role) => {
  const config = readRoleConfig(role, { kubeconfig: '/nowhere', dataDir: join(folder.path, role) }, env);
  const its = openSources(config, gitCommand());
  open.push(its);
  await expect(its.readUrl(ctx, `${server.url}/values.yaml`)).rejects.toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining('--allow-hosts'),
  });
});
