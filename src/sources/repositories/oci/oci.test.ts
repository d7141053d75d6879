import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type IssuedCertificates, issueCertificates } from '../../../../test/certificates.ts';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { gitCommand } from '../../../../test/manifests.ts';
import { type OciRegistry, ociRegistry } from '../../../../test/oci-registry.ts';
import { tarOf, tgzOf } from '../../../../test/tar.ts';
import {
  type ArchiveRules,
  createSources,
  type SourceRepository,
  type Sources,
  type SourcesConfig,
} from '../index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const tar = 'application/vnd.oci.image.layer.v1.tar';
const targz = `${tar}+gzip`;
const helmConfig = 'application/vnd.cncf.helm.config.v1+json';
const helmContent = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const login = 'joe:hunter2-secret';
const credentials = { username: 'joe', password: 'hunter2-secret' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let registry: OciRegistry;
let sources: Sources;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  registry = await ociRegistry({ page: 2 });
});
beforeEach(() => open());
afterAll(async () => {
  await sources.close();
  await registry.close();
  await folder.remove();
});

async function open(more: Partial<SourcesConfig> = {}): Promise<void> {
  await sources?.close();
  run += 1;
  const cacheDir = join(folder.path, `cache-${run}`);
  sources = createSources({ cacheDir, git: gitCommand(), reach: { loopback: true }, ...more });
  registry.requests.length = 0;
}

const at = (name: string, more: Partial<SourceRepository> = {}): SourceRepository => ({
  url: `oci://${registry.host}/${name}`,
  insecureOciForceHttp: true,
  ...more,
});
const files = (text = 'a: 1\n'): Buffer =>
  tgzOf([
    { name: './x/a.yaml', content: text },
    { name: 'b', content: 'b' },
  ]);
const put = (name: string, tag: string, layer = { mediaType: targz, bytes: files() }): string =>
  registry.put(name, tag, { layers: [layer] });
const read = async (repository: SourceRepository, revision: string): Promise<string> => {
  const { commit } = await sources.resolveRevision(ctx, repository, revision, { fresh: true });
  return (await sources.openTree(ctx, repository, commit)).text('x/a.yaml');
};

