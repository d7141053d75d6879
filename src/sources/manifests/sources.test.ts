import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Source } from '#base/model';
import { gitRepository } from '../../../test/git-repository.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';

let the: ManifestsFixture;
beforeAll(async () => {
  the = await manifestsFixture();
  await the.repo.commit({
    'one/a.yaml': configMap('a'),
    'two/b.yaml': configMap('b'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 0.1.0\n',
    'chart/templates/cm.yaml': configMap('{{ .Release.Name }}', 'x: {{ .Values.x | quote }}'),
    'env/prod.yaml': 'x: first\n',
  });
});
afterAll(() => the.close());

const many = (sources: Partial<Source>[]) => {
  const whole = sources.map((source) => ({ repoURL: the.repo.dir, targetRevision: 'main', ...source }));
  return the.manifests.generate(the.ctx, { ...the.request({}), sources: whole, multiSource: true });
};
const names = async (sources: Partial<Source>[]): Promise<string[]> =>
  (await many(sources)).objects.map(({ metadata }) => metadata.name);
const chart = (valueFile: string): Partial<Source> => ({ path: 'chart', helm: { valueFiles: [valueFile] } });

describe('several sources (1.9)', () => {
  test('MS-1: are rendered one by one, and follow each other in the order of the list', async () => {
    expect(await names([{ path: 'two' }, { path: 'one' }])).toEqual(['b', 'a']);
    expect((await many([{ path: 'two' }, { path: 'chart' }])).sourceTypes).toEqual(['Directory', 'Helm']);
  });

  test('MS-2: a ref is a plain name, and nobody else has it', async () => {
    await expect(many([chart('x'), { ref: 'a b' }])).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: "sources.ref a b cannot contain any special characters except '_' and '-'",
    });
    await expect(many([{ path: 'one' }, { ref: 'x' }, { ref: 'x' }])).rejects.toThrow('the same `ref` key');
  });

  test('MS-3: a file of a ref is looked for from the root, even if the ref has a path and manifests', async () => {
    const sources = [chart('$values/env/prod.yaml'), { ref: 'values', path: 'one' }];
    expect(await names(sources)).toEqual(['shop', 'a']);
  });

  test('MS-4: a ref that does not exist is told with those that do', async () => {
    await expect(many([chart('$nope/x.yaml'), { ref: 'values' }])).rejects.toThrow(
      'source referenced "$nope", which is not one of the available sources ($values)',
    );
    await expect(many([chart('$nope/x.yaml')])).rejects.toThrow("no source has a 'ref' field defined");
  });

  test('MS-4: a chart of a repository of charts lends no files', async () => {
    const lender = {
      repoURL: 'https://charts.example.com',
      chart: 'redis',
      targetRevision: '1.0.0',
      ref: 'values',
    };
    await expect(many([chart('$values/x.yaml'), lender])).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('redis'),
    });
  });

  test('MS-5, DEV-10: one repository may lend its files at several revisions', async () => {
    const other = await gitRepository(join(the.folder, 'other'));
    const before = await other.commit({ 'v.yaml': 'x: before\n' });
    await other.commit({ 'v.yaml': 'x: after\n' });
    const data = async (ref: string) => {
      const lenders = [
        { repoURL: other.dir, ref: 'old', targetRevision: before },
        { repoURL: other.dir, ref: 'new' },
        { ref: 'own', targetRevision: await the.repo.git('rev-parse', 'main') },
      ];
      return JSON.stringify((await many([chart(ref), ...lenders])).objects);
    };
    expect(await data('$old/v.yaml')).toContain('before');
    expect(await data('$new/v.yaml')).toContain('after');
    expect(await data('$own/env/prod.yaml')).toContain('first');
  });

  test('MS-7: what a ref lends counts, and nothing else of it does', async () => {
    const lender = await gitRepository(join(the.folder, 'lender'));
    await lender.commit({ 'v.yaml': 'x: 1\n' });
    const ask = () => many([chart('$lent/v.yaml'), { repoURL: lender.dir, ref: 'lent' }]);
    await ask();
    await lender.commit({ 'other.yaml': '' });
    expect(await ask()).toMatchObject({ cached: true });
    await lender.commit({ 'v.yaml': 'x: 2\n' });
    expect(await ask()).toMatchObject({ cached: false, why: '$lent/v.yaml changed' });
  });
});

