import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChartPress } from '../../../test/chart-repository.ts';
import { type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';
import { type OciRegistry, ociRegistry } from '../../../test/oci-registry.ts';
import { type StaticServer, staticServer } from '../../../test/static-server.ts';
import type { ManifestRequest } from './index.ts';

const credentials = { username: 'joe', password: 'hunter2-secret' };
const authorization = `Basic ${Buffer.from('joe:hunter2-secret').toString('base64')}`;

let the: ManifestsFixture;
let press: ChartPress;
let open: StaticServer;
let closed: StaticServer;
let registry: OciRegistry;
let run = 0;

beforeAll(async () => {
  the = await manifestsFixture({ loopback: true });
  press = new ChartPress(the.helm.command, join(the.folder, 'charts'));
  for (const version of ['1.0.0', '1.4.2']) await press.pack('web', version);
  await press.pack('db', '0.1.0');
  await press.index();
  open = await staticServer({ root: press.dir });
  closed = await staticServer({ root: press.dir, authorization });
  registry = await ociRegistry({ auth: { kind: 'basic', login: 'joe:hunter2-secret' } });
});
beforeEach(() => {
  for (const { requests } of [open, closed, registry]) requests.length = 0;
});
afterAll(async () => {
  await Promise.all([open.close(), closed.close(), registry.close()]);
  await the.close();
});

type Dependency = { name: string; version?: string; repository?: string; alias?: string; condition?: string };

/** Commits a chart with these dependencies in a folder of its own. */
async function chart(
  dependencies: readonly Dependency[],
  files: Record<string, string> = {},
): Promise<string> {
  run += 1;
  const path = `app-${run}`;
  const text = JSON.stringify({ apiVersion: 'v2', name: 'app', version: '1.0.0', dependencies });
  const own = { 'Chart.yaml': text, '.helmignore': '*.md\n', ...files };
  await the.repo.commit(Object.fromEntries(Object.entries(own).map(([name, at]) => [`${path}/${name}`, at])));
  return path;
}

async function versions(path: string, more: Partial<ManifestRequest> = {}): Promise<Record<string, string>> {
  const { objects } = await the.manifests.generate(the.ctx, the.request({ path }, more));
  return Object.fromEntries(
    objects.map((object) => [
      object.metadata.name,
      (object as { data?: { version?: string } }).data?.version ?? '',
    ]),
  );
}

const records = (
  list: readonly { url: string; name: string }[],
  permits: (url: string) => boolean = () => true,
): NonNullable<ManifestRequest['chartRepositories']> => ({
  list: () => list.map((one) => ({ ...one, credentials })),
  permits,
});

describe('a chart that depends on charts from elsewhere (HDP-1)', () => {
  test('gets the newest that its ranges allow, from wherever they are', async () => {
    const path = await chart([
      { name: 'web', version: '^1.0', repository: open.url },
      { name: 'db', version: '0.1.0', repository: open.url },
    ]);
    expect(await versions(path)).toEqual({ 'shop-web': '1.4.2', 'shop-db': '0.1.0' });
  });

  test('beside charts of its own repository', async () => {
    await the.repo.commit({
      'lib/Chart.yaml': 'apiVersion: v2\nname: lib\nversion: 3.0.0\n',
      'lib/templates/x.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lib}\ndata: {version: "{{ .Chart.Version }}"}\n',
    });
    const path = await chart([
      { name: 'web', version: '1.0.0', repository: open.url },
      { name: 'lib', version: '>=1', repository: 'file://../lib' },
    ]);
    expect(await versions(path)).toEqual({ 'shop-web': '1.0.0', lib: '3.0.0' });
  });

  test('asks nobody for what is in charts/ already', async () => {
    const archive = await readFile(join(press.dir, 'web-1.0.0.tgz'));
    const path = await chart([{ name: 'web', version: '1.0.0', repository: 'https://charts.invalid' }]);
    await the.repo.commit({ [`${path}/charts/web-1.0.0.tgz`]: archive });
    expect(await versions(path)).toEqual({ 'shop-web': '1.0.0' });
  });

  test('finds a repository by its name, and shows who we are there', async () => {
    const chartRepositories = records([{ url: closed.url, name: 'ours' }]);
    for (const repository of ['@ours', 'alias:ours', closed.url]) {
      const path = await chart([{ name: 'web', version: '1.0.0', repository }]);
      expect(await versions(path, { chartRepositories })).toEqual({ 'shop-web': '1.0.0' });
    }
    const path = await chart([{ name: 'web', version: '1.0.0', repository: '@theirs' }]);
    await expect(versions(path, { chartRepositories })).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('no repository is named theirs'),
    });
  });

  test('finds one in a registry, by the record of a part of its path', async () => {
    registry.put('charts/web', '1.0.0', {
      configType: 'application/vnd.cncf.helm.config.v1+json',
      layers: [
        {
          mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
          bytes: await readFile(join(press.dir, 'web-1.0.0.tgz')),
        },
      ],
    });
    const path = await chart([{ name: 'web', version: '^1', repository: `oci://${registry.host}/charts` }]);
    const record = { url: registry.host, name: '', insecureOciForceHttp: true };
    expect(await versions(path, { chartRepositories: records([record]) })).toEqual({ 'shop-web': '1.0.0' });
    const other = await chart([
      { name: 'web', version: '1.0.0', repository: `oci://${registry.host}/charts` },
    ]);
    const elsewhere = { ...record, url: `${registry.host}/char` };
    await expect(versions(other, { chartRepositories: records([elsewhere]) })).rejects.toThrow();
  });

  test('tells when the project is the reason, and never shows it our credentials (HDP-2, CRED-10)', async () => {
    const path = await chart([{ name: 'web', version: '1.0.0', repository: closed.url }]);
    const shut = records([{ url: closed.url, name: 'ours' }], () => false);
    await expect(versions(path, { chartRepositories: shut })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: `helm repos ${closed.url} are not permitted in project 'default'`,
    });
    expect(closed.requests).toEqual(['/index.yaml 401 nobody']);
    // what anybody may have, an application may have too; and the refusal is not remembered
    const free = await chart([{ name: 'web', version: '1.0.0', repository: open.url }]);
    expect(await versions(free, { chartRepositories: shut })).toEqual({ 'shop-web': '1.0.0' });
    const chartRepositories = records([{ url: closed.url, name: 'ours' }]);
    expect(await versions(path, { chartRepositories })).toEqual({ 'shop-web': '1.0.0' });
    // nor is what was made with one project's credentials shown to another
    const other = { name: 'shop', project: 'other' };
    await expect(versions(path, { app: other, chartRepositories: shut })).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
  });

  test("knows no other schemes than the web's and registries': there are no plugins to fetch by (HLM-7)", async () => {
    const path = await chart([{ name: 'web', version: '1.0.0', repository: 's3://bucket/charts' }]);
    await expect(versions(path)).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('s3://bucket/charts'),
    });
  });

  test('goes nowhere that is forbidden', async () => {
    const path = await chart([{ name: 'web', version: '^1', repository: 'http://169.254.169.254/charts' }]);
    await expect(versions(path)).rejects.toMatchObject({ code: 'PermissionDenied' });
  });
});

