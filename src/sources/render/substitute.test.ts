import { expect, test } from 'vitest';
import { memoryTree, type Source } from '#base/model';
import { withOverrides } from './override.ts';
import { substitute } from './substitute.ts';

const env = { NAME: 'web' };
const source = (more: Partial<Source>): Source => ({
  repoURL: 'https://h/r',
  path: 'a',
  targetRevision: 'main',
  ...more,
});

test('variables are replaced where ENV-2 says, and nowhere else', () => {
  const { source: done, warnings } = substitute(
    source({
      helm: {
        parameters: [{ name: '$NAME', value: '$NAME' }],
        fileParameters: [{ name: 'f', path: '$NAME.txt' }],
        valueFiles: ['env/$NAME.yaml'],
        values: '$NAME',
        releaseName: '$NAME',
      },
    }),
    env,
    undefined,
  );
  expect(done.helm).toEqual({
    parameters: [{ name: '$NAME', value: 'web' }],
    fileParameters: [{ name: 'f', path: 'web.txt' }],
    valueFiles: ['env/web.yaml'],
    values: '$NAME',
    releaseName: '$NAME',
  });
  expect(warnings).toEqual([]);
});

test('annotations of a kustomization only when asked for; unknown variables are told (DEV-13)', () => {
  const kustomize = {
    images: ['a=$NAME:$TAG'],
    commonLabels: { l: '$NAME' },
    commonAnnotations: { a: '$NAME' },
    namePrefix: '$NAME',
  };
  expect(substitute(source({ kustomize }), env, undefined)).toMatchObject({
    source: {
      kustomize: {
        images: ['a=web:'],
        commonLabels: { l: 'web' },
        commonAnnotations: { a: '$NAME' },
        namePrefix: '$NAME',
      },
    },
    warnings: ['variable $TAG is not known and stands for nothing'],
  });
  const asked = substitute(
    source({ kustomize: { ...kustomize, commonAnnotationsEnvsubst: true } }),
    env,
    undefined,
  );
  expect(asked.source.kustomize?.commonAnnotations).toEqual({ a: 'web' });
});

test('with several sources the first segment is the name of one (MS-3, MS-6)', () => {
  const helm = { valueFiles: ['$env/$NAME/v.yaml', '$NAME.yaml'] };
  const { source: done } = substitute(source({ helm }), env, ['env']);
  expect(done.helm?.valueFiles).toEqual(['$env/web/v.yaml', '$NAME.yaml']);
  expect(() => substitute(source({ helm }), env, [])).toThrow(
    `source referenced "$env", but no source has a 'ref' field defined`,
  );
});

test('override files are merged, for all and then for one; what names the source stays (OVR-1 to OVR-3)', async () => {
  const tree = memoryTree({
    'a/.argocd-source.yaml':
      'repoURL: https://evil\nref: x\nhelm: {releaseName: all, parameters: [{name: p}]}\n',
    'a/.argocd-source-shop.yaml': 'helm: {releaseName: one, parameters: null}\n',
    'a/.argocd-source-dir.yaml/x': '',
  });
  const before = source({ helm: { valueFiles: ['v'] } });
  expect(await withOverrides(tree, 'a', before, 'shop')).toEqual({
    ...before,
    helm: { valueFiles: ['v'], releaseName: 'one' },
  });
  expect((await withOverrides(tree, 'a', before, 'dir')).helm?.releaseName).toBe('all');
  expect(await withOverrides(tree, '', before, 'shop')).toBe(before);
});

test('a malformed override file fails with its name (OVR-5)', async () => {
  const tree = memoryTree({ 'a/.argocd-source.yaml': '[' });
  await expect(withOverrides(tree, 'a', source({}), 'x')).rejects.toThrow(
    'error while parsing source parameters: a/.argocd-source.yaml: ',
  );
});

test('an override file cannot reach a prototype', async () => {
  const tree = memoryTree({
    'a/.argocd-source.yaml': '{"__proto__": {"polluted": true}, "helm": {"__proto__": {"polluted": true}}}',
  });
  await withOverrides(tree, 'a', source({ helm: { releaseName: 'x' } }), 'x');
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('the variables and arguments of a Jsonnet program are replaced, its libraries are not (ENV-2, JSN-2)', () => {
  const jsonnet = {
    extVars: [{ name: 'a', value: '$ARGOCD_APP_NAME', code: true }],
    tlas: [{ name: '$b', value: 'x-$ARGOCD_APP_NAME' }],
    libs: ['$ARGOCD_APP_NAME'],
  };
  const { source } = substitute(
    { repoURL: '', directory: { jsonnet } },
    { ARGOCD_APP_NAME: 'shop' },
    undefined,
  );
  expect(source.directory?.jsonnet).toEqual({
    extVars: [{ name: 'a', value: 'shop', code: true }],
    tlas: [{ name: '$b', value: 'x-shop' }],
    libs: ['$ARGOCD_APP_NAME'],
  });
});
