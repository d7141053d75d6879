import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { findTool } from '#platform/exec';
import { issueCertificates } from '../../../../test/certificates.ts';
import { ChartPress } from '../../../../test/chart-repository.ts';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { gitCommand, toolCache } from '../../../../test/manifests.ts';
import { type StaticServer, staticServer } from '../../../../test/static-server.ts';
import { tgzOf } from '../../../../test/tar.ts';
import { createSources, type SourceRepository, type Sources, type SourcesConfig } from '../index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const credentials = { username: 'joe', password: 'hunter2-secret' };
const basic = `Basic ${Buffer.from('joe:hunter2-secret').toString('base64')}`;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let press: ChartPress;
let server: StaticServer;
let sources: Sources;
let cacheDir: string;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  const helm = await findTool(ctx, 'helm', { searchPath: '', cacheDir: toolCache });
  press = new ChartPress(helm.command, join(folder.path, 'charts'));
  for (const version of ['1.0.0', '1.4.2', '1.4.3-rc.1', '2.0.0+build.7']) await press.pack('web', version);
  await press.pack('db', '0.1.0');
  await press.index();
  server = await staticServer({ root: press.dir });
});
beforeEach(() => open());
afterAll(async () => {
  await sources.close();
  await server.close();
  await folder.remove();
});

async function open(more: Partial<SourcesConfig> = {}): Promise<void> {
  await sources?.close();
  run += 1;
  cacheDir = join(folder.path, `cache-${run}`);
  await restart(more);
}

async function restart(more: Partial<SourcesConfig> = {}): Promise<void> {
  sources = createSources({ cacheDir, git: gitCommand(), reach: { loopback: true }, ...more });
  server.requests.length = 0;
}

const at = (more: Partial<SourceRepository> = {}): SourceRepository => ({
  url: server.url,
  chart: 'web',
  ...more,
});
const versionOf = async (repository: SourceRepository, revision: string): Promise<string> => {
  const { commit } = await sources.resolveRevision(ctx, repository, revision);
  const tree = await sources.openTree(ctx, repository, commit);
  return /^version: (.*)$/m.exec(await tree.text('Chart.yaml'))?.[1] ?? '';
};
/** A server with one index, and whatever else is to be answered. */
async function serving(index: string, more: Parameters<typeof staticServer>[0]['first'] = () => false) {
  return staticServer({
    root: press.dir,
    first: (request, response) => {
      if (more(request, response)) return true;
      if (!request.url?.startsWith('/index.yaml')) return false;
      response.writeHead(200).end(index);
      return true;
    },
  });
}

describe('which version of a chart is meant', () => {
  test.each([
    ['^1.0', '1.4.2'],
    ['1.x', '1.4.2'],
    ['*', '2.0.0+build.7'],
    ['>=1.4.3-0 <2', '1.4.3-rc.1'],
  ])('%s is %s, the newest that fits (HRP-2)', async (range, version) => {
    expect(await sources.resolveRevision(ctx, at(), range)).toMatchObject({
      commit: version,
      why: expect.stringMatching(new RegExp(`^${version.replaceAll('+', '\\+')} is the (newest|only)`)),
    });
  });

  test('an exact one is taken by its word, and missed only when it is fetched (HRP-2)', async () => {
    expect(await sources.resolveRevision(ctx, at(), '9.9.9')).toEqual({ commit: '9.9.9', warnings: [] });
    expect(server.requests).toEqual([]);
    await expect(sources.openTree(ctx, at(), '9.9.9')).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('chart web has no version 9.9.9'),
    });
  });

  test.each([
    ['v1.4.2', '1.4.2'],
    ['1.4', '1.4.2'],
    ['2.0.0+build.7', '2.0.0+build.7'],
  ])('%s finds %s, as helm reads it', async (text, version) => {
    expect(await versionOf(at(), text)).toBe(version);
  });

  test('no chart, no range, no revision and nothing that fits are told apart (HRP-2, SRC-4)', async () => {
    const ask = (chart: string, revision: string) => sources.resolveRevision(ctx, at({ chart }), revision);
    await expect(ask('nope', '^1')).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining("chart 'nope' not found in index"),
    });
    await expect(ask('web', 'main')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringMatching(/^invalid revision: /),
    });
    await expect(ask('web', '')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: 'spec.source.targetRevision is required if the manifest source is a helm chart',
    });
    await expect(ask('web', '^7')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('the index is asked for once in a while, and not sent again unless it changed (1.15)', async () => {
    const clock = virtualClock({ start: new Date() });
    const timed = { ...ctx, clock };
    const ask = (fresh = false) => sources.resolveRevision(timed, at(), '^1', { fresh });
    await Promise.all([ask(), ask(), ask()]);
    expect(server.requests).toEqual(['/index.yaml 200 nobody']);
    await clock.advance(181_000);
    await ask();
    await ask(true);
    expect(server.requests.slice(1)).toEqual(Array(2).fill('/index.yaml 304 nobody'));
  });

  test('an answer to one is not shown to somebody with other credentials', async () => {
    await sources.resolveRevision(ctx, at(), '^1');
    await sources.resolveRevision(ctx, at({ credentials }), '^1');
    expect(server.requests).toEqual(['/index.yaml 200 nobody', `/index.yaml 200 ${basic}`]);
  });
});

