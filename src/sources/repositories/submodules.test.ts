import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FileTree } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { resolveUrl, submoduleRepository } from './git/submodule-url.ts';
import { createSources, type Sources, type SourcesConfig } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const basic = `Basic ${Buffer.from('joe:hunter2').toString('base64')}`;
const credentials = { username: 'joe', password: 'hunter2' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: GitHttpServer;
let elsewhere: GitHttpServer;
let parent: GitRepositoryFixture;
let child: GitRepositoryFixture;
let inner: GitRepositoryFixture;
let plainChild: string;
let sources: Sources;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  const root = join(folder.path, 'srv');
  [parent, child, inner] = (await Promise.all(
    ['parent', 'child', 'inner'].map((name) => gitRepository(join(root, `org/${name}`))),
  )) as [GitRepositoryFixture, GitRepositoryFixture, GitRepositoryFixture];
  server = await gitHttpServer({ root, authorization: basic });
  elsewhere = await gitHttpServer({ root });
  await inner.commit({ 'deep.yaml': 'deep: 1\n' });
  plainChild = await child.commit({ 'c.yaml': 'c: 1\n', link: { symlink: '../../top.yaml' } });
});
beforeEach(async () => {
  await open();
  server.requests.length = 0;
  elsewhere.requests.length = 0;
});
afterAll(async () => {
  await sources.close();
  await Promise.all([server.close(), elsewhere.close()]);
  await folder.remove();
});

async function open(more: Partial<SourcesConfig> = {}): Promise<void> {
  await sources?.close();
  run += 1;
  sources = createSources({
    cacheDir: join(folder.path, `cache-${run}`),
    git: gitCommand(),
    reach: { loopback: true, local: [folder.path] },
    ...more,
  });
}

/** Commits a submodule without checking it out, as a hostile author would. */
async function submodule(
  within: GitRepositoryFixture,
  path: string,
  url: string,
  { commit, update = '' }: { commit: string; update?: string },
): Promise<string> {
  await within.commit({
    '.gitmodules': `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n${update && `\tupdate = ${update}\n`}`,
    'top.yaml': 'top: 1\n',
  });
  await within.git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  await within.git('commit', '--quiet', '-m', 'submodule');
  const head = await within.git('rev-parse', 'HEAD');
  await within.git('rm', '-q', '--cached', path);
  return head;
}

const headOf = (repo: GitRepositoryFixture): Promise<string> => repo.git('rev-parse', 'HEAD');
const remote = () => ({ url: `${server.url}/org/parent/.git`, credentials });
const openAt = (commit: string): Promise<FileTree> => sources.openTree(ctx, remote(), commit);

describe('submodules', () => {
  test('are filled with the commit they name, by the credentials of their parent (SUB-1)', async () => {
    const commit = await submodule(parent, 'lib/child', '../../child/.git', {
      commit: await headOf(child),
    });
    const tree = await openAt(commit);
    expect(tree.list('lib/child')).toEqual(['c.yaml', 'link']);
    expect(await tree.text('lib/child/c.yaml')).toBe('c: 1\n');
    expect(tree.kind('lib/child')).toBe('dir');
    expect(server.requests.filter((row) => row.includes('/child/')).every((row) => row.includes(basic))).toBe(
      true,
    );
  });

  test('a link of theirs may lead into the parent, and out of it not (VFT-4)', async () => {
    const commit = await submodule(parent, 'lib/child', '../../child/.git', {
      commit: await headOf(child),
    });
    expect(await (await openAt(commit)).text('lib/child/link')).toBe('top: 1\n');
    const shallow = await submodule(parent, 'child', '../../child/.git', { commit: await headOf(child) });
    await expect(openAt(shallow)).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: 'repository contains out-of-bounds symlinks. file: child/link',
    });
  });

  test('those of submodules are filled too', async () => {
    const nested = await submodule(child, 'inner', '../../inner/.git', { commit: await headOf(inner) });
    const commit = await submodule(parent, 'lib/child', '../../child/.git', { commit: nested });
    expect(await (await openAt(commit)).text('lib/child/inner/deep.yaml')).toBe('deep: 1\n');
  });

  test('change the hash of every folder above them, so that no render of the empty ones is taken for theirs', async () => {
    const commit = await submodule(parent, 'lib/child', '../../child/.git', {
      commit: await headOf(child),
    });
    const filled = await openAt(commit);
    const empty = await sources.openTree(ctx, remote(), commit, { submodules: false });
    for (const path of ['', 'lib', 'lib/child']) expect(filled.hash(path)).not.toBe(empty.hash(path));
    expect(filled.hash('top.yaml')).toBe(empty.hash('top.yaml'));
  });

  test('stay empty folders where they are switched off (VFT-8), or say that they are not to be filled', async () => {
    const head = await headOf(child);
    const none = await submodule(parent, 'child', '../../child/.git', { commit: head, update: 'none' });
    expect((await openAt(none)).list('child')).toEqual([]);
    const commit = await submodule(parent, 'child', '../../child/.git', { commit: head });
    const off = await sources.openTree(ctx, remote(), commit, { submodules: false });
    expect(off.list('child')).toEqual([]);
    expect(server.requests.some((row) => row.includes('/child/'))).toBe(false);
  });

  test('one that cannot be brought fails the whole, with its name (SUB-2)', async () => {
    const missing = await submodule(parent, 'child', '../../child/.git', { commit: 'a'.repeat(40) });
    await expect(openAt(missing)).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringMatching(/^submodule child of repository .*\/org\/parent.*: commit a+ is not in/),
    });
    const nameless = await submodule(parent, 'child', '', { commit: await headOf(child) });
    await expect(openAt(nameless)).rejects.toThrow('it has no URL: add it to .gitmodules');
  });
});