describe('an artifact', () => {
  test('is named by tag, digest or range, and its revision is the digest (OCI-1)', async () => {
    const one = put('apps/one', '1.0.0');
    const two = put('apps/one', '1.2.0', { mediaType: targz, bytes: files('a: 2\n') });
    put('apps/one', '2.0.0');
    put('apps/one', 'latest', { mediaType: targz, bytes: files('a: 3\n') });
    const repository = at('apps/one');
    expect(await sources.resolveRevision(ctx, repository, '1.0.0')).toMatchObject({ commit: one });
    expect(await sources.resolveRevision(ctx, repository, one)).toEqual({ commit: one, warnings: [] });
    expect(await sources.resolveRevision(ctx, repository, '^1.0')).toMatchObject({
      commit: two,
      why: '1.2.0 is the newest of 2 versions within ^1.0',
    });
    expect(await read(repository, '^1.0')).toBe('a: 2\n');
    expect(await read(repository, one)).toBe('a: 1\n');
    expect(await read(repository, '')).toBe('a: 3\n');
    await expect(read(repository, '^7')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(read(repository, 'no-such')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('whose version has a + is found under its tag with _ (DEV-9)', async () => {
    const digest = put('apps/plus', '1.0.0_build.1');
    for (const revision of ['1.0.0+build.1', '^1.0']) {
      expect(await sources.resolveRevision(ctx, at('apps/plus'), revision)).toMatchObject({ commit: digest });
    }
  });

  test('may be an uncompressed archive, and brings provenance that is not content (OCI-2)', async () => {
    registry.put('apps/plain', '1.0.0', {
      layers: [
        { mediaType: 'application/vnd.example.provenance', bytes: Buffer.from('signed') },
        { mediaType: tar, bytes: tarOf([{ name: 'x/a.yaml', content: 'plain' }]) },
      ],
    });
    expect(await read(at('apps/plain'), '1.0.0')).toBe('plain');
  });

  test('that is a chart is unwrapped (OCI-4)', async () => {
    const chart = (...names: string[]): Buffer => tgzOf(names.map((name) => ({ name, content: 'name: c' })));
    const layers = (bytes: Buffer) => ({
      configType: helmConfig,
      layers: [{ mediaType: helmContent, bytes }],
    });
    registry.put('charts/c', '1.0.0', layers(chart('c/Chart.yaml', 'c/x/a.yaml')));
    registry.put('charts/c', '2.0.0', layers(chart('c/Chart.yaml', 'd/Chart.yaml')));
    expect(await read(at('charts/c'), '1.0.0')).toBe('name: c');
    await expect(read(at('charts/c'), '2.0.0')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('expected 1 directory, found 2'),
    });
  });

  test.each([
    [11, targz, 'expected no more than 10 oci layers, got 11'],
    [2, targz, 'expected only a single oci content layer, got 2'],
    [1, 'application/json', 'expected only a single oci content layer, got 0'],
    [
      1,
      'application/x-tar',
      'oci layer media type application/x-tar is not in the list of allowed media types',
    ],
  ])('%i layers of %s are refused (OCI-2, OCI-3)', async (count, mediaType, message) => {
    const layers = Array.from({ length: count }, () => ({ mediaType, bytes: files() }));
    registry.put('apps/odd', `${count}.0.0`, { layers });
    await expect(read(at('apps/odd'), `${count}.0.0`)).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining(message),
    });
  });

  test('which media types and how much of them is for the installation to say, at any moment (OCI-3, OCI-5)', async () => {
    let rules: ArchiveRules = { mediaTypes: ['application/x-tar'] };
    await open({ rules: () => rules });
    put('apps/ruled', '1.0.0', { mediaType: 'application/x-tar', bytes: files() });
    expect(await read(at('apps/ruled'), '1.0.0')).toBe('a: 1\n');
    rules = { mediaTypes: [targz] };
    const refused = { code: 'InvalidSpec', message: expect.stringContaining('allowed media types') };
    await expect(read(at('apps/ruled'), '1.0.0')).rejects.toMatchObject(refused);
    put('apps/ruled', '2.0.0', { mediaType: targz, bytes: files('a: 2\n') });
    rules = { artifactBytes: 3 };
    await expect(read(at('apps/ruled'), '2.0.0')).rejects.toMatchObject({ code: 'LimitExceeded' });
    rules = { artifactBytes: 0 };
    expect(await read(at('apps/ruled'), '2.0.0')).toBe('a: 2\n');
  });

  test('an index of several images is told from a missing tag (OCI-7)', async () => {
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    registry.put('apps/index', '1.0.0', { layers: [], manifest: { mediaType, manifests: [] } });
    await expect(read(at('apps/index'), '1.0.0')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('an index of several images'),
    });
  });

  test('tells about itself by its annotations (OCI-6)', async () => {
    const annotations = {
      'org.opencontainers.image.created': '2026-01-02T03:04:05Z',
      'org.opencontainers.image.authors': 'Ann',
      'org.opencontainers.image.documentation': 'https://example.com/docs',
      'org.opencontainers.image.source': 'https://example.com/src',
      'org.opencontainers.image.version': '1.0.0',
      'org.opencontainers.image.description': 'words',
    };
    const digest = registry.put('apps/told', '1.0.0', {
      layers: [{ mediaType: targz, bytes: files() }],
      annotations,
    });
    expect(await sources.describe(ctx, at('apps/told'), digest)).toEqual({
      kind: 'artifact',
      createdAt: '2026-01-02T03:04:05Z',
      authors: 'Ann',
      docsUrl: 'https://example.com/docs',
      sourceUrl: 'https://example.com/src',
      version: '1.0.0',
      description: 'words',
    });
  });

  test('is pulled once, and a hard refresh pulls it again (CCH-1)', async () => {
    const digest = put('apps/once', '1.0.0', { mediaType: targz, bytes: files('once') });
    const repository = at('apps/once');
    const pulls = (): number => registry.requests.filter((line) => line.includes('/blobs/')).length;
    await Promise.all([1, 2, 3].map(() => sources.openTree(ctx, repository, digest)));
    expect(pulls()).toBe(1);
    await sources.openTree(ctx, repository, digest, { fresh: true });
    expect(pulls()).toBe(2);
  });
});

