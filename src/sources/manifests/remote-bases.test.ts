import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseManifests } from '#sources/render';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { type GitRepositoryFixture, gitRepository } from '../../../test/git-repository.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';
import { type StaticServer, staticServer } from '../../../test/static-server.ts';
import type { ManifestRequest } from './index.ts';

let the: ManifestsFixture;
let bases: GitRepositoryFixture;
let other: GitRepositoryFixture;
let git: GitHttpServer;
let web: StaticServer;

beforeAll(async () => {
  the = await manifestsFixture({ loopback: true });
  bases = await gitRepository(join(the.folder, 'git/org/bases'));
  other = await gitRepository(join(the.folder, 'git/org/other.git'));
  const files = await gitRepository(join(the.folder, 'web'));
  await files.commit({
    'a.yaml': configMap('from-the-web'),
    'patch.yaml': `${configMap('mine')}  patched: "yes"\n`,
    'settings.txt': 'a=1\nb=2\n',
    page: '<!doctype html><p>not a manifest</p>',
  });
  git = await gitHttpServer({ root: join(the.folder, 'git') });
  web = await staticServer({ root: files.dir });
  await bases.commit({
    'kustomization.yaml': 'resources: [base]\n',
    'base/kustomization.yaml': 'resources: [cm.yaml, ../shared]\nnamePrefix: b-\n',
    'base/cm.yaml': configMap('v1'),
    'shared/kustomization.yaml': 'resources: [s.yaml]\n',
    'shared/s.yaml': configMap('shared'),
    'part/kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [p.yaml]\nnameSuffix: -part\n',
    'part/p.yaml': configMap('p'),
    'nested/kustomization.yaml': `resources: ["${git.url}/org/other.git//deep?ref=main", ../base]\nnameSuffix: -n\n`,
    'other.txt': 'one',
  });
  await bases.git('tag', 'v1.0.0');
  await other.commit({
    'deep/kustomization.yaml': `resources: [d.yaml]\nconfigMapGenerator: [{name: g, files: ["${web.url}/settings.txt"]}]\n`,
    'deep/d.yaml': configMap('deep'),
  });
});
beforeEach(() => {
  git.requests.length = 0;
  web.requests.length = 0;
});
afterAll(async () => {
  await Promise.all([git.close(), web.close()]);
  await the.close();
});

async function commit(files: Record<string, string>): Promise<void> {
  const named = Object.entries(files).map(([path, text]) => [`app/${path}`, text]);
  await the.repo.commit({ app: undefined, ...Object.fromEntries(named) });
}

const generate = (more: Partial<ManifestRequest> = {}) =>
  the.manifests.generate(the.ctx, the.request({ path: 'app' }, more));

/** What the real engine makes of the same folder when it may fetch by itself. */
async function oracle(): Promise<readonly unknown[]> {
  const dir = await mkdtemp(join(the.folder, 'oracle-'));
  await the.repo.git('clone', '--quiet', the.repo.dir, dir);
  const { command, prefixArgs } = the.kustomize;
  const env = { HOME: dir, PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout } = await promisify(execFile)(command, [...prefixArgs, join(dir, 'app')], { env });
  return parseManifests(stdout, 'oracle', { bytes: 1e6 });
}

const named = (...places: string[]): string => JSON.stringify({ resources: places, namePrefix: 'p-' });

