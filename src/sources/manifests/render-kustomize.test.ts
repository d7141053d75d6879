import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseManifests } from '#sources/render';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';

const run = promisify(execFile);
let the: ManifestsFixture;

beforeAll(async () => {
  the = await manifestsFixture();
  await the.repo.commit({
    'base/kustomization.yaml': 'resources: [deployment.yaml]\n',
    'base/deployment.yaml': [
      'apiVersion: apps/v1',
      'kind: Deployment',
      'metadata: {name: web}',
      'spec:',
      '  template:',
      '    spec: {containers: [{name: web, image: "nginx:1"}]}',
      '',
    ].join('\n'),
    'overlays/prod/kustomization.yaml': [
      'resources: [../../base]',
      'namePrefix: prod-',
      'patches: [{path: replicas.yaml}]',
      'configMapGenerator: [{name: settings, files: [app.conf], literals: [url=https://example.com]}]',
      '',
    ].join('\n'),
    'overlays/prod/replicas.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n',
    'overlays/prod/app.conf': 'mode=prod\n',
    'overlays/prod/unrelated.txt': 'x\n',
  });
}, 60_000);

afterAll(() => the.close());

describe('a kustomization', () => {
  const source = { path: 'overlays/prod' };

  test('gives what kubectl kustomize gives', async () => {
    const { objects, sourceTypes, commands } = await the.manifests.generate(the.ctx, the.request(source));
    const args = [...the.kustomize.prefixArgs, join(the.repo.dir, source.path)];
    const { stdout } = await run(the.kustomize.command, args);
    expect(objects).toEqual(parseManifests(stdout, 'oracle'));
    expect(objects.map((object) => object.kind).sort()).toEqual(['ConfigMap', 'Deployment']);
    expect(sourceTypes).toEqual(['Kustomize']);
    expect(commands).toEqual(['kustomize build overlays/prod']);
  });

  test('is rendered again only for files it names', async () => {
    await the.manifests.generate(the.ctx, the.request(source));
    await the.repo.commit({ 'overlays/prod/unrelated.txt': 'y\n', 'plain/x.yaml': configMap('x') });
    expect(await the.manifests.generate(the.ctx, the.request(source))).toMatchObject({ cached: true });
    await the.repo.commit({
      'base/deployment.yaml': undefined,
      'base/web.yaml': configMap('w'),
      'base/kustomization.yaml': 'resources: [web.yaml]\n',
      'overlays/prod/kustomization.yaml': 'resources: [../../base]\n',
    });
    const result = await the.manifests.generate(the.ctx, the.request(source));
    expect(result.cached).toBe(false);
    expect(result.objects.map((object) => object.metadata.name)).toEqual(['w']);
    await the.repo.git('revert', '--no-edit', 'HEAD');
    expect(await the.manifests.generate(the.ctx, the.request(source))).toMatchObject({ cached: true });
    await the.repo.commit({ 'overlays/prod/app.conf': 'mode=production\n' });
    expect(await the.manifests.generate(the.ctx, the.request(source))).toMatchObject({
      cached: false,
      why: 'overlays/prod/app.conf changed',
    });
  });

  test('takes every option of the application, as edits of its root', async () => {
    const { objects } = await the.manifests.generate(
      the.ctx,
      the.request({
        ...source,
        kustomize: {
          namePrefix: 'live-',
          nameSuffix: '-v2',
          namespace: 'live',
          images: ['nginx=example.com/nginx:$ARGOCD_APP_NAME'],
          replicas: [{ name: 'web', count: '5' }],
          commonLabels: { team: 'shop' },
          labelWithoutSelector: true,
          commonAnnotations: { rev: 'x' },
          patches: [
            { target: { kind: 'Deployment' }, patch: '- {op: add, path: /spec/paused, value: true}' },
          ],
        },
      }),
    );
    const web = objects.find((object) => object.kind === 'Deployment');
    expect(web).toMatchObject({
      metadata: {
        name: 'live-web-v2',
        namespace: 'live',
        labels: { team: 'shop' },
        annotations: { rev: 'x' },
      },
      spec: {
        paused: true,
        replicas: 5,
        template: { spec: { containers: [{ image: 'example.com/nginx:shop' }] } },
      },
    });
  });

  test('that fails tells so in the words of the engine, without paths of this machine', async () => {
    await the.repo.commit({
      'broken/kustomization.yaml': 'resources: [missing.yaml]\n',
      'unknown/kustomization.yaml': 'resourcez: []\n',
    });
    const failing = the.manifests.generate(the.ctx, the.request({ path: 'broken' }));
    await expect(failing).rejects.toMatchObject({
      code: 'RenderFailed',
      message: expect.stringMatching(
        /^`kustomize build broken` failed exit status 1: error: accumulating resources/,
      ),
    });
    const error = await failing.catch((thrown: Error) => thrown);
    expect(String(error)).toContain('missing.yaml');
    expect(String(error)).not.toContain(the.folder);
    await expect(the.manifests.generate(the.ctx, the.request({ path: 'unknown' }))).rejects.toThrow(
      'unknown field "resourcez"',
    );
  });

  test('inflates a chart of the repository when that is switched on', async () => {
    await the.repo.commit({
      'inflate/kustomization.yaml': 'helmCharts: [{name: small, releaseName: r, valuesInline: {x: "7"}}]\n',
      'inflate/charts/small/values.yaml': 'x: "1"\n',
      'inflate/charts/small/Chart.yaml': 'apiVersion: v2\nname: small\nversion: 0.1.0\n',
      'inflate/charts/small/templates/cm.yaml': configMap(
        '{{ .Release.Name }}',
        'x: {{ .Values.x | quote }}',
      ),
    });
    const settings = { kustomizeBuildOptions: '--enable-helm' };
    expect(await the.names({ path: 'inflate' }, { settings })).toEqual(['r']);
    await expect(the.manifests.generate(the.ctx, the.request({ path: 'inflate' }))).rejects.toThrow(
      'must specify --enable-helm',
    );
  });
});