describe('a registry that cannot be trusted', () => {
  test('sends other bytes than the digest says', async () => {
    put('apps/bad', '1.0.0', { mediaType: targz, bytes: files('good') });
    const { commit } = await sources.resolveRevision(ctx, at('apps/bad'), '1.0.0');
    const layer = /blobs\/(sha256:\S+)/;
    await sources.openTree(ctx, at('apps/bad'), commit);
    const digest = layer.exec(registry.requests.find((line) => layer.test(line)) ?? '')?.[1] ?? '';
    registry.corrupt(digest);
    await expect(sources.openTree(ctx, at('apps/bad'), commit, { fresh: true })).rejects.toMatchObject({
      code: 'PolicyFailed',
    });
  });

  test.each([
    ['traversal', tgzOf([{ name: '../evil', content: 'x' }]), 'InvalidSpec'],
    ['an absolute path', tgzOf([{ name: '/etc/passwd', content: 'x' }]), 'InvalidSpec'],
    ['a device', tgzOf([{ name: 'dev', type: '3' }]), 'InvalidSpec'],
    ['a link out of it', tgzOf([{ name: 'l', type: '2', link: '../../etc/passwd' }]), 'InvalidSpec'],
    [
      'a file through a link',
      tgzOf([
        { name: 'l', type: '2', link: 'x' },
        { name: 'l/a', content: 'x' },
      ]),
      'InvalidSpec',
    ],
    ['a hard link to nothing', tgzOf([{ name: 'l', type: '1', link: 'etc/passwd' }]), 'InvalidSpec'],
    ['a hard link out of it', tgzOf([{ name: 'l', type: '1', link: '/etc/passwd' }]), 'InvalidSpec'],
    ['more than it may', tgzOf([{ name: 'big', content: Buffer.alloc(200_000) }]), 'LimitExceeded'],
    ['a size it does not have', tgzOf([{ name: 'big', size: 50_000 }]), 'InvalidSpec'],
    ['too many files', tgzOf(Array.from({ length: 60 }, (_, at) => ({ name: `f${at}` }))), 'LimitExceeded'],
    ['no archive at all', Buffer.from('hello'.repeat(300)), 'InvalidSpec'],
    ['half an archive', tgzOf([{ name: 'a', content: 'x'.repeat(5000) }]).subarray(0, 60), 'InvalidSpec'],
  ])('packs %s', async (name, bytes, code) => {
    await open({ limits: { artifactBytes: 100_000, archiveEntries: 50 } });
    put('apps/hostile', '1.0.0', { mediaType: targz, bytes });
    const { commit } = await sources.resolveRevision(ctx, at('apps/hostile'), '1.0.0');
    await expect(sources.openTree(ctx, at('apps/hostile'), commit), name).rejects.toMatchObject({ code });
  });

  test('redirects to a forbidden address, or to plain http, or in circles', async () => {
    for (const [location, code] of [
      ['http://169.254.169.254/latest', 'PermissionDenied'],
      ['/v2/loop/manifests/1.0.0', 'Unavailable'],
      ['ftp://127.0.0.1/', 'Unavailable'],
    ] as const) {
      const leading = await ociRegistry({
        first: (_request, response) => Boolean(response.writeHead(307, { location }).end()),
      });
      const repository = { url: `oci://${leading.host}/loop`, insecureOciForceHttp: true };
      await expect(read(repository, '1.0.0')).rejects.toMatchObject({ code });
      await leading.close();
    }
  });

  test('never ends its list of tags', async () => {
    await open({ limits: { tags: 3 } });
    for (const tag of ['1.0.0', '1.1.0', '1.2.0', '1.3.0']) put('apps/many', tag);
    await expect(read(at('apps/many'), '^1')).rejects.toMatchObject({ code: 'LimitExceeded' });
  });
});

