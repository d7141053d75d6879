import { describe, expect, test } from 'vitest';
import { type MemoryFile, memoryTree, recordingTree } from '#base/model';
import { kustomizeClosure } from './kustomize-closure.ts';

const closure = (files: Record<string, MemoryFile>, path = 'app') =>
  kustomizeClosure(memoryTree(files), path, undefined);

describe('what a build may look at', () => {
  test('every file and folder the kustomization names, and what those name', async () => {
    const files = {
      'app/kustomization.yaml': [
        'resources: [a.yaml, ../base, sub/]',
        'components: [../part]',
        'patches: [{path: p.yaml}, {patch: "inline: unused.yaml"}]',
        'configMapGenerator: [{name: x, files: [f.txt, key=g.txt], envs: [e.env], literals: [unused.yaml]}]',
        'replacements: [{path: r.yaml}]',
        'openapi: {path: schema.json}',
        'namespace: unused',
      ].join('\n'),
      'base/Kustomization': 'bases: [deeper]\ncrds: [crd.json]\n',
      'base/deeper/kustomization.yml': 'resources: [x.yaml]\n',
      'sub/README': '',
      'app/sub/plain.yaml': '',
      'part/kustomization.yaml': 'kind: Component\ntransformers: [t.yaml]\n',
      'part/t.yaml': 'kind: PatchTransformer\nanything: {deep: [q.yaml]}\n',
      'part/q.yaml': '',
    };
    const others = [
      'a.yaml',
      'p.yaml',
      'f.txt',
      'g.txt',
      'e.env',
      'r.yaml',
      'schema.json',
      'unused.yaml',
      'unused/x',
    ];
    for (const name of others) Object.assign(files, { [`app/${name}`]: '' });
    for (const name of ['base/crd.json', 'base/deeper/x.yaml', 'base/other.yaml'])
      Object.assign(files, { [name]: '' });
    expect(await closure(files)).toEqual({
      files: [
        ...['a.yaml', 'e.env', 'f.txt', 'g.txt', 'kustomization.yaml', 'p.yaml', 'r.yaml', 'schema.json'].map(
          (name) => `app/${name}`,
        ),
        ...['base/Kustomization', 'base/crd.json', 'base/deeper/kustomization.yml', 'base/deeper/x.yaml'],
        ...['part/kustomization.yaml', 'part/q.yaml', 'part/t.yaml'],
      ],
      folders: ['app/sub'],
      charts: [],
      remotes: [],
    });
  });

  test('a transformer written in place names files too', async () => {
    const text = 'transformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  path: t.yaml\n';
    expect((await closure({ 'app/kustomization.yaml': text, 'app/t.yaml': '' })).files).toContain(
      'app/t.yaml',
    );
  });

  test('charts to be inflated are where charts live', async () => {
    const files = {
      'app/kustomization.yaml': 'helmCharts: [{name: c, valuesFile: v.yaml}]\n',
      'app/charts/c/Chart.yaml': '',
      'app/v.yaml': '',
    };
    expect(await closure(files)).toMatchObject({
      files: ['app/kustomization.yaml', 'app/v.yaml'],
      folders: ['app/charts'],
    });
  });

  test('a chart from elsewhere is missing unless it lies where it would be fetched to (KH-2)', async () => {
    const repository = 'https://charts.example.com';
    const chart = `helmCharts: [{name: c, version: 1.0.0, repo: "${repository}"}]\n`;
    const missing = { into: 'app/charts/c-1.0.0', name: 'c', version: '1.0.0', repository };
    expect((await closure({ 'app/kustomization.yaml': chart })).charts).toEqual([missing]);
    const unversioned = { 'app/kustomization.yaml': chart, 'app/charts/c/Chart.yaml': '' };
    expect((await closure(unversioned)).charts).toEqual([missing]);
    const there = { 'app/kustomization.yaml': chart, 'app/charts/c-1.0.0/c/Chart.yaml': '' };
    expect(await closure(there)).toMatchObject({ folders: ['app/charts'], charts: [] });
    const newest = `helmGlobals: {chartHome: h}\nhelmCharts: [{name: c, repo: "${repository}"}]\n`;
    expect((await closure({ 'app/kustomization.yaml': newest })).charts).toEqual([
      { into: 'app/h', name: 'c', version: '', repository },
    ]);
  });

  test.each([
    ['name', '{name: "../../../etc", repo: "https://x"}'],
    ['name', '{name: "..", version: "1", repo: "https://x"}'],
    ['version', '{name: c, version: "1/../../../..", repo: "https://x"}'],
    ['chartHome', '{name: c, version: "1", repo: "https://x", chartHome: /tmp}'],
    ['chartHome', '{name: c, version: "1", repo: "https://x", chartHome: ../../..}'],
  ])('a chart from elsewhere whose %s leads out of the repository is refused', async (_what, chart) => {
    const text = `helmCharts: [${chart}]\n`;
    await expect(closure({ 'app/kustomization.yaml': text })).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  test('a file that is named and missing is asked for, so that its appearance counts', async () => {
    const { tree, trace } = recordingTree(
      memoryTree({ 'app/kustomization.yaml': 'resources: [later.yaml]\n' }),
    );
    await kustomizeClosure(tree, 'app', undefined);
    expect(trace()).toContainEqual({ question: 'resolve', path: 'app/later.yaml', answer: 'undefined' });
    expect(trace()).toContainEqual({ question: 'has', path: 'app/Kustomization', answer: 'false' });
  });

  test('a circle ends, and a kustomization that cannot be read takes its whole folder', async () => {
    const circle = {
      'app/kustomization.yaml': 'resources: [../b, .]\n',
      'b/kustomization.yaml': 'resources: [../app]\n',
    };
    expect((await closure(circle)).files).toEqual(['app/kustomization.yaml', 'b/kustomization.yaml']);
    expect(await closure({ 'app/kustomization.yaml': 'resources: [' })).toMatchObject({ folders: ['app'] });
  });

  test.each([
    'https://example.com/x.yaml',
    'git@github.com:org/repo',
    'github.com/org/repo//base?ref=v1',
    'ssh://git@host/org/x',
    'git::https://host/org/x',
    'file:///srv/x',
  ])('the remote base %s is named, to be fetched by somebody else', async (base) => {
    const mention = { file: 'app/kustomization.yaml', text: base, place: base, as: 'base' };
    expect(await closure({ 'app/kustomization.yaml': `resources: ["${base}"]\n` })).toMatchObject({
      remotes: [mention],
    });
  });

  test('components are repositories, and what is read like a file is one of the web', async () => {
    const text = [
      'components: ["https://h/org/repo//c"]',
      'patches: [{path: "https://h/p.yaml"}]',
      'configMapGenerator: [{files: ["k=https://h/f"]}]',
    ].join('\n');
    expect((await closure({ 'app/kustomization.yaml': text })).remotes).toMatchObject([
      { place: 'https://h/org/repo//c', as: 'component' },
      { place: 'https://h/p.yaml', as: 'file' },
      { text: 'k=https://h/f', place: 'https://h/f', as: 'file' },
    ]);
  });

  test.each([
    'transformers: ["https://h/t.yaml"]',
    'generators: ["https://h/org/repo//g"]',
    'patches: [{path: "git@github.com:org/repo"}]',
    'resources: [gitlab.com/org/repo]',
    'helmGlobals: {chartHome: "https://h/x"}',
  ])('a remote place where none can be fetched is refused: %s', async (text) => {
    await expect(closure({ 'app/kustomization.yaml': `${text}\n` })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining('app/kustomization.yaml names the remote base'),
    });
  });

  test('names that lead out of a remote base are refused, and out of our own mean nothing (KL-5)', async () => {
    const tree = memoryTree({ 'app/kustomization.yaml': 'resources: [../../x]\n' });
    expect((await kustomizeClosure(tree, 'app', undefined)).files).toEqual(['app/kustomization.yaml']);
    await expect(kustomizeClosure(tree, 'app', undefined, { contained: true })).rejects.toThrow(
      "must be within the repo, but base '../../x'",
    );
  });

  test('a URL that is not a place is no business of ours; a user in one is not told', async () => {
    const text =
      'commonAnnotations: {docs: "https://example.com"}\nconfigMapGenerator: [{literals: ["u=https://x"]}]\n';
    await expect(closure({ 'app/kustomization.yaml': text })).resolves.toBeDefined();
    const secret = closure({ 'app/kustomization.yaml': 'transformers: ["https://joe:hunter2@host/x"]\n' });
    await expect(secret).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
  });
});
