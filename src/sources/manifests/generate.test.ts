import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cpuNow } from '../../../test/cpu-time.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';

let the: ManifestsFixture;

beforeAll(async () => {
  the = await manifestsFixture();
  await the.repo.commit({
    'plain/a.yaml': configMap('a'),
    'plain/nested/b.yaml': configMap('b'),
  });
}, 60_000);

afterAll(() => the.close());

describe('a folder of manifests', () => {
  test('is rendered in process', async () => {
    const result = await the.manifests.generate(
      the.ctx,
      the.request({ path: 'plain', directory: { recurse: true } }),
    );
    expect(result.objects.map((object) => object.metadata.name)).toEqual(['a', 'b']);
    expect(result).toMatchObject({ sourceTypes: ['Directory'], commands: [], warnings: [] });
    expect(result.revisions).toEqual([await the.repo.git('rev-parse', 'main')]);
  });

  test('is served from the cache until something it reads changes, and says what changed', async () => {
    const ask = () => the.manifests.generate(the.ctx, the.request({ path: 'plain' }));
    expect(await ask()).toMatchObject({
      cached: false,
      why: 'source.directory.recurse changed',
    });
    await the.repo.commit({ 'elsewhere.yaml': configMap('z'), 'plain/nested/b.yaml': configMap('b2') });
    expect(await ask()).toMatchObject({ cached: true, why: 'nothing it depends on has changed' });
    await the.repo.commit({ 'plain/a.yaml': configMap('a', 'x: "2"') });
    expect(await ask()).toMatchObject({ cached: false, why: 'plain/a.yaml changed' });
    await the.repo.commit({ 'plain/c.yaml': configMap('c') });
    expect(await ask()).toMatchObject({ cached: false, why: 'plain/c.yaml was added' });
    await the.repo.git('revert', '--no-edit', 'HEAD');
    expect(await ask()).toMatchObject({ cached: true });
  });

  test('takes little processor time from commit to manifests when warm', async () => {
    await the.manifests.generate(the.ctx, the.request({ path: 'plain' }));
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      await the.repo.commit({ 'plain/a.yaml': configMap('a', `x: "round ${round}"`) });
      const start = cpuNow();
      const { objects } = await the.manifests.generate(the.ctx, the.request({ path: 'plain' }));
      times.push(cpuNow() - start);
      expect(JSON.stringify(objects)).toContain(`round ${round}`);
    }
    expect(times.sort((a, b) => a - b)[2]).toBeLessThan(1000);
  });

  test('gives frozen objects, because they are handed out again', async () => {
    const { objects } = await the.manifests.generate(the.ctx, the.request({ path: 'plain' }));
    expect(() => Object.assign(objects[0]?.metadata ?? {}, { name: 'changed' })).toThrow(TypeError);
  });

  test('many who ask at once share one render', async () => {
    await the.repo.commit({ 'plain/a.yaml': configMap('a', 'x: "shared"') });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => the.manifests.generate(the.ctx, the.request({ path: 'plain' }))),
    );
    expect(new Set(results.map(({ objects }) => objects[0])).size).toBe(1);
  });
});

describe('what cannot be rendered is told with the place and the fix', () => {
  test('a missing path', async () => {
    await expect(the.manifests.generate(the.ctx, the.request({ path: 'nope' }))).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('nope: app path does not exist'),
    });
  });

  test('bad YAML, with file and line', async () => {
    await the.repo.commit({
      'bad-yaml/x.yaml': `${configMap('ok')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n`,
    });
    await expect(the.manifests.generate(the.ctx, the.request({ path: 'bad-yaml' }))).rejects.toMatchObject({
      code: 'RenderFailed',
      message: expect.stringMatching(/^Failed to unmarshal "bad-yaml\/x.yaml": yaml document 2, line \d+/),
    });
  });

  test('an object without a name, with file and line', async () => {
    await the.repo.commit({ 'nameless/x.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n' });
    await expect(the.manifests.generate(the.ctx, the.request({ path: 'nameless' }))).rejects.toThrow(
      'Failed to unmarshal "nameless/x.yaml": line 1: metadata.name is missing',
    );
  });

  test('a failure is remembered until its cause changes', async () => {
    const again = () =>
      the.manifests.generate(the.ctx, the.request({ path: 'bad-yaml' })).catch((thrown: Error) => thrown);
    const first = await again();
    expect(await again()).toBe(first);
    await the.repo.commit({ 'bad-yaml/x.yaml': configMap('mended') });
    expect(await the.names({ path: 'bad-yaml' })).toEqual(['mended']);
  });

  test('jsonnet, with the variables of its application; a changed library is a changed result (JSN-2, JSN-3)', async () => {
    const program =
      "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: std.extVar('app') + (import 'n.libsonnet') } }";
    await the.repo.commit({ 'jsonnet/x.jsonnet': program, 'lib/n.libsonnet': "'-one'" });
    const extVars = [{ name: 'app', value: '$ARGOCD_APP_NAME' }];
    const source = { path: 'jsonnet', directory: { jsonnet: { extVars, libs: ['lib'] } } };
    expect(await the.names(source)).toEqual(['shop-one']);
    await the.repo.commit({ 'lib/n.libsonnet': "'-two'" });
    expect(await the.names(source)).toEqual(['shop-two']);
    await the.repo.commit({ 'jsonnet/n.libsonnet': "'-nearer'" });
    expect(await the.names(source)).toEqual(['shop-nearer']);
  });
});

describe('override files (1.12)', () => {
  test('change the source of every application in the folder, then of one', async () => {
    await the.repo.commit({
      'over/chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 0.1.0\n',
      'over/chart/templates/cm.yaml': configMap('{{ .Release.Name }}', 'x: "{{ .Values.a }}{{ .Values.b }}"'),
      'over/chart/.argocd-source.yaml':
        'repoURL: https://evil.example.com\nhelm: {parameters: [{name: a, value: all}]}\n',
      'over/chart/.argocd-source-shop.yaml': 'helm: {valuesObject: {b: one}}\n',
    });
    const { objects } = await the.manifests.generate(the.ctx, the.request({ path: 'over/chart' }));
    expect(objects[0]).toMatchObject({ metadata: { name: 'shop' }, data: { x: 'allone' } });
  });
});