describe('who we are at a registry', () => {
  test.each(['basic', 'token'] as const)('a login, for %s, is shown when it is asked for', async (kind) => {
    const closed = await ociRegistry({ auth: { kind, login } });
    closed.put('apps/a', '1.0.0', { layers: [{ mediaType: targz, bytes: files() }] });
    const repository = { url: `oci://${closed.host}/apps/a`, insecureOciForceHttp: true, credentials };
    expect(await read(repository, '1.0.0')).toBe('a: 1\n');
    expect(closed.requests[0]).toMatch(/401 nobody$/);
    const refused = closed.requests.filter((line) => / 401 /.test(line)).length;
    expect(refused).toBe(1); // what was lent is used again
    for (const wrong of [{}, { username: 'joe', password: 'wrong-secret' }]) {
      await expect(read({ ...repository, credentials: wrong }, '1.0.0')).rejects.toMatchObject({
        code: 'Auth',
        message: expect.not.stringContaining('secret'),
      });
    }
    await closed.close();
  });

  test('forceHttpBasicAuth shows it unasked, and a bearer token is shown as it is (CRED-6)', async () => {
    const put = { layers: [{ mediaType: targz, bytes: files() }] };
    const basic = await ociRegistry({ auth: { kind: 'basic', login } });
    basic.put('a', '1.0.0', put);
    const forced = {
      url: `oci://${basic.host}/a`,
      insecureOciForceHttp: true,
      credentials,
      forceHttpBasicAuth: true,
    };
    expect(await read(forced, '1.0.0')).toBe('a: 1\n');
    expect(basic.requests.some((line) => line.includes(' 401 '))).toBe(false);
    const token = await ociRegistry({ auth: { kind: 'token', login } });
    token.put('a', '1.0.0', put);
    const bearer = {
      url: `oci://${token.host}/a`,
      insecureOciForceHttp: true,
      credentials: { bearerToken: 'lent\n' },
    };
    expect(await read(bearer, '1.0.0')).toBe('a: 1\n');
    await Promise.all([basic.close(), token.close()]);
  });

  test('goes to the registry alone, not along with a redirect to where blobs are kept', async () => {
    const bytes = files();
    const store = await ociRegistry();
    const digest = store.put('a', '1.0.0', { layers: [{ mediaType: targz, bytes }] });
    const front = await ociRegistry({
      auth: { kind: 'basic', login },
      first: (request, response) => {
        if (!request.url?.includes('/blobs/')) return false;
        response.writeHead(307, { location: `http://${store.host}${request.url}` }).end();
        return true;
      },
    });
    front.put('a', '1.0.0', { layers: [{ mediaType: targz, bytes }] });
    const repository = { url: `oci://${front.host}/a`, insecureOciForceHttp: true, credentials };
    expect(await read(repository, digest)).toBe('a: 1\n');
    expect(store.requests).toEqual([expect.stringMatching(/ 200 nobody$/)]);
    await Promise.all([store.close(), front.close()]);
  });

  test('a token service that is no https URL is not asked by a registry that is', async () => {
    const issued: IssuedCertificates = await issueCertificates(['127.0.0.1']);
    const header = { 'www-authenticate': 'Bearer realm="http://127.0.0.1:1/token",service="x"' };
    const tls = { cert: issued.server.certificate, key: issued.server.key };
    const secure = await ociRegistry({
      tls,
      first: (_request, response) => Boolean(response.writeHead(401, header).end()),
    });
    await open({ trust: () => ({ certificates: { '127.0.0.1': issued.authority }, knownHosts: '' }) });
    await expect(read({ url: `oci://${secure.host}/a`, credentials }, '1.0.0')).rejects.toMatchObject({
      code: 'Auth',
      message: expect.stringContaining('no https URL'),
    });
    await secure.close();
  });
});

describe('how a registry is spoken to', () => {
  test('over https, believed by the authority of its host, or not checked, or in the clear (TLS-1, TLS-3)', async () => {
    const issued = await issueCertificates(['127.0.0.1']);
    const tls = { cert: issued.server.certificate, key: issued.server.key };
    const secure = await ociRegistry({ tls });
    secure.put('a', '1.0.0', { layers: [{ mediaType: targz, bytes: files() }] });
    const repository = { url: `oci://${secure.host}/a` };
    await expect(read(repository, '1.0.0')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await read({ ...repository, insecure: true }, '1.0.0')).toBe('a: 1\n');
    await open({ trust: () => ({ certificates: { '127.0.0.1': issued.authority }, knownHosts: '' }) });
    expect(await read(repository, '1.0.0')).toBe('a: 1\n');
    put('apps/plain-http', '1.0.0');
    await expect(read(at('apps/plain-http', { insecureOciForceHttp: false }), '1.0.0')).rejects.toMatchObject(
      {
        code: 'Unavailable',
      },
    );
    await secure.close();
  });

  test('at no address that is forbidden, and by no name that registries do not have', async () => {
    await open({ reach: { loopback: false } });
    await expect(read(at('apps/one'), '1.0.0')).rejects.toMatchObject({ code: 'PermissionDenied' });
    for (const name of ['Apps/One', 'a:1.0', 'a@sha256:00', '', 'a/../b c']) {
      await expect(read(at(name), '1.0.0')).rejects.toMatchObject({ code: 'InvalidSpec' });
    }
    const broken = at('apps/one', { problem: 'enableOCI must be "true" or "false"' });
    await expect(read(broken, '1.0.0')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('enableOCI'),
    });
  });
});
