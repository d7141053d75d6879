import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 6: a remote kustomize base or chart dependency that nobody allowed.

let the: ManifestsFixture;
let server: Server;
let url: string;
const requests: string[] = [];

beforeAll(async () => {
  the = await manifestsFixture();
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(configMap('remote'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await the.close();
  await new Promise((resolve) => server.close(resolve));
});

describe('a kustomization', () => {
  test.each([
    ['a resource', (place: string) => ({ 'kustomization.yaml': `resources: ["${place}/x.yaml"]\n` })],
    [
      'a git base',
      (place: string) => ({ 'kustomization.yaml': `resources: ["${place}/org/repo.git//base?ref=x"]\n` }),
    ],
    ['a component', (place: string) => ({ 'kustomization.yaml': `components: ["${place}/org/repo"]\n` })],
    [
      'a patch',
      (place: string) => ({
        'kustomization.yaml': `resources: [a.yaml]\npatches: [{path: "${place}/p.yaml"}]\n`,
      }),
    ],
    [
      'an old patch',
      (place: string) => ({
        'kustomization.yaml': `resources: [a.yaml]\npatchesStrategicMerge: ["${place}/p"]\n`,
      }),
    ],
    [
      'a generated file',
      (place: string) => ({
        'kustomization.yaml': `configMapGenerator: [{name: x, files: ["k=${place}/f"]}]\n`,
      }),
    ],
    [
      'a schema',
      (place: string) => ({ 'kustomization.yaml': `resources: [a.yaml]\nopenapi: {path: "${place}/s"}\n` }),
    ],
    [
      'an upper-case scheme',
      (place: string) => ({ 'kustomization.yaml': `resources: ["${place.replace('http', 'HTTP')}/x"]\n` }),
    ],
    [
      'an upper-case field',
      (place: string) => ({ 'kustomization.yaml': `Resources: ["${place}/x.yaml"]\n` }),
    ],
    [
      'a transformer',
      (place: string) => ({
        'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [t.yaml]\n',
        't.yaml': `apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\npath: "${place}/p.yaml"\n`,
      }),
    ],
    [
      'a transformer that is the second document of its file',
      (place: string) => ({
        'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [t.yaml]\n',
        't.yaml': `a: b\n---\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\npath: "${place}/p.yaml"\n`,
      }),
    ],
    [
      'a transformer made by a kustomization of its own',
      (place: string) => ({
        'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [made]\n',
        'made/kustomization.yaml': `resources: [t.yaml]\npatches: [{target: {kind: PatchTransformer}, patch: '[{op: add, path: /path, value: "${place}/p"}]'}]\n`,
        'made/t.yaml': 'apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\n',
      }),
    ],
    [
      'a base of a base',
      (place: string) => ({
        'kustomization.yaml': 'resources: [sub]\n',
        'sub/kustomization.yaml': `resources: ["${place}/x.yaml"]\n`,
      }),
    ],
  ])('with %s elsewhere is refused and nobody is asked', async (_what, files) => {
    const written = Object.entries(files(url)).map(([path, text]) => [`app/${path}`, text]);
    await the.repo.commit({ app: undefined, ...Object.fromEntries(written), 'app/a.yaml': configMap('a') });
    await expect(the.manifests.generate(the.ctx, the.request({ path: 'app' }))).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining('names the remote base'),
    });
    expect(requests).toEqual([]);
  });

  test.each([
    (place: string) => `helmCharts: [{name: c, version: 0.1.0, repo: "${place}"}]\n`,
    (place: string) => `HelmCharts: [{name: c, version: 0.1.0, Repo: "${place}"}]\n`,
    (place: string) => `helmGlobals: {chartHome: ../../../..}\nhelmCharts: [{name: c, repo: "${place}"}]\n`,
    (place: string) => `helmChartInflationGenerator: [{chartName: c, chartRepoUrl: "${place}"}]\n`,
    (place: string) =>
      `generators:\n- |-\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: c}\n  name: c\n  repo: "${place}"\n`,
  ])('that inflates a chart from elsewhere does not get it (%#)', async (text) => {
    await the.repo.commit({ app: undefined, 'app/kustomization.yaml': text(url) });
    const settings = { kustomizeBuildOptions: '--enable-helm' };
    await expect(
      the.manifests.generate(the.ctx, the.request({ path: 'app' }, { settings })),
    ).rejects.toMatchObject({ code: 'PermissionDenied' });
    expect(requests).toEqual([]);
  });
});

test('a chart that depends on one from elsewhere does not get it', async () => {
  await the.repo.commit({
    'chart/Chart.yaml': `apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies: [{name: d, version: 0.1.0, repository: "${url}"}]\n`,
  });
  await expect(the.manifests.generate(the.ctx, the.request({ path: 'chart' }))).rejects.toThrow(
    `chart d from ${url}`,
  );
  expect(requests).toEqual([]);
});
