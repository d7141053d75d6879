import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseManifests } from '#sources/render';
import { ChartPress } from '../../../test/chart-repository.ts';
import { type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';
import { type OciRegistry, ociRegistry } from '../../../test/oci-registry.ts';
import { type StaticServer, staticServer } from '../../../test/static-server.ts';
import type { ManifestRequest } from './index.ts';

const credentials = { username: 'joe', password: 'hunter2-secret' };
const authorization = `Basic ${Buffer.from('joe:hunter2-secret').toString('base64')}`;
const settings = { kustomizeBuildOptions: '--enable-helm' };

let the: ManifestsFixture;
let open: StaticServer;
let closed: StaticServer;
let registry: OciRegistry;

beforeAll(async () => {
  the = await manifestsFixture({ loopback: true });
  const press = new ChartPress(the.helm.command, join(the.folder, 'charts'));
  for (const version of ['1.0.0', '1.4.2']) await press.pack('web', version);
  await press.pack('db', '0.1.0');
  for (const version of ['0.2.0', '0.3.0-beta.1']) await press.pack('early', version);
  await press.index();
  open = await staticServer({ root: press.dir });
  closed = await staticServer({ root: press.dir, authorization });
  registry = await ociRegistry();
  await press.helm('push', join(press.dir, 'web-1.0.0.tgz'), `oci://${registry.host}/charts`, '--plain-http');
});
beforeEach(() => {
  for (const { requests } of [open, closed, registry]) requests.length = 0;
});
afterAll(async () => {
  await Promise.all([open.close(), closed.close(), registry.close()]);
  await the.close();
});

async function commit(files: Record<string, string>): Promise<void> {
  const named = Object.entries(files).map(([path, text]) => [`app/${path}`, text]);
  await the.repo.commit({ app: undefined, ...Object.fromEntries(named) });
}

async function generated(more: Partial<ManifestRequest> = {}): Promise<readonly unknown[]> {
  const request = the.request({ path: 'app' }, { settings, ...more });
  return (await the.manifests.generate(the.ctx, request)).objects;
}

/** What the real engine makes of the same folder when it may fetch by itself. */
async function oracle(): Promise<readonly unknown[]> {
  const dir = await mkdtemp(join(the.folder, 'oracle-'));
  await the.repo.git('clone', '--quiet', the.repo.dir, dir);
  const { command, prefixArgs } = the.kustomize;
  const args = [...prefixArgs, join(dir, 'app'), '--enable-helm', '--helm-command', the.helm.command];
  const env = { HOME: dir, PATH: '/usr/bin:/bin' };
  const { stdout } = await promisify(execFile)(command, args, { env });
  return parseManifests(stdout, 'oracle', { bytes: 1e6 });
}

const inflating = (chart: object): string => JSON.stringify({ namePrefix: 'p-', helmCharts: [chart] });

describe('a kustomization that inflates a chart from elsewhere (KH-2)', () => {
  test.each([
    ['at a version', () => inflating({ name: 'web', version: '1.0.0', repo: open.url, releaseName: 'r' })],
    ['in a range', () => inflating({ name: 'web', version: '^1', repo: open.url, releaseName: 'r' })],
    ['the newest', () => inflating({ name: 'web', repo: open.url, releaseName: 'r' })],
    ['at its newest', () => inflating({ name: 'early', repo: open.url, releaseName: 'r' })],
    [
      'at its newest, finished or not (KH-1)',
      () => inflating({ name: 'early', repo: open.url, releaseName: 'r', devel: true }),
    ],
    [
      'at a version, though unfinished ones would do',
      () => inflating({ name: 'early', version: '0.2.0', repo: open.url, releaseName: 'r', devel: true }),
    ],
    [
      'with values and a home of its own',
      () =>
        JSON.stringify({
          helmGlobals: { chartHome: 'elsewhere' },
          helmCharts: [
            {
              name: 'web',
              version: '1.4.2',
              repo: open.url,
              releaseName: 'r',
              valuesInline: { color: 'blue' },
            },
            { name: 'db', version: '0.1.0', repo: open.url, releaseName: 'r' },
          ],
        }),
    ],
    [
      'by a generator',
      () =>
        'generators:\n- |-\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: w}\n  name: web\n' +
        `  version: 1.0.0\n  repo: "${open.url}"\n  releaseName: r\n`,
    ],
  ])('%s gives what the engine gives that fetches by itself', async (_what, text) => {
    await commit({ 'kustomization.yaml': text() });
    const objects = await generated();
    expect(objects).toEqual(await oracle());
    expect(objects.length).toBeGreaterThan(0);
  });

  test('in a base, with a values file, finds it there', async () => {
    const chart = { name: 'web', version: '1.4.2', repo: open.url, releaseName: 'r', valuesFile: 'v.yaml' };
    await commit({
      'kustomization.yaml': 'resources: [base]\nnameSuffix: -s\n',
      'base/kustomization.yaml': inflating(chart),
      'base/v.yaml': 'color: green\n',
    });
    const objects = await generated();
    expect(objects).toEqual(await oracle());
    expect(JSON.stringify(objects)).toContain('"color":"green"');
  });

  test('in a registry gets it, and asks nobody when it lies in the repository', async () => {
    const chart = { name: 'web', version: '1.0.0', repo: `oci://${registry.host}/charts`, releaseName: 'r' };
    await commit({ 'kustomization.yaml': inflating(chart) });
    const record = { url: chart.repo, name: 'r', enableOci: true, insecureOciForceHttp: true };
    const chartRepositories = { list: () => [record], permits: () => true };
    expect(await generated({ chartRepositories })).toMatchObject([{ metadata: { name: 'p-r-web' } }]);
    registry.requests.length = 0;
    await commit({
      'kustomization.yaml': inflating(chart),
      'charts/web-1.0.0/web/values.yaml': '',
      'charts/web-1.0.0/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'charts/web-1.0.0/web/templates/cm.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vendored}\n',
    });
    expect(await generated()).toMatchObject([{ metadata: { name: 'p-vendored' } }]);
    expect(registry.requests).toEqual([]);
  });

  test('shows who we are where the project permits it, and the engine never learns it (CRED-10)', async () => {
    const chart = { name: 'web', version: '1.0.0', repo: closed.url, releaseName: 'r' };
    await commit({ 'kustomization.yaml': inflating(chart) });
    const record = { url: closed.url, name: 'closed', credentials };
    const refused = { list: () => [record], permits: () => false };
    await expect(generated({ chartRepositories: refused })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: `helm repos ${closed.url} are not permitted in project 'default'`,
    });
    expect(closed.requests.every((line) => line.endsWith('nobody'))).toBe(true);
    const permitted = { list: () => [record], permits: () => true };
    expect(await generated({ chartRepositories: permitted })).toMatchObject([
      { metadata: { name: 'p-r-web' } },
    ]);
  });

  test('that cannot be had, or must not be asked for, is told', async () => {
    await commit({ 'kustomization.yaml': inflating({ name: 'web', version: '9.9.9', repo: open.url }) });
    await expect(generated()).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('depends on chart web'),
    });
    open.requests.length = 0;
    await commit({ 'kustomization.yaml': inflating({ name: 'web', version: '1.0.0', repo: open.url }) });
    await expect(generated({ settings: {} })).rejects.toThrow('must specify --enable-helm');
    expect(open.requests).toEqual([]);
  });
});