describe('a hostile .gitmodules', () => {
  test('sends no credentials to another host', async () => {
    const commit = await submodule(parent, 'lib/child', `${elsewhere.url}/org/child/.git`, {
      commit: await headOf(child),
    });
    expect(await (await openAt(commit)).text('lib/child/c.yaml')).toBe('c: 1\n');
    expect(elsewhere.requests.length).toBeGreaterThan(0);
    expect(elsewhere.requests.every((row) => row.endsWith(' nobody'))).toBe(true);
  });

  test.each([
    ['/etc', 'PermissionDenied'],
    ['file:///etc', 'PermissionDenied'],
    ['ext::sh -c id', 'InvalidSpec'],
    ['-oProxyCommand=id', 'InvalidSpec'],
    ['--upload-pack=id', 'InvalidSpec'],
    ['http://169.254.169.254/x', 'PermissionDenied'],
    ['../../../../../../../x', 'InvalidSpec'],
    ['ssh://git@127.0.0.1/x', 'Auth'],
  ])('gets nowhere with %s', async (url, code) => {
    const commit = await submodule(parent, 'child', url, { commit: await headOf(child) });
    await expect(openAt(commit)).rejects.toMatchObject({ code });
  });

  test('cannot go round in circles', async () => {
    await open({ limits: { submoduleDepth: 3 } });
    let commit = await headOf(inner);
    for (let depth = 0; depth < 5; depth++) {
      commit = await submodule(inner, 'again', '../../inner/.git', { commit });
    }
    const repository = { url: `${server.url}/org/inner/.git`, credentials };
    await expect(sources.openTree(ctx, repository, commit)).rejects.toMatchObject({ code: 'LimitExceeded' });
  });

  test('cannot make a tree larger than one may be', async () => {
    await open({ limits: { treeEntries: 5 } });
    const commit = await submodule(parent, 'lib/child', '../../child/.git', {
      commit: await headOf(child),
    });
    await expect(openAt(commit)).rejects.toMatchObject({ code: 'LimitExceeded' });
  });
});

describe('a local repository', () => {
  test('may name a neighbour by its path, within the permitted folders', async () => {
    const commit = await submodule(parent, 'lib/child', '../child', { commit: plainChild });
    const tree = await sources.openTree(ctx, { url: parent.dir }, commit);
    expect(tree.has('lib/child/c.yaml')).toBe(true);
    const outside = await submodule(parent, 'lib/child', '/etc', { commit: await headOf(child) });
    await expect(sources.openTree(ctx, { url: parent.dir }, outside)).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
  });
});

describe('relative URLs start from the parent, as git reads them (SUB-1)', () => {
  test.each([
    ['https://h/org/repo.git', '../other.git', 'https://h/org/other.git'],
    ['https://h/org/repo/', '../../x/y', 'https://h/x/y'],
    ['https://h/org/repo', './sub', 'https://h/org/repo/sub'],
    ['git@h:org/repo.git', '../other.git', 'git@h:org/other.git'],
    ['git@h:repo.git', '../other.git', 'git@h:other.git'],
    ['ssh://git@h:22/org/repo', '../other', 'ssh://git@h:22/org/other'],
    ['/srv/repo', '../other', '/srv/other'],
    ['https://h/org/repo', 'https://other/x', 'https://other/x'],
  ])('%s with %s is %s', (from, url, result) => {
    expect(resolveUrl(from, url)).toBe(result);
  });

  test('what the parent may show goes only to the very same server', () => {
    const from = {
      url: 'https://joe:pw@h/org/repo',
      credentials,
      insecure: true,
      proxy: 'http://p',
      depth: 3,
    };
    expect(submoduleRepository(from, '../x')).toEqual({
      url: 'https://joe:pw@h/org/x',
      credentials,
      insecure: true,
      proxy: 'http://p',
      depth: 0,
    });
    expect(submoduleRepository(from, 'https://h/other').url).toBe('https://joe:pw@h/other');
    for (const url of ['http://h/x', 'https://h:8443/x', 'https://h.evil/x']) {
      expect(submoduleRepository(from, url)).toEqual({ url, proxy: 'http://p', depth: 0 });
    }
    const key = { sshPrivateKey: 'key' };
    const ssh = { url: 'git@h:org/repo', credentials: key };
    expect(submoduleRepository(ssh, 'ssh://git@h/x').credentials).toEqual(key);
    expect(submoduleRepository(ssh, 'ssh://git@h:2222/x').credentials).toBeUndefined();
  });
});
