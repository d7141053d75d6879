import { describe, expect, test } from 'vitest';
import { type KustomizeOptions, memoryTree } from '#base/model';
import { parseJson } from '#base/std';
import { planKustomize } from './kustomize.ts';
import { splitImage, withImages } from './kustomize-image.ts';
import { buildOptionsOf, parseBuildOptions } from './kustomize-options.ts';

const plan = (kustomization: string, options: KustomizeOptions, buildOptions = '') =>
  planKustomize(
    memoryTree({ 'app/kustomization.yaml': kustomization, 'part/kustomization.yaml': '' }),
    'app',
    options,
    {
      build: parseBuildOptions(buildOptions),
      kubeVersion: 'v1.33.4-gke.1',
      apiVersions: ['v1'],
    },
  );
const edited = async (kustomization: string, options: KustomizeOptions, buildOptions = '') =>
  parseJson((await plan(kustomization, options, buildOptions)).edited?.text ?? 'null');

describe('what an application adds to its kustomization (3.1)', () => {
  test('nothing: the file stays as it is', async () => {
    expect(await plan('resources: []', {})).toEqual({
      edited: undefined,
      args: ['--load-restrictor', 'LoadRestrictionsRootOnly'],
      needsHelm: false,
    });
  });

  test('names and namespace replace those of the file, however it spells the field', async () => {
    const options = { namePrefix: 'p-', nameSuffix: '-s', namespace: 'n' };
    expect(await edited('Namespace: old\nnamePrefix: q-\nresources: [x]', options)).toEqual({
      Namespace: 'n',
      namePrefix: 'p-',
      nameSuffix: '-s',
      resources: ['x'],
    });
  });

  test('images are upserted and sorted, old spellings included', async () => {
    const file = 'images: [{name: b, newTag: "1"}]\nimageTags: [{name: z, newTag: "9"}]';
    expect(await edited(file, { images: ['b=*:2', 'a:3', 'c=d@sha256:x'] })).toEqual({
      images: [
        { name: 'a', newTag: '3' },
        { name: 'b', newTag: '2' },
        { name: 'c', newName: 'd', digest: 'sha256:x' },
        { name: 'z', newTag: '9' },
      ],
    });
  });

  test('replicas are upserted and sorted; a count must be a number', async () => {
    const file = 'replicas: [{name: b, count: 1}, {name: z, count: 1}]';
    expect(
      await edited(file, {
        replicas: [
          { name: 'b', count: '3' },
          { name: 'a', count: 2 },
        ],
      }),
    ).toEqual({
      replicas: [
        { name: 'a', count: 2 },
        { name: 'b', count: 3 },
        { name: 'z', count: 1 },
      ],
    });
    await expect(plan(file, { replicas: [{ name: 'a', count: 'x' }] })).rejects.toThrow(
      'expected integer value for count. Received: x',
    );
  });

  test('labels and annotations conflict unless forced', async () => {
    const file = 'commonLabels: {a: old}\ncommonAnnotations: {a: old}';
    await expect(plan(file, { commonLabels: { a: 'new' } })).rejects.toThrow(
      'label a already in kustomization file. Use --force to override.',
    );
    await expect(plan(file, { commonAnnotations: { a: 'new' } })).rejects.toThrow('annotation a already');
    const forced = { commonLabels: { a: 'new' }, forceCommonLabels: true, commonAnnotations: { b: 'c' } };
    expect(await edited(file, forced)).toEqual({
      commonLabels: { a: 'new' },
      commonAnnotations: { a: 'old', b: 'c' },
    });
  });

  test('double quotes around a label or an annotation are taken off, others stay (KUS-3)', async () => {
    const quoted = { a: '"yes"', b: "'no'", c: '"', d: 'x"y"' };
    const unquoted = { a: 'yes', b: "'no'", c: '"', d: 'x"y"' };
    expect(await edited('', { commonLabels: quoted, commonAnnotations: quoted })).toEqual({
      commonLabels: unquoted,
      commonAnnotations: unquoted,
    });
  });

  test('an empty file can be edited; one that is no map cannot', async () => {
    expect(await edited('# nothing', { namespace: 'n' })).toEqual({ namespace: 'n' });
    await expect(plan('- a', { namespace: 'n' })).rejects.toThrow('app/kustomization.yaml: it must be a map');
  });

  test('labels without selectors join the first entry with the same flags (KUS-1)', async () => {
    const file = 'labels: [{pairs: {x: v}, includeSelectors: true}, {pairs: {a: b}}]';
    expect(await edited(file, { commonLabels: { c: 'd' }, labelWithoutSelector: true })).toEqual({
      labels: [{ pairs: { x: 'v' }, includeSelectors: true }, { pairs: { a: 'b', c: 'd' } }],
    });
    const templates = { commonLabels: { c: 'd' }, labelWithoutSelector: true, labelIncludeTemplates: true };
    expect(await edited('{}', templates)).toEqual({
      labels: [{ includeTemplates: true, pairs: { c: 'd' } }],
    });
    await expect(plan('{}', { commonLabels: { c: 'd' }, labelIncludeTemplates: true })).rejects.toThrow(
      '--without-selector flag must be specified for --include-templates to work',
    );
  });

  test('patches are appended; components too, once, and without missing ones when so asked', async () => {
    const options = {
      components: ['../part', '../gone', '../../out'],
      ignoreMissingComponents: true,
    };
    expect(
      await edited('components: [../part]\npatches: [{path: x}]', { ...options, patches: [{ path: 'y' }] }),
    ).toEqual({ components: ['../part'], patches: [{ path: 'x' }, { path: 'y' }] });
  });

  test('a folder without a kustomization cannot be edited', async () => {
    const tree = memoryTree({ 'x.yaml': '' });
    const context = { build: parseBuildOptions(''), kubeVersion: '', apiVersions: [] };
    await expect(planKustomize(tree, '', { namePrefix: 'x' }, context)).rejects.toThrow(
      'kustomization file not found in the path',
    );
  });

  test('integers of any size survive an edit', async () => {
    const { edited } = await plan('patches: [{patch: "x", target: {n: 12345678901234567890}}]', {
      namePrefix: 'p',
    });
    expect(edited?.text).toContain('12345678901234567890');
  });
});

