import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppProject } from '#base/model';
import { denySource } from '#engine';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 6: a remote kustomize base or chart dependency that nobody allowed.

let the: ManifestsFixture;
let server: Server;
let url: string;
const requests: string[] = [];

/** Where servers of this machine may be asked, so that nothing but the rule under test stands in the way. */
let near: ManifestsFixture;
let bases: GitRepositoryFixture;
let git: GitHttpServer;

beforeAll(async () => {
  the = await manifestsFixture();
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(configMap('remote'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  near = await manifestsFixture({ loopback: true });
  bases = await gitRepository(join(near.folder, 'git/org/bases.git'));
  git = await gitHttpServer({ root: join(near.folder, 'git') });
});
afterAll(async () => {
  await git.close();
  await Promise.all([the.close(), near.close()]);
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
      message: expect.stringContaining('remote base'),
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
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(PermissionDenied|InvalidSpec)$/) });
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

/** Renders a kustomization that names these places, with nothing in the way but what the test puts there. */
async function naming(places: readonly string[], more = {}): Promise<readonly string[]> {
  await near.repo.commit({ app: undefined, 'app/kustomization.yaml': JSON.stringify({ resources: places }) });
  return near.names({ path: 'app' }, more);
}

describe('a value file of the web', () => {
  const asked = async (permits: (url: string) => boolean): Promise<unknown> => {
    await near.repo.commit({
      'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
      'chart/templates/x.yaml': configMap('x', 'v: {{ .Values.kind | quote }}'),
    });
    const chartRepositories = { list: () => [], permits };
    const source = { path: 'chart', helm: { valueFiles: [`${url}/values.yaml`] } };
    return near.manifests.generate(near.ctx, near.request(source, { chartRepositories }));
  };

  test('outside the list of the project is refused, and nobody is asked', async () => {
    requests.length = 0;
    await expect(asked((one) => one === near.repo.dir)).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: `value file ${url}/values.yaml cannot be used: project 'default' does not permit ${url}/values.yaml: add it to spec.sourceRepos of the project, or copy what it holds into the repository`,
    });
    expect(requests).toEqual([]);
  });

  test('that the list permits is read', async () => {
    expect(await asked(() => true)).toMatchObject({ objects: [{ data: { v: 'ConfigMap' } }] });
    requests.length = 0;
  });
});