describe('a kustomization with places elsewhere gives what the engine gives that fetches by itself', () => {
  test.each<[string, () => Record<string, string>]>([
    [
      'a folder of a repository',
      () => ({ 'kustomization.yaml': named(`${git.url}/org/bases//base?ref=main`) }),
    ],
    ['a whole repository', () => ({ 'kustomization.yaml': named(`${git.url}/org/bases`) })],
    ['a folder after two names', () => ({ 'kustomization.yaml': named(`${git.url}/org/bases/base`) })],
    ['a tag', () => ({ 'kustomization.yaml': named(`${git.url}/org/bases//base?version=v1.0.0`) })],
    [
      'the old way to write git',
      () => ({ 'kustomization.yaml': named(`git::${git.url}/org/other.git//deep?submodules=0&timeout=60`) }),
    ],
    [
      'a mark in the name',
      () => ({ 'kustomization.yaml': named(`${git.url}/org/other.git/deep?ref=main&timeout=1m`) }),
    ],
    ['bases of bases', () => ({ 'kustomization.yaml': named(`${git.url}/org/bases//nested?ref=main`) })],
    [
      'a folder of this machine',
      () => ({ 'kustomization.yaml': named(`file://${bases.dir}//base?ref=main`) }),
    ],
    ['a file of the web', () => ({ 'kustomization.yaml': named(`${web.url}/a.yaml`) })],
    [
      'the same folder twice, by way of others',
      () => ({
        'kustomization.yaml': 'resources: [one, two]\n',
        'one/kustomization.yaml': `namePrefix: one-\nresources: ["${git.url}/org/bases//base"]\n`,
        'two/kustomization.yaml': `namePrefix: two-\nresources: ["${git.url}/org/bases//base"]\n`,
      }),
    ],
    [
      'a component',
      () => ({
        'kustomization.yaml': `resources: [mine.yaml]\ncomponents: ["${git.url}/org/bases//part?ref=main"]\n`,
        'mine.yaml': configMap('mine'),
      }),
    ],
    [
      'a patch and files of the web',
      () => ({
        'kustomization.yaml': JSON.stringify({
          resources: ['mine.yaml'],
          patches: [{ path: `${web.url}/patch.yaml` }],
          configMapGenerator: [
            { name: 'f', files: [`${web.url}/settings.txt`, `key=${web.url}/settings.txt`] },
            { name: 'e', envs: [`${web.url}/settings.txt`] },
          ],
        }),
        'mine.yaml': configMap('mine'),
      }),
    ],
  ])('%s', async (_what, files) => {
    await commit(files());
    const { objects } = await generate();
    expect(objects).toEqual(await oracle());
    expect(objects.length).toBeGreaterThan(0);
  });
});

describe('a result that came from elsewhere', () => {
  test('serves while what it used there is as it was, and names what changed (KL-6)', async () => {
    await commit({ 'kustomization.yaml': named(`${git.url}/org/bases//base?ref=main`) });
    const first = await generate();
    const place = `${git.url}/org/bases?ref=main`;
    expect(first.inputs).toContainEqual({ path: `${place}//base/cm.yaml`, is: 'file' });
    await bases.commit({ 'other.txt': 'two' });
    expect(await generate()).toMatchObject({ cached: true, objects: first.objects });
    await the.manifests.close();
    expect(await the.restarted().generate(the.ctx, the.request({ path: 'app' }))).toMatchObject({
      cached: true,
      objects: first.objects,
    });
    await bases.commit({ 'base/cm.yaml': configMap('v2') });
    const moved = await generate();
    expect(moved).toMatchObject({ cached: false, why: `${place}//base/cm.yaml changed` });
    expect(moved.objects.map(({ metadata }) => metadata.name)).toContain('p-b-v2');
    await bases.git('reset', '--quiet', '--hard', 'HEAD~1');
    expect(await generate()).toMatchObject({ cached: true, objects: first.objects });
  });

  test('is asked of nobody again where it is named by a commit', async () => {
    const hash = await bases.git('rev-parse', 'HEAD');
    await commit({ 'kustomization.yaml': named(`${git.url}/org/bases//base?ref=${hash}`) });
    await generate();
    await bases.commit({ 'base/cm.yaml': configMap('v3') });
    expect(await generate()).toMatchObject({ cached: true });
    await bases.git('reset', '--quiet', '--hard', hash);
  });

  test('is rendered anew when a file of the web changed', async () => {
    await commit({ 'kustomization.yaml': named(`${web.url}/later.yaml`) });
    const path = join(the.folder, 'web/later.yaml');
    await writeFile(path, configMap('one'));
    expect((await generate()).objects).toMatchObject([{ metadata: { name: 'p-one' } }]);
    expect((await generate()).cached).toBe(true);
    await writeFile(path, configMap('another'));
    const { objects, why } = await generate();
    expect(objects).toMatchObject([{ metadata: { name: 'p-another' } }]);
    expect(why).toBe(`${web.url}/later.yaml//later.yaml changed`);
  });

  test('is not served to a project that does not permit the place', async () => {
    await commit({ 'kustomization.yaml': named(`${git.url}/org/bases//base?ref=v1.0.0`) });
    await generate();
    git.requests.length = 0;
    const chartRepositories = { list: () => [], permits: (url: string) => !url.includes('/bases') };
    await expect(generate({ chartRepositories })).rejects.toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringContaining(`does not permit ${git.url}/org/bases: add it to spec.sourceRepos`),
    });
    expect(git.requests).toEqual([]);
    expect(await generate()).toMatchObject({ cached: true });
  });

  test('with a login in its URL is not written to the disk', async () => {
    const place = `${git.url.replace('//', '//joe:hunter2@')}/org/bases//shared`;
    await commit({ 'kustomization.yaml': named(place) });
    const { inputs } = await generate();
    expect(JSON.stringify(inputs)).not.toContain('hunter2');
    await the.manifests.close();
    const again = await the.restarted().generate(the.ctx, the.request({ path: 'app' }));
    expect(again.cached).toBe(false);
  });
});