describe('an index', () => {
  const archive = async (): Promise<string> => readFile(join(press.dir, 'index.yaml'), 'utf8');

  test('may be written in another form than helm writes it', async () => {
    const entry = { name: 'web', version: '1.4.2', urls: ['web-1.4.2.tgz'] };
    const json = await serving(JSON.stringify({ apiVersion: 'v1', entries: { web: [entry] } }));
    expect(await versionOf({ url: json.url, chart: 'web' }, '^1')).toBe('1.4.2');
    const deep = await serving(
      `entries:\n    "web":\n      - version: 1.4.2\n        urls: [web-1.4.2.tgz]\n# end\n`,
    );
    expect(await versionOf({ url: deep.url, chart: 'web' }, '^1')).toBe('1.4.2');
    await Promise.all([json.close(), deep.close()]);
  });

  test('of any size is read only where the chart stands', async () => {
    const filler = Array.from(
      { length: 20_000 },
      (_, i) => `  chart-${i}:\n  - version: 1.0.0\n    urls: [x]\n`,
    );
    const index = (await archive()).replace('entries:\n', `entries:\n${filler.join('')}`);
    const big = await serving(index);
    await open({ limits: { oddIndexBytes: 10_000 } });
    expect(await versionOf({ url: big.url, chart: 'web' }, '^1')).toBe('1.4.2');
    await big.close();
  });

  test('larger than it may be is an error, not half an index (DEV-7)', async () => {
    await open({ limits: { indexBytes: 100 } });
    await expect(sources.resolveRevision(ctx, at(), '^1')).rejects.toMatchObject({ code: 'LimitExceeded' });
    await open({ limits: { oddIndexBytes: 100 } });
    // before it is in memory, not when it is parsed
    await expect(sources.resolveRevision(ctx, at(), '^1')).rejects.toMatchObject({
      code: 'LimitExceeded',
      message: expect.stringContaining('has more than 100 bytes for chart web'),
    });
  });

  test('that is none, or not there, is told', async () => {
    const odd = await serving('entries: [web: {');
    await expect(sources.resolveRevision(ctx, { url: odd.url, chart: 'web' }, '^1')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('the index of chart repository'),
    });
    await expect(
      sources.resolveRevision(ctx, at({ url: `${server.url}/nowhere` }), '^1'),
    ).rejects.toMatchObject({
      code: 'NotFound',
    });
    await odd.close();
  });

  test('is asked for with the query of the URL, which relative archives get too (HRP-1)', async () => {
    expect(await versionOf(at({ url: `${server.url}/?token=x` }), '^1')).toBe('1.4.2');
    expect(server.requests).toEqual(['/index.yaml?token=x 200 nobody', '/web-1.4.2.tgz?token=x 200 nobody']);
  });
});