describe('a remote base', () => {
  test.each([
    () => `${url}/x.yaml`,
    () => `${git.url}/org/bases.git//base`,
    () => `git::${git.url}/org/bases.git//base?ref=main`,
    () => `${git.url.replace('http', 'HTTP')}/org/bases.git//base`,
    () => `file://${bases.dir}//base`,
    () => 'git@127.0.0.1:org/bases.git//base',
    () => 'ssh://git@127.0.0.1:1/org/bases.git//base',
    () => 'github.com/org/repo//base',
  ])('outside the list of the project is refused, and nobody is asked (%#)', async (place) => {
    git.requests.length = 0;
    const asked: string[] = [];
    const permits = (one: string): boolean => {
      asked.push(one);
      return false;
    };
    const chartRepositories = { list: () => [], permits };
    await expect(naming([place()], { chartRepositories })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining('add it to spec.sourceRepos'),
    });
    expect(asked.length).toBeGreaterThan(0);
    expect([...requests, ...git.requests]).toEqual([]);
  });

  test('is judged by the list of the project: a denial wins, and one that does not match lets through (SRC-7)', async () => {
    await bases.commit({
      'base/kustomization.yaml': 'resources: [cm.yaml]\n',
      'base/cm.yaml': configMap('a'),
    });
    const judged = (sourceRepos: string[]) => {
      const project: AppProject = {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name: 'p' },
        spec: { sourceRepos },
      };
      const permits = (one: string): boolean => denySource(project, one) === undefined;
      const chartRepositories = { list: () => [], permits };
      return naming([`${git.url}/org/bases.git//base`], { chartRepositories });
    };
    for (const list of [['*'], [`${git.url}/org/*`], [`${git.url}/ORG/bases`], ['!https://elsewhere/*']]) {
      expect(await judged(list), list.join()).toEqual(['a']);
    }
    for (const list of [[], [`${git.url}/*`], ['*', `!${git.url}/org/bases`], [`${git.url}/org/base`]]) {
      await expect(judged(list), list.join()).rejects.toMatchObject({ code: 'PermissionDenied' });
    }
  });

  test('that another names is judged like the first', async () => {
    await bases.commit({ 'base/kustomization.yaml': `resources: ["${url}/x.yaml"]\n` });
    const chartRepositories = { list: () => [], permits: (one: string) => one.startsWith(git.url) };
    await expect(naming([`${git.url}/org/bases.git//base`], { chartRepositories })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining(`does not permit ${url}/x.yaml`),
    });
    expect(requests).toEqual([]);
  });

  test.each([
    'bases.git//../../etc',
    'bases.git//base/../..',
    'bases.git/../x',
    'bases.git//base/../../bases.git',
  ])('whose folder %s lies outside its repository is refused', async (place) => {
    await expect(naming([`${git.url}/org/${place}`])).rejects.toThrow('url path exits repo');
  });

  test.each([
    'resources: [../../files]',
    'resources: [../../../home]',
    'resources: [../../../../../../../../etc]',
    'components: [../..]',
    'configMapGenerator: [{name: x, files: [../../../files/secret.txt]}]',
    'patches: [{path: ../../p.yaml}]',
    'resources: [link]',
  ])('finds nothing beyond its own repository: %s', async (text) => {
    await bases.commit({ 'base/kustomization.yaml': `${text}\n`, 'base/link': 'x' });
    await near.repo.commit({ 'secret.txt': 'hunter2' });
    const settings = { kustomizeBuildOptions: '--load-restrictor LoadRestrictionsNone' };
    await expect(naming([`${git.url}/org/bases.git//base`], { settings })).rejects.toMatchObject({
      code: 'RenderFailed',
      message: expect.not.stringContaining('hunter2'),
    });
  });

  test('whose submodule is a folder of this machine is refused', async () => {
    const head = await near.repo.commit({ 'secret.txt': 'hunter2' });
    await bases.commit({
      'base/kustomization.yaml': 'resources: [cm.yaml]\n',
      'base/cm.yaml': configMap('a'),
      '.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ${near.repo.dir}\n`,
    });
    await bases.git('update-index', '--add', '--cacheinfo', `160000,${head},s`);
    await bases.git('commit', '--quiet', '-m', 'a submodule');
    await expect(naming([`${git.url}/org/bases.git//base`])).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
    await bases.git('rm', '-q', '--cached', 's');
    await bases.commit({ '.gitmodules': undefined });
  });

  test('with a link out of its repository is refused', async () => {
    await bases.commit({
      'base/kustomization.yaml': 'resources: [link]\n',
      'base/link': { symlink: '../../../../files' },
    });
    await expect(naming([`${git.url}/org/bases.git//base`])).rejects.toThrow(/link/);
    await bases.commit({ 'base/link': undefined });
  });

  test.each([
    ['itself', () => [`${git.url}/org/bases.git//base`]],
    ['another that names it', () => [`${git.url}/org/bases.git//back`]],
  ])('that names %s is a cycle', async (_what, resources) => {
    await bases.commit({
      'base/kustomization.yaml': JSON.stringify({ resources: resources() }),
      'back/kustomization.yaml': JSON.stringify({ resources: [`${git.url}/org/bases.git//base`] }),
    });
    await expect(naming([`${git.url}/org/bases.git//base`])).rejects.toThrow('cycle detected: URI');
  });

  test('that names ever new ones comes to an end', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `c${at}/kustomization.yaml`,
        JSON.stringify({ resources: [`${git.url}/org/bases.git//c${at + 1}`] }),
      ]),
    );
    await bases.commit({ ...chain, 'c20/kustomization.yaml': 'namePrefix: x\n' });
    await expect(naming([`${git.url}/org/bases.git//c0`])).rejects.toMatchObject({ code: 'LimitExceeded' });
    const many = Array.from({ length: 150 }, (_, at) => `${git.url}/org/bases.git//c20?ref=main&n=${at}`);
    await expect(naming(many)).rejects.toMatchObject({ code: 'LimitExceeded' });
  });

  test('that redirects is not followed, nor told who we are', async () => {
    const away = await gitHttpServer({ root: near.folder, redirectTo: url });
    await expect(naming([`${away.url}/org/bases.git//base`])).rejects.toThrow(away.url);
    expect(requests).toEqual([]);
    await away.close();
  });

  test('that redirects to an address of the machine or the cloud is not read', async () => {
    const away = await gitHttpServer({ root: near.folder, redirectTo: 'http://169.254.169.254' });
    await expect(naming([`${away.url}/latest/meta-data.yaml`])).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
    await away.close();
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/x.yaml',
    'http://169.254.169.254/org/repo.git//base',
    'http://[fd00:ec2::254]/org/repo.git//base',
    'http://0.0.0.0/x.yaml',
    'file:///etc//base',
    'file:///etc/passwd',
  ])('at %s is not asked for', async (place) => {
    await expect(naming([place])).rejects.toMatchObject({ code: 'PermissionDenied' });
  });

  test.each([
    'ext::sh -c "touch /tmp/pwned"//base',
    'git::ext::sh -c touch% /tmp/pwned',
    'fd::17//base',
    '--upload-pack=touch//x',
    'git::--upload-pack=x//y',
    'ssh://-oProxyCommand=touch/org/repo.git//base',
    '-oProxyCommand=x@host:org/repo//base',
  ])('of no kind that we speak is not run: %s', async (place) => {
    await expect(naming([place])).rejects.toMatchObject({
      code: expect.stringMatching(/^(InvalidSpec|RenderFailed|PermissionDenied)$/),
    });
  });

  test('whose server says whatever it likes is told as a failure of that server', async () => {
    const chartRepositories = { list: () => [], permits: () => true };
    await expect(naming([`${url}/org/bases.git//base`], { chartRepositories })).rejects.toThrow(url);
    requests.length = 0;
  });
});
