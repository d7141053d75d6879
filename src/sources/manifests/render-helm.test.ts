import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManifestRequest } from '#sources/manifests';
import { parseManifests } from '#sources/render';
import { gitRepository } from '../../../test/git-repository.ts';
import { type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';

const run = promisify(execFile);
let the: ManifestsFixture;

beforeAll(async () => {
  the = await manifestsFixture();
  await the.repo.commit({
    'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 0.1.0\n',
    'chart/values.yaml': 'color: red\nsize: 1\n',
    'chart/crds/crd.yaml': [
      'apiVersion: apiextensions.k8s.io/v1',
      'kind: CustomResourceDefinition',
      'metadata: {name: foos.example.com}',
      '',
    ].join('\n'),
    'chart/templates/cm.yaml': [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: {name: "{{ .Release.Name }}", namespace: "{{ .Release.Namespace }}"}',
      'data:',
      '  color: {{ .Values.color | quote }}',
      '  size: {{ .Values.size | quote }}',
      '  list: {{ .Values.list | toJson | quote }}',
      '  file: {{ .Values.file | quote }}',
      '  kube: {{ .Capabilities.KubeVersion.Version }}',
      '  knative: {{ .Capabilities.APIVersions.Has "serving.knative.dev/v1" | quote }}',
      '',
    ].join('\n'),
    'chart/templates/test.yaml': [
      'apiVersion: v1',
      'kind: Pod',
      'metadata: {name: check, annotations: {helm.sh/hook: test}}',
      '',
    ].join('\n'),
    'values/prod.yaml': 'color: blue\n',
    'values/sizes/a.yaml': 'size: 10\n',
    'values/sizes/b.yaml': 'size: 20\n',
    'values/motd.txt': 'hello, world\n',
  });
}, 60_000);

afterAll(() => the.close());

describe('a chart', () => {
  const source = { path: 'chart' };

  test('gives what helm template gives', async () => {
    const { objects, sourceTypes, commands } = await the.manifests.generate(the.ctx, the.request(source));
    const args = ['template', 'shop', '.', '-n', 'shop-ns', '--kube-version', '1.33.4', '--include-crds'];
    const { stdout } = await run(the.helm.command, [...args, '--api-versions', 'serving.knative.dev/v1'], {
      cwd: join(the.repo.dir, 'chart'),
    });
    expect(objects).toEqual(parseManifests(stdout, 'oracle'));
    expect(objects.map((object) => object.kind).sort()).toEqual([
      'ConfigMap',
      'CustomResourceDefinition',
      'Pod',
    ]);
    expect(sourceTypes).toEqual(['Helm']);
    expect(commands[0]).toMatch(
      /^helm template chart --name-template shop --namespace shop-ns --kube-version 1.33.4/,
    );
  });

  test('takes every option of the application', async () => {
    const { objects, commands } = await the.manifests.generate(
      the.ctx,
      the.request({
        ...source,
        helm: {
          releaseName: 'named',
          namespace: 'elsewhere',
          valueFiles: ['../values/prod.yaml', '/values/sizes/*.yaml', 'missing.yaml'],
          ignoreMissingValueFiles: true,
          valuesObject: { list: ['a', 'b'] },
          parameters: [{ name: 'color', value: 'dark,$ARGOCD_APP_NAME', forceString: true }],
          fileParameters: [{ name: 'file', path: '../values/motd.txt' }],
          skipCrds: true,
          skipTests: true,
          kubeVersion: '1.30.0',
        },
      }),
    );
    expect(objects).toHaveLength(1);
    expect(objects[0]).toMatchObject({
      metadata: { name: 'named', namespace: 'elsewhere' },
      data: { color: 'dark,shop', size: '20', list: '["a","b"]', file: 'hello, world\n', kube: 'v1.30.0' },
    });
    expect(commands[0]).toContain('--set-string color=***');
    expect(commands[0]).toContain('--values values/sizes/b.yaml');
  });

  test('is rendered again only when the chart or one of its value files changes', async () => {
    const ask = () =>
      the.manifests.generate(
        the.ctx,
        the.request({ ...source, helm: { valueFiles: ['../values/prod.yaml'] } }),
      );
    await ask();
    await the.repo.commit({ 'values/sizes/a.yaml': 'size: 11\n' });
    expect(await ask()).toMatchObject({ cached: true });
    await the.repo.commit({ 'values/prod.yaml': 'color: green\n' });
    expect(await ask()).toMatchObject({ cached: false, why: 'values/prod.yaml changed' });
    await the.repo.commit({ 'chart/values.yaml': 'color: red\nsize: 2\n' });
    expect(await ask()).toMatchObject({ cached: false, why: 'chart changed' });
  });

  test('takes value files of another source under its name', async () => {
    const other = await gitRepository(join(the.folder, 'other'));
    await other.commit({ 'env/prod.yaml': 'color: violet\n', 'env/big.txt': 'big\n' });
    const both = (valueFile: string): ManifestRequest => ({
      ...the.request({}),
      multiSource: true,
      sources: [
        {
          repoURL: the.repo.dir,
          path: 'chart',
          helm: {
            valueFiles: [valueFile],
            fileParameters: [{ name: 'file', path: '$env/env/big.txt' }],
            skipCrds: true,
            skipTests: true,
          },
        },
        { repoURL: other.dir, ref: 'env' },
      ],
    });
    const { objects, revisions, commands } = await the.manifests.generate(
      the.ctx,
      both('$env/env/prod.yaml'),
    );
    expect(objects[0]).toMatchObject({ data: { color: 'violet', file: 'big\n' } });
    expect(revisions).toHaveLength(2);
    expect(commands[0]).toContain('--values $env/env/prod.yaml');
    await expect(the.manifests.generate(the.ctx, both('$nope/x.yaml'))).rejects.toThrow(
      'source referenced "$nope", which is not one of the available sources ($env)',
    );
    await other.commit({ 'unrelated.yaml': 'a: 1\n' });
    expect(await the.manifests.generate(the.ctx, both('$env/env/prod.yaml'))).toMatchObject({ cached: true });
    await other.commit({ 'env/prod.yaml': 'color: pink\n' });
    expect(await the.manifests.generate(the.ctx, both('$env/env/prod.yaml'))).toMatchObject({
      cached: false,
      why: '$env/env/prod.yaml changed',
    });
  });

  test('with charts of the same repository gets them; one from elsewhere is named in the error', async () => {
    const umbrella = (repository: string): string =>
      `apiVersion: v2\nname: umbrella\nversion: 0.1.0\ndependencies:\n- {name: chart, version: 0.1.0, repository: "${repository}"}\n`;
    await the.repo.commit({
      'umbrella/Chart.yaml': umbrella('file://../chart'),
      'remote/Chart.yaml': umbrella('https://charts.invalid'),
    });
    expect(await the.names({ path: 'umbrella', helm: { skipCrds: true, skipTests: true } })).toEqual([
      'shop',
    ]);
    await expect(the.manifests.generate(the.ctx, the.request({ path: 'remote' }))).rejects.toThrow(
      'depends on chart chart from https://charts.invalid',
    );
  });

  test('with a parameter that cannot be read names it, and not its value (HLM-2)', async () => {
    const parameters = [
      { name: 'fine', value: '1' },
      { name: 'bad[70000]', value: 'hunter2' },
    ];
    const error = await the.manifests
      .generate(the.ctx, the.request({ ...source, helm: { parameters } }))
      .catch((thrown: Error) => thrown);
    expect(String(error)).toContain('helm parameter "bad[70000]": `helm template chart` failed');
    expect(String(error)).not.toContain('hunter2');
  });

  test('that fails tells so in the words of the engine, without paths of this machine', async () => {
    await the.repo.commit({
      'bad/Chart.yaml': 'apiVersion: v2\nname: bad\nversion: 0.1.0\n',
      'bad/templates/x.yaml': 'a: {{ .Values.missing.deep }}\n',
    });
    const error = await the.manifests
      .generate(the.ctx, the.request({ path: 'bad' }))
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'RenderFailed' });
    expect(String(error)).toContain('bad/templates/x.yaml:1:');
    expect(String(error)).not.toContain(the.folder);
  });
});