describe('build options (KUS-4)', () => {
  test('are passed on, or written into the kustomization where the engine has no such option', async () => {
    const options =
      '--enable-helm --reorder=none --enable-managedby-label --load-restrictor LoadRestrictionsNone';
    const { args, needsHelm } = await plan('{}', {}, options);
    expect(args).toEqual([
      ...['--load-restrictor', 'LoadRestrictionsNone', '--enable-helm'],
      ...['--helm-kube-version', '1.33.4', '--helm-api-versions', 'v1'],
    ]);
    expect(needsHelm).toBe(true);
    expect(await edited('{}', {}, options)).toEqual({
      sortOptions: { order: 'fifo' },
      buildMetadata: ['managedByLabel'],
    });
  });

  test.each([
    '--enable-alpha-plugins',
    '--enable-exec',
    '-o /x',
    '--network',
    '--mount a',
    '-e A',
    'constructor',
  ])('%s is refused', (option) => {
    expect(() => parseBuildOptions(option)).toThrow(/is not allowed/);
  });

  test('a value that is missing or unknown is told', () => {
    expect(() => parseBuildOptions('--reorder')).toThrow('--reorder needs a value');
    expect(() => parseBuildOptions('--load-restrictor none')).toThrow('must be LoadRestrictionsRootOnly or');
  });
});

test('charts inside a kustomization are told the versions of the cluster, unless the options say others', async () => {
  const own =
    '--enable-helm --helm-kube-version 1.30.1 --helm-api-versions a/v1,b/v1 --helm-debug --helm-command evil';
  expect((await plan('{}', { kubeVersion: '1.31', apiVersions: ['c/v1'] }, '--enable-helm')).args).toEqual([
    ...['--load-restrictor', 'LoadRestrictionsRootOnly', '--enable-helm'],
    ...['--helm-kube-version', '1.31.0', '--helm-api-versions', 'c/v1'],
  ]);
  expect((await plan('{}', {}, own)).args).toEqual([
    ...['--load-restrictor', 'LoadRestrictionsRootOnly', '--enable-helm', '--helm-kube-version', '1.30.1'],
    ...['--helm-api-versions', 'a/v1', '--helm-api-versions', 'b/v1', '--helm-debug'],
  ]);
});

test('a registered version brings its own build options (KUS-5, DEV-16)', () => {
  const registered = [{ version: 'v4', buildOptions: '--enable-helm' }, { version: 'v5' }];
  expect(buildOptionsOf(undefined, '', registered)).toEqual({ build: parseBuildOptions('') });
  expect(buildOptionsOf('v4', '', registered)).toMatchObject({
    build: { enableHelm: true },
    warning: expect.any(String),
  });
  expect(buildOptionsOf('v5', '--enable-managedby-label', registered).build.managedByLabel).toBe(true);
  expect(() => buildOptionsOf('v6', '', registered)).toThrow('kustomize version v6 is not registered');
});

describe('image overrides (3.1.1)', () => {
  test.each([
    ['nginx', { name: 'nginx', tag: '', digest: '' }],
    ['nginx:1', { name: 'nginx', tag: '1', digest: '' }],
    ['host:5000/nginx', { name: 'host:5000/nginx', tag: '', digest: '' }],
    ['host:5000/nginx:1@sha256:a', { name: 'host:5000/nginx', tag: '1', digest: 'sha256:a' }],
    ['nginx@sha256:a', { name: 'nginx', tag: '', digest: 'sha256:a' }],
  ])('%s', (image, parts) => {
    expect(splitImage(image)).toEqual(parts);
  });

  test('a star keeps what the file says first, not what another override says', () => {
    const before = [
      { name: 'a', newName: 'first' },
      { name: 'a', newName: 'second' },
    ];
    expect(withImages(before, ['a=other:1', 'a=*:2'])).toEqual([
      { name: 'a', newName: 'first', newTag: '2' },
    ]);
  });

  test('an empty tag, as an unset variable leaves it, takes the tag away', () => {
    expect(withImages([{ name: 'a', newTag: '1' }], ['a:'])).toEqual([{ name: 'a' }]);
  });

  test('a name alone says nothing; an empty value keeps the name', () => {
    expect(() => withImages([], ['nginx'])).toThrow('is not of the form');
    expect(withImages([], ['app='])).toEqual([{ name: 'app' }]);
  });
});
