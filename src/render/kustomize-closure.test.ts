import { describe, expect, test } from 'vitest';
import { type MemoryFile, memoryTree, recordingTree } from '#model';
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

  test('a chart from elsewhere must lie where it would be fetched to', async () => {
    const chart = 'helmCharts: [{name: c, version: 1.0.0, repo: "https://user:word@charts.example.com"}]\n';
    await expect(closure({ 'app/kustomization.yaml': chart })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringMatching(
        /^app\/kustomization.yaml inflates chart c from https:\/\/charts.example.com, /,
      ),
    });
    for (const place of ['app/charts/c/Chart.yaml', 'app/charts/c-1.0.0/c/Chart.yaml']) {
      expect((await closure({ 'app/kustomization.yaml': chart, [place]: '' })).folders).toEqual([
        'app/charts',
      ]);
    }
  });

  test('a file that is named and missing is asked for, so that its appearance counts', async () => {
    const { tree, trace } = recordingTree(
      memoryTree({ 'app/kustomization.yaml': 'resources: [later.yaml]\n' }),
    );
    await kustomizeClosure(tree, 'app', undefined);
    expect(trace()).toContainEqual({ ask: 'resolve', path: 'app/later.yaml', answer: 'undefined' });
    expect(trace()).toContainEqual({ ask: 'has', path: 'app/Kustomization', answer: 'false' });
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
    'ssh://git@host/x',
    'git::https://host/x',
    'file:///etc/passwd',
  ])('the remote base %s is refused', async (base) => {
    const text = `resources: ["${base}"]\n`;
    await expect(closure({ 'app/kustomization.yaml': text })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining('app/kustomization.yaml names the remote base'),
    });
  });

  test('a URL that is not a place is no business of ours; a user in one is not told', async () => {
    const text =
      'commonAnnotations: {docs: "https://example.com"}\nconfigMapGenerator: [{literals: ["u=https://x"]}]\n';
    await expect(closure({ 'app/kustomization.yaml': text })).resolves.toBeDefined();
    const secret = closure({ 'app/kustomization.yaml': 'resources: ["https://joe:hunter2@host/x"]\n' });
    await expect(secret).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
  });
});