describe('a remote base', () => {
  test("is asked for with the credentials of the application's own repository, on its own server only (CRED-10)", async () => {
    const authorization = `Basic ${Buffer.from('joe:hunter2').toString('base64')}`;
    const closed = await gitHttpServer({ root: join(the.folder, 'git'), authorization });
    const own = await gitRepository(join(the.folder, 'git/org/own'));
    const credentials = { username: 'joe', password: 'hunter2' };
    const repositoryOf = (url: string) => ({ url, credentials });
    const repoURL = `${closed.url}/org/own`;
    await own.commit({ 'app/kustomization.yaml': named(`${closed.url}/org/bases//base?ref=v1.0.0`) });
    const ask = () =>
      the.manifests.generate(the.ctx, the.request({ repoURL, path: 'app' }, { repositoryOf }));
    expect((await ask()).objects).toHaveLength(2);
    await own.commit({ 'app/kustomization.yaml': named(`${git.url}/org/bases//base?ref=v1.0.0`) });
    expect((await ask()).objects).toHaveLength(2);
    expect(git.requests.length).toBeGreaterThan(0);
    expect(git.requests.every((line) => line.endsWith('nobody'))).toBe(true);
    await commit({ 'kustomization.yaml': named(`${closed.url}/org/bases//base?ref=v1.0.0`) });
    closed.requests.length = 0;
    await expect(generate({ repositoryOf })).rejects.toMatchObject({ code: 'Auth' });
    expect(closed.requests.every((line) => line.endsWith('nobody'))).toBe(true);
    await closed.close();
  });

  test('that is read as a page is a repository when the page holds no objects', async () => {
    const both = await gitHttpServer({
      root: join(the.folder, 'git'),
      first: (request, response) => {
        const isPage = request.url === '/org/bases/base';
        if (isPage) response.end('<!doctype html><p>files</p>');
        return isPage;
      },
    });
    await commit({ 'kustomization.yaml': named(`${both.url}/org/bases/base`) });
    expect((await generate()).objects).toEqual(await oracle());
    await both.close();
  });

  test('that the project permits as a repository is not asked for as a page', async () => {
    await commit({ 'kustomization.yaml': named(`${git.url}/org/bases/base?ref=v1.0.0`) });
    const chartRepositories = { list: () => [], permits: (url: string) => url === `${git.url}/org/bases` };
    expect((await generate({ chartRepositories })).objects).toHaveLength(2);
    expect(git.requests.some((line) => line.startsWith('GET /org/bases/base'))).toBe(false);
  });

  test.each([
    ['no such folder', 'org/bases//nowhere', "'nowhere' has no such folder"],
    ['a file', 'org/bases//base/cm.yaml', "'base/cm.yaml' is a file there; expecting directory"],
    ['no such revision', 'org/bases//base?ref=nowhere', "unable to resolve 'nowhere'"],
    ['no such repository', 'org/none//base', '/org/none'],
    ['no kustomization', 'org/bases//empty?ref=side', 'unable to find one of'],
  ])('of which there is %s is told by its URL', async (_what, place, message) => {
    await bases.git('checkout', '--quiet', '-B', 'side');
    await bases.commit({ 'empty/readme': 'x' });
    await bases.git('checkout', '--quiet', 'main');
    await commit({ 'kustomization.yaml': named(`${git.url}/${place}`) });
    const failed = generate();
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(`${git.url}/org/`);
    await expect(failed).rejects.not.toThrow('.fairlead-remote');
  });

  test('inherits options and components of the application, and may be named by them', async () => {
    await commit({ 'kustomization.yaml': 'resources: [mine.yaml]\n', 'mine.yaml': configMap('mine') });
    const kustomize = { nameSuffix: '-x', components: [`${git.url}/org/bases//part?ref=v1.0.0`] };
    const names = await the.names({ path: 'app', kustomize });
    expect(names.sort()).toEqual(['mine-part-x', 'p-part-x']);
  });

  test('must be signed where the project demands it of its repository (INT-7)', async () => {
    await commit({ 'kustomization.yaml': named(`${git.url}/org/bases//base?ref=v1.0.0`) });
    const integrityOf: ManifestRequest['integrityOf'] = ({ repoURL }) =>
      repoURL.endsWith('/bases') ? { mode: 'unusable', why: 'no key is known' } : undefined;
    await expect(generate({ integrityOf })).rejects.toMatchObject({ code: 'PolicyFailed' });
  });
});