describe('a lock (HDP-3)', () => {
  /** What the real helm locks, with the chart it locked it for. */
  async function locked(dependencies: readonly Dependency[]): Promise<Record<string, string>> {
    const text = JSON.stringify({ apiVersion: 'v2', name: 'app', version: '1.0.0', dependencies });
    const dir = await press.write({ 'Chart.yaml': text });
    await press.helm('dependency', 'update', dir);
    return { 'Chart.yaml': text, 'Chart.lock': await readFile(join(dir, 'Chart.lock'), 'utf8') };
  }
  const wishes = (): Dependency[] => [
    { name: 'web', version: '~1.0', repository: open.url, alias: 'front', condition: 'front.enabled,a<b&c' },
    { name: 'db', version: '*', repository: open.url },
  ];

  test('that helm made is honoured, also when there are newer versions by now', async () => {
    await press.pack('cache', '1.0.0');
    await press.index();
    const server = await staticServer({ root: press.dir });
    const again = wishes().map((wish) => ({ ...wish, repository: server.url }));
    const files = await locked([...again, { name: 'cache', version: '^1.0', repository: server.url }]);
    await press.pack('cache', '1.1.0');
    await press.index();
    const path = await chart([], files);
    expect(await versions(path)).toEqual({ 'shop-web': '1.0.0', 'shop-db': '0.1.0', 'shop-cache': '1.0.0' });
    await server.close();
  });

  test('that was made for other wishes is an error', async () => {
    const files = await locked(wishes());
    const changed = (files['Chart.yaml'] ?? '').replace('~1.0', '^1.0');
    const path = await chart([], { ...files, 'Chart.yaml': changed });
    await expect(versions(path)).rejects.toMatchObject({
      code: 'RenderFailed',
      message: expect.stringContaining('Chart.lock is out of sync'),
    });
  });
});