describe('a chart', () => {
  test('is downloaded once for a day, a restart in between, and anew by a hard refresh (HRP-5, CCH-1)', async () => {
    await Promise.all([versionOf(at(), '1.4.2'), versionOf(at(), '1.4.2')]);
    const downloads = (): number => server.requests.filter((line) => line.includes('.tgz')).length;
    expect(downloads()).toBe(1);
    await sources.close();
    await restart();
    expect(await versionOf(at(), '1.4.2')).toBe('1.4.2');
    expect(server.requests).toEqual([]);
    await sources.openTree(ctx, at(), '1.4.2', { fresh: true });
    expect(downloads()).toBe(1);
    const later = { ...ctx, clock: virtualClock({ start: new Date(Date.now() + 25 * 3_600_000) }) };
    await sources.openTree(later, at(), '1.4.2');
    expect(downloads()).toBe(2);
  });

  test('that was damaged on our disk is downloaded again', async () => {
    await versionOf(at(), '1.4.2');
    await sources.close();
    const dir = join(cacheDir, 'archives');
    for (const name of await readdir(dir))
      if (name.startsWith('sha256-')) await writeFile(join(dir, name), 'x');
    await restart();
    expect(await versionOf(at(), '1.4.2')).toBe('1.4.2');
  });

  test('stays readable while everything is swept away, or can be had again', async () => {
    const tree = await sources.openTree(ctx, at(), '1.4.2');
    await rm(join(cacheDir, 'archives'), { recursive: true, force: true });
    await expect(tree.text('Chart.yaml')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  test('that is not what the index announces is refused (HRP-3)', async () => {
    const entry = (digest: string): string =>
      `entries:\n  web:\n  - version: 1.0.0\n    digest: ${digest}\n    urls: [web-1.0.0.tgz]\n`;
    for (const digest of ['f'.repeat(64), '0'.repeat(64), 'no digest']) {
      const wrong = await serving(entry(digest));
      await expect(sources.openTree(ctx, { url: wrong.url, chart: 'web' }, '1.0.0')).rejects.toMatchObject({
        code: 'PolicyFailed',
        message: expect.stringMatching(/^chart web 1\.0\.0 of .* is not what it should be/),
      });
      await wrong.close();
    }
  });

  test('tells about itself', async () => {
    expect(await sources.describe(ctx, at(), '1.4.2')).toEqual({
      kind: 'chart',
      name: 'web',
      version: '1.4.2',
      description: 'tells its version',
      home: 'https://example.com/web',
      maintainers: ['Ann <ann@example.com>'],
    });
  });

  test.each([
    ['no folder of its name', tgzOf([{ name: 'other/Chart.yaml', content: 'x' }]), 'InvalidSpec'],
    ['a path that climbs', tgzOf([{ name: 'web/../../x', content: 'x' }]), 'InvalidSpec'],
    ['a link out of it', tgzOf([{ name: 'web/l', type: '2', link: '/etc/passwd' }]), 'InvalidSpec'],
    ['a file beyond its limit', tgzOf([{ name: 'web/big', content: Buffer.alloc(3000) }]), 'LimitExceeded'],
    [
      'more than it may in all',
      tgzOf([1, 2, 3, 4, 5].map((n) => ({ name: `web/${n}`, content: Buffer.alloc(1500) }))),
      'LimitExceeded',
    ],
  ])('with %s is refused (HRP-4)', async (_name, bytes, code) => {
    const index = 'entries:\n  web:\n  - version: 1.0.0\n    urls: [evil.tgz]\n';
    const evil = await serving(index, (request, response) => {
      if (request.url !== '/evil.tgz') return false;
      response.writeHead(200).end(bytes);
      return true;
    });
    await open({ limits: { chartFileBytes: 2000, chartBytes: 5000 } });
    await expect(sources.openTree(ctx, { url: evil.url, chart: 'web' }, '1.0.0')).rejects.toMatchObject({
      code,
    });
    await evil.close();
  });

  test('with links that are let be can be read all the same (VFT-5)', async () => {
    const index = 'entries:\n  a/web:\n  - version: 1.0.0\n    urls: [evil.tgz]\n';
    const bytes = tgzOf([
      { name: 'web/Chart.yaml', content: 'x' },
      { name: 'web/l', type: '2', link: '/etc/passwd' },
      { name: 'web/run', content: '!', mode: 0o755 },
      { name: 'web/again', type: '1', link: 'web/run' },
      { name: 'README', content: 'beside it' },
    ]);
    const odd = await serving(index, (request, response) => {
      if (request.url !== '/evil.tgz') return false;
      response.writeHead(200).end(bytes);
      return true;
    });
    const repository = { url: odd.url, chart: 'a/web' };
    const tree = await sources.openTree(ctx, repository, '1.0.0', { links: 'any' });
    expect(tree.list('')).toEqual(['Chart.yaml', 'again', 'l', 'run']);
    expect([tree.isExecutable('run'), tree.isExecutable('Chart.yaml')]).toEqual([true, false]);
    expect(await tree.text('again')).toBe('!');
    expect(tree.kind('l')).toBe('symlink');
    await odd.close();
  });
});

describe('credentials', () => {
  test('open a repository, and wrong ones are told without their secret (HRP-1)', async () => {
    const closed = await staticServer({ root: press.dir, authorization: basic });
    const repository = { url: closed.url, chart: 'web' };
    expect(await versionOf({ ...repository, credentials }, '^1')).toBe('1.4.2');
    const inUrl = closed.url.replace('//', '//joe:hunter2-secret@');
    expect(await versionOf({ ...repository, url: inUrl }, '^1')).toBe('1.4.2');
    const refused = versionOf({ ...repository, url: inUrl.replace('joe', 'bob') }, '^1');
    await expect(refused).rejects.toMatchObject({
      code: 'Auth',
      message: expect.not.stringContaining('hunter2'),
    });
    await closed.close();
  });

  test.each([
    [false, 'nobody'],
    [true, basic],
  ])('go with an archive to another host only if told to: %s (HRP-3)', async (passCredentials, who) => {
    const elsewhere = await staticServer({ root: press.dir });
    const index = `entries:\n  web:\n  - version: 1.0.0\n    urls: ["${elsewhere.url}/web-1.0.0.tgz"]\n`;
    const home = await serving(index);
    const repository = { url: home.url, chart: 'web', credentials, passCredentials };
    expect(await versionOf(repository, '1.0.0')).toBe('1.0.0');
    expect(elsewhere.requests).toEqual([`/web-1.0.0.tgz 200 ${who}`]);
    expect(home.requests).toEqual([`/index.yaml 200 ${basic}`]);
    await Promise.all([elsewhere.close(), home.close()]);
  });

  test('do not follow a redirect to another host, and nobody follows one to where we may not go', async () => {
    const elsewhere = await staticServer({ root: press.dir });
    const leading = (to: string) =>
      staticServer({
        root: press.dir,
        first: (request, response) => {
          if (!request.url?.endsWith('.tgz')) return false;
          response.writeHead(302, { location: `${to}${request.url}` }).end();
          return true;
        },
      });
    const good = await leading(elsewhere.url);
    expect(await versionOf({ url: good.url, chart: 'web', credentials }, '1.0.0')).toBe('1.0.0');
    expect(elsewhere.requests).toEqual(['/web-1.0.0.tgz 200 nobody']);
    const bad = await leading('http://169.254.169.254');
    await expect(versionOf({ url: bad.url, chart: 'web' }, '1.0.0')).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
    await Promise.all([elsewhere.close(), good.close(), bad.close()]);
  });

  test('a repository over https is believed by the authority of its host (TLS-1), which a redirect must keep to', async () => {
    const issued = await issueCertificates(['127.0.0.1']);
    const tls = { cert: issued.server.certificate, key: issued.server.key };
    const secure = await staticServer({
      root: press.dir,
      tls,
      first: (request, response) => {
        if (!request.url?.includes('1.0.0')) return false;
        response.writeHead(302, { location: `${server.url}${request.url}` }).end();
        return true;
      },
    });
    await expect(versionOf({ url: secure.url, chart: 'web' }, '^1')).rejects.toMatchObject({
      code: 'Unavailable',
    });
    await open({ trust: () => ({ certificates: { '127.0.0.1': issued.authority }, knownHosts: '' }) });
    expect(await versionOf({ url: secure.url, chart: 'web' }, '^1')).toBe('1.4.2');
    await expect(versionOf({ url: secure.url, chart: 'web' }, '1.0.0')).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining('from https to plain http'),
    });
    await secure.close();
  });
});
