import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '#base/std';
import { gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';
import { configMap } from '../manifests.ts';

// `fairlead render` as a user runs it: the built program, a folder or a file, and no cluster anywhere.
const program = join(import.meta.dirname, '../../dist/main/fairlead.js');

let folder: { path: string; remove(): Promise<void> };
let repo: GitRepositoryFixture;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'repo'));
  await repo.commit({
    'plain/a.yaml': configMap('a', 'big: "12345678901234567890"'),
    'plain/nested/b.yaml': configMap('b'),
    'base/kustomization.yaml': 'resources: [web.yaml]\n',
    'base/web.yaml': configMap('web'),
    'overlays/prod/kustomization.yaml': 'resources: [../../base]\nnamePrefix: prod-\n',
    'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 0.1.0\n',
    'chart/values.yaml': 'greeting: hello\n',
    'chart/templates/cm.yaml': configMap(
      '{{ .Release.Name }}-{{ .Release.Namespace }}',
      'x: "{{ .Values.greeting }} {{ .Capabilities.KubeVersion.Version }}"',
    ),
    'broken/kustomization.yaml': 'resources: [missing.yaml]\n',
  });
  await write('app.yaml', application('shop', { repoURL: repo.dir, path: 'plain', targetRevision: 'main' }));
});
afterAll(() => folder.remove());

const write = async (path: string, text: string): Promise<string> => {
  const at = join(folder.path, path);
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, text);
  return at;
};

const application = (name: string, source: object): string =>
  JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: { project: 'default', source, destination: { name: 'in-cluster', namespace: 'shop-ns' } },
  });

const render = (...words: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder.path,
      XDG_CACHE_HOME: join(tmpdir(), 'fairlead-e2e-cache'),
      TMPDIR: join(folder.path, 'tmp'),
    };
    execFile(process.execPath, [program, 'render', ...words], { env, cwd: folder.path }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });

beforeAll(() => mkdir(join(folder.path, 'tmp'), { recursive: true }));

describe('a folder', () => {
  test('is printed as it is on disk, with what is not committed, and nothing is left behind', async () => {
    await writeFile(join(repo.dir, 'plain/uncommitted.yaml'), configMap('new'));
    expect(await render('repo/plain', '--output', 'name')).toEqual({
      code: 0,
      out: 'configmap/a\nconfigmap/new\n',
      err: '',
    });
    expect(await readdir(join(folder.path, 'tmp'))).toEqual([]);
  });

  test('is YAML that kubectl reads, or a JSON list', async () => {
    const yaml = await render('repo/plain', '--directory-recurse', '--directory-exclude', 'uncommitted*');
    expect(yaml.out).toBe(
      [configMap('a', 'big: "12345678901234567890"'), configMap('b', 'x: "1"')].join('---\n'),
    );
    const json = await render('repo/plain', '-o', 'json', '--directory-include', 'a.yaml');
    expect(parseJson(json.out)).toMatchObject({ kind: 'List', items: [{ metadata: { name: 'a' } }] });
  });

  test('of a kustomization may use the rest of its repository, and says what it depends on', async () => {
    const { code, out, err } = await render('repo/overlays/prod', '-o', 'name', '--why', '--namesuffix=-x');
    expect({ code, out }).toEqual({ code: 0, out: 'configmap/prod-web-x\n' });
    expect(err).toContain('prod: 1 objects, Kustomize\n  ran kustomize build overlays/prod\n');
    expect(err).toContain('  depends on base/web.yaml\n');
    expect(err).not.toContain('plain');
  });

  test('of a chart takes parameters, a name, a namespace and the version of a cluster', async () => {
    const where = ['--name', 'shop', '-n', 'ns', '--kube-version', '1.31.2'];
    const { out } = await render('repo/chart', ...where, '-p', 'greeting=hi');
    expect(out).toContain('name: shop-ns\n');
    expect(out).toContain('x: hi v1.31.2\n');
  });
});