describe('value files from URLs (PATH-3)', () => {
  test('are fetched, and their content decides what is rendered', async () => {
    let color = 'green';
    const server = await staticServer({
      root: press.dir,
      first: (_request, response) => Boolean(response.writeHead(200).end(`color: ${color}\n`)),
    });
    const source = { repoURL: open.url, chart: 'web', targetRevision: '1.0.0' };
    const generate = async () => {
      const helm = { valueFiles: [`${server.url}/v.yaml?x=*`] };
      const { objects, cached } = await the.manifests.generate(the.ctx, the.request({ ...source, helm }));
      return { color: (objects[0] as { data?: { color?: string } }).data?.color, cached };
    };
    expect(await generate()).toEqual({ color: 'green', cached: false });
    expect(await generate()).toEqual({ color: 'green', cached: true });
    color = 'blue';
    expect(await generate()).toEqual({ color: 'blue', cached: false });
    await server.close();
  });

  test.each([
    ['http://169.254.169.254/latest', ['http'], 'PermissionDenied'],
    ['ftp://x/v.yaml', ['http', 'https'], 'InvalidSpec'],
    ['http://127.0.0.1:1/v.yaml', ['http'], 'Unavailable'],
    ['https://joe:secret@x.invalid/v.yaml', [], 'InvalidSpec'],
  ])('%s with %j allowed is refused', async (url, helmValuesFileSchemes, code) => {
    const source = { repoURL: open.url, chart: 'web', targetRevision: '1.0.0', helm: { valueFiles: [url] } };
    const request = the.request(source, { settings: { helmValuesFileSchemes } });
    await expect(the.manifests.generate(the.ctx, request)).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('secret'),
    });
  });

  test('that are missing or too large are told', async () => {
    const source = { repoURL: open.url, chart: 'web', targetRevision: '1.0.0' };
    const helm = { valueFiles: [`${open.url}/nothing.yaml`] };
    await expect(the.manifests.generate(the.ctx, the.request({ ...source, helm }))).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});

test('charts that hang on their dependencies do not keep others from an engine', async () => {
  const waiting: unknown[] = [];
  const silent = createServer((request) => waiting.push(request));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const repository = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const stop = new AbortController();
  let ended = 0;
  const many = availableParallelism() + 1;
  const umbrella = (at: number): string =>
    `apiVersion: v2\nname: u${at}\nversion: 0.1.0\ndependencies: [{name: d${at}, version: 0.1.0, repository: "${repository}/${at}"}]\n`;
  const files = Array.from({ length: many }, (_unused, at) => [`hanging-${at}/Chart.yaml`, umbrella(at)]);
  await the.repo.commit({
    ...Object.fromEntries(files),
    'innocent/Chart.yaml': 'apiVersion: v2\nname: innocent\nversion: 0.1.0\n',
    'innocent/templates/x.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: innocent}\n',
  });
  const hanging = files.map((_unused, at) =>
    the.manifests
      .generate({ ...the.ctx, signal: stop.signal }, the.request({ path: `hanging-${at}` }))
      .catch(() => {})
      .then(() => {
        ended += 1;
      }),
  );
  await vi.waitUntil(() => waiting.length === many, { timeout: 50_000 });
  expect(await the.names({ path: 'innocent' })).toEqual(['innocent']);
  expect(ended).toBe(0);
  stop.abort();
  silent.closeAllConnections();
  await Promise.all(hanging);
  await new Promise((resolve) => silent.close(resolve));
});