describe('paths (1.10)', () => {
  test('PATH-4: a kustomization reads files below itself only, unless the build options say otherwise', async () => {
    await the.repo.commit({ 'kus/app/kustomization.yaml': 'resources: [../../one/a.yaml]\n' });
    const request = (kustomizeBuildOptions = '') =>
      the.request({ path: 'kus/app' }, { settings: { kustomizeBuildOptions } });
    await expect(the.manifests.generate(the.ctx, request())).rejects.toMatchObject({ code: 'RenderFailed' });
    const { objects } = await the.manifests.generate(
      the.ctx,
      request('--load-restrictor LoadRestrictionsNone'),
    );
    expect(objects).toMatchObject([{ metadata: { name: 'a' } }]);
  });

  test('KUS-7: what a kustomization names is found from its own folder', async () => {
    await the.repo.commit({
      'kus/deep/er/kustomization.yaml': 'resources: [../../base, x.yaml]\n',
      'kus/deep/er/x.yaml': configMap('x'),
      'kus/base/kustomization.yaml': 'resources: [y.yaml]\n',
      'kus/base/y.yaml': configMap('y'),
    });
    expect((await the.names({ path: 'kus/deep/er' })).sort()).toEqual(['x', 'y']);
  });
});

test('KUS-5, DEV-16: a version of kustomize must be registered; it chooses build options and is told', async () => {
  await the.repo.commit({ 'ver/kustomization.yaml': 'resources: [a.yaml]\n', 'ver/a.yaml': configMap('a') });
  const settings = {
    kustomizeVersions: [{ version: 'v4', path: '/opt/kustomize', buildOptions: '--enable-managedby-label' }],
  };
  const ask = (version: string) =>
    the.manifests.generate(the.ctx, the.request({ path: 'ver', kustomize: { version } }, { settings }));
  const { objects, warnings } = await ask('v4');
  expect(objects[0]?.metadata.labels).toHaveProperty(['app.kubernetes.io/managed-by']);
  expect(warnings).toEqual([expect.stringContaining('kustomize version v4')]);
  await expect(ask('v9')).rejects.toMatchObject({
    code: 'InvalidSpec',
    message: expect.stringContaining('kustomize.version.v9'),
  });
});

describe('override files and images', () => {
  const base = {
    'img/kustomization.yaml': 'resources: [pod.yaml]\n',
    'img/pod.yaml':
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: "registry.example.com/app:1"}]}\n',
  };
  const image = async (source: Partial<Source> = {}) => {
    const { objects, why } = await the.manifests.generate(the.ctx, the.request({ path: 'img', ...source }));
    const { spec } = objects[0] as unknown as { spec: { containers: { image: string }[] } };
    return { image: spec.containers[0]?.image, why };
  };

  test('IMG-1, OVR-4: a pin that was written back counts, and a change of it is seen', async () => {
    await the.repo.commit(base);
    expect(await image()).toMatchObject({ image: 'registry.example.com/app:1' });
    const pin = (tag: string) => ({
      'img/.argocd-source-shop.yaml': `kustomize: {images: ["registry.example.com/app:${tag}"]}\n`,
    });
    await the.repo.commit(pin('2'));
    expect(await image()).toEqual({
      image: 'registry.example.com/app:2',
      why: 'source.kustomize.images changed',
    });
    await the.repo.commit(pin('3'));
    expect((await image()).image).toBe('registry.example.com/app:3');
    await the.repo.commit({ 'img/.argocd-source-shop.yaml': undefined });
  });

  test('IMG-2: digests come through, alone and behind a tag', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const at = (text: string) => image({ kustomize: { images: [`registry.example.com/app${text}`] } });
    expect((await at(`@${digest}`)).image).toBe(`registry.example.com/app@${digest}`);
    expect((await at(`:v2@${digest}`)).image).toBe(`registry.example.com/app:v2@${digest}`);
  });
});

test('MGP-7: what a result depends on can be asked for, what is missing included', async () => {
  await the.repo.commit({
    'dep/kustomization.yaml': 'resources: [../dep-base]\n',
    'dep-base/kustomization.yml': 'resources: [x.yaml]\n',
    'dep-base/x.yaml': configMap('x'),
  });
  const { inputs } = await the.manifests.generate(the.ctx, the.request({ path: 'dep' }));
  expect(inputs).toContainEqual({ path: 'dep-base/x.yaml', is: 'file' });
  expect(inputs).toContainEqual({ path: 'dep-base/kustomization.yaml', is: 'absent' });
  expect(inputs.filter(({ path }) => !path.startsWith('dep'))).toEqual([]);
});