test('a config management plugin is run where its plugin.yaml is given', async () => {
  const script = 'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: %s}\\n" "$ARGOCD_APP_NAME"';
  const generate = { command: ['sh', '-c', script] };
  const plugin = {
    kind: 'ConfigManagementPlugin',
    metadata: { name: 'mine' },
    spec: { generate, discover: { fileName: '*.mine' } },
  };
  await write('plugins/mine.yaml', JSON.stringify(plugin));
  await write('repo/mine/x.mine', '');
  expect(await render('repo/mine', '--plugins', 'plugins', '-o', 'name')).toMatchObject({
    out: 'configmap/mine\n',
  });
  expect(await render('repo/mine', '--plugins', 'nowhere')).toMatchObject({
    code: 20,
    err: expect.stringContaining('nowhere is not a folder that can be read'),
  });
});

describe('an Application file', () => {
  test('is rendered from its repository, as committed', async () => {
    expect((await render('app.yaml', '-o', 'name')).out).toBe('configmap/a\n');
  });

  test('is rendered from a clone instead, when there is one', async () => {
    await write(
      'far.yaml',
      application('far', { repoURL: 'https://git.example.com/far.git', path: 'plain' }),
    );
    const { out } = await render('far.yaml', '--local-repo-root', 'repo', '-o', 'name');
    expect(out).toBe('configmap/a\nconfigmap/new\n');
  });

  test('may hold several, of which one is chosen by name', async () => {
    const source = { repoURL: repo.dir, path: 'overlays/prod' };
    await write(
      'two.yaml',
      `${await application('one', { ...source, path: 'base' })}\n---\n${application('two', source)}`,
    );
    expect((await render('two.yaml', '-o', 'name')).out).toBe('configmap/web\nconfigmap/prod-web\n');
    expect((await render('two.yaml', '-o', 'name', '--name', 'two')).out).toBe('configmap/prod-web\n');
    expect(await render('two.yaml', '--name', 'three')).toMatchObject({
      code: 20,
      err: expect.stringContaining('no Application named three: there are one, two'),
    });
  });
});

describe('credentials from a file of Secrets (CRED-1, CRED-2)', () => {
  const secret = (type: string, stringData: Record<string, string>): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `x-${type}`, labels: { 'argocd.argoproj.io/secret-type': type } },
      stringData,
    });

  test('open the repositories that they are for, directly or as a template', async () => {
    const authorization = `Basic ${Buffer.from('joe:hunter2').toString('base64')}`;
    const server = await gitHttpServer({ root: folder.path, authorization });
    const url = `${server.url}/repo/.git`;
    const app = await write(
      'closed.yaml',
      application('closed', { repoURL: url, path: 'plain', targetRevision: 'main' }),
    );
    const refused = await render(app);
    expect(refused).toMatchObject({ code: 20, err: expect.stringContaining('--repo-creds') });
    const login = { username: 'joe', password: 'hunter2' };
    for (const text of [
      secret('repository', { url, ...login }),
      secret('repo-creds', { url: server.url, ...login }),
    ]) {
      const file = await write('secrets.yaml', text);
      expect(await render(app, '--repo-creds', file, '-o', 'name')).toMatchObject({
        code: 0,
        out: 'configmap/a\n',
      });
    }
    const odd = await write('secrets.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: odd}\n');
    const { err } = await render(app, '--repo-creds', odd);
    expect(err).toContain('Secret odd in');
    await server.close();
  });
});

describe('what cannot be rendered is told in one line', () => {
  test.each([
    ['nowhere', 'there is nothing at nowhere: give a folder, or a file with an Application'],
    ['repo/plain/a.yaml', 'holds no Application: give a folder, or a file with an Application'],
    ['repo/broken', 'broken: `kustomize build broken` failed'],
    [
      'spaces.yaml',
      'repository URL "https://git.example.com/my repo.git" holds a character that no URL may hold',
    ],
    ['path.yaml', 'nope: app path does not exist: check source.path and the revision'],
    ['set.yaml', 'holds an ApplicationSet, which is not rendered yet'],
  ])('%s', async (path, message) => {
    await write(
      'spaces.yaml',
      application('x', { repoURL: 'https://git.example.com/my repo.git', path: '.' }),
    );
    await write('path.yaml', application('x', { repoURL: repo.dir, path: 'nope' }));
    await write('set.yaml', 'apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: x}\n');
    const { code, out, err } = await render(path);
    expect({ code, out }).toEqual({ code: 20, out: '' });
    expect(err).toContain(message);
    expect(err).not.toContain('at file:'); // a stack
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});
