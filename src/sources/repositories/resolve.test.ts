import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { escapingLink } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { createSources, type Sources } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const git = { command: execFileSync('which', ['git'], { encoding: 'utf8' }).trim() };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let sources: Sources;
let first: string;
let cacheDir: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  cacheDir = join(folder.path, 'cache');
  repo = await gitRepository(join(folder.path, 'repo'));
  first = await repo.commit(
    {
      'app/b.yaml': 'b: 1\n',
      'app/a.yaml': 'a: 1\n',
      'app-x': 'file\n',
      'run.sh': { executable: '#!/bin/sh\n' },
      link: { symlink: 'app/a.yaml' },
      '.gitattributes': '* text eol=crlf export-ignore\n',
    },
    'first\n\nwith a body',
  );
  await repo.git('tag', '-a', 'v1.0.0', '-m', 'one');
  await repo.git('branch', 'release/1');
  sources = createSources({ cacheDir, git, reach: { local: [folder.path] } });
});

afterAll(async () => {
  await sources.close();
  await folder.remove();
});

const here = () => ({ url: repo.dir });

describe('a local repository', () => {
  test('gives the commit of HEAD, a branch, an annotated tag, a range and an abbreviated hash', async () => {
    for (const revision of ['', 'HEAD', 'main', 'release/1', 'v1.0.0', '^1.0', first.slice(0, 9), first]) {
      expect(await sources.resolveRevision(ctx, here(), revision)).toMatchObject({ commit: first });
    }
  });

  test('gives the tree of a commit, as it was committed (VFT-1, VFT-2, VFT-3)', async () => {
    const tree = await sources.openTree(ctx, { url: `file://${repo.dir}` }, first);
    expect(tree.list('')).toEqual(['.gitattributes', 'app', 'app-x', 'link', 'run.sh']);
    expect(tree.list('app')).toEqual(['a.yaml', 'b.yaml']);
    expect(await tree.text('link')).toBe('a: 1\n');
    expect(tree.isExecutable('run.sh')).toBe(true);
    expect(tree.size('app/b.yaml')).toBe(5);
    expect(tree.hash('app')).toBe(await repo.git('rev-parse', 'HEAD:app'));
    expect(tree.hash('')).toBe(await repo.git('rev-parse', 'HEAD^{tree}'));
    expect(escapingLink(tree)).toBeUndefined();
  });

  test('tells who made a commit, when and why', async () => {
    const seconds = Number(await repo.git('show', '-s', '--format=%at', first));
    expect(await sources.describeCommit(ctx, here(), first)).toEqual({
      commit: first,
      author: 'Ann Author',
      email: 'ann@example.com',
      date: new Date(seconds * 1000),
      message: 'first\n\nwith a body',
      parents: [],
    });
  });

  test('a new commit is seen when a fresh look is asked for, and the old one stays readable (CCH-1)', async () => {
    const old = await sources.openTree(ctx, here(), first);
    const second = await repo.commit({ 'app/b.yaml': 'b: 2\n' });
    expect((await sources.resolveRevision(ctx, here(), 'main')).commit).toBe(first);
    expect((await sources.resolveRevision(ctx, here(), 'main', { fresh: true })).commit).toBe(second);
    const tree = await sources.openTree(ctx, here(), second);
    expect(await tree.text('app/b.yaml')).toBe('b: 2\n');
    expect(await old.text('app/b.yaml')).toBe('b: 1\n');
  });

  test('many who ask at once share one listing and one fetch (CCH-3)', async () => {
    const commit = await repo.commit({ 'many.yaml': 'x: 1\n' });
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { commit } = await sources.resolveRevision(ctx, here(), 'main', { fresh: true });
        return (await sources.openTree(ctx, here(), commit)).text('many.yaml');
      }),
    );
    expect(new Set(all)).toEqual(new Set(['x: 1\n']));
    expect((await sources.resolveRevision(ctx, here(), 'main')).commit).toBe(commit);
  });

  test('a caller that leaves does not end the work for the others', async () => {
    const commit = await repo.commit({ 'leaves.yaml': 'x: 1\n' });
    const leaver = new AbortController();
    const left = sources.openTree({ ...ctx, signal: leaver.signal }, here(), commit);
    const stays = sources.openTree(ctx, here(), commit);
    leaver.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect((await stays).has('leaves.yaml')).toBe(true);
  });

  test('a commit that a force-push removed from every branch is still found by its hash', async () => {
    const lost = await repo.commit({ 'lost.yaml': 'x: 1\n' });
    await repo.git('reset', '--quiet', '--hard', 'HEAD~1');
    expect((await sources.openTree(ctx, here(), lost)).has('lost.yaml')).toBe(true);
  });

  test('a mirror left behind by kill -9 is cleared of locks and goes on', async () => {
    const commit = await repo.commit({ 'killed.yaml': 'x: 1\n' });
    const [mirror = ''] = await readdir(join(cacheDir, 'git'));
    const dir = join(cacheDir, 'git', mirror);
    await sources.close();
    await writeFile(join(dir, 'packed-refs.lock'), '');
    await writeFile(join(dir, 'objects/pack/tmp_pack_x'), 'half');
    await mkdir(`${dir}.new-half/objects`, { recursive: true });
    for (const name of await readdir(join(dir, 'refs/kept')))
      await writeFile(join(dir, 'refs/kept', `${name}.lock`), '');
    sources = createSources({ cacheDir, git, reach: { local: [folder.path] } });
    expect((await sources.openTree(ctx, here(), commit)).has('killed.yaml')).toBe(true);
    expect(await readdir(join(cacheDir, 'git'))).toEqual([mirror]);
    expect(await readdir(join(dir, 'objects/pack'))).not.toContain('tmp_pack_x');
  });

  test('a torn mirror is thrown away and fetched anew', async () => {
    const commit = await repo.git('rev-parse', 'main');
    await sources.openTree(ctx, here(), commit);
    await sources.close();
    const [mirror = ''] = await readdir(join(cacheDir, 'git'));
    const packs = join(cacheDir, 'git', mirror, 'objects/pack');
    for (const name of await readdir(packs)) {
      const whole = await readFile(join(packs, name));
      if (name.endsWith('.pack')) {
        await rm(join(packs, name), { force: true });
        await writeFile(join(packs, name), whole.subarray(0, whole.length / 2));
      }
    }
    sources = createSources({ cacheDir, git, reach: { local: [folder.path] } });
    const tree = await sources.openTree(ctx, here(), commit);
    expect(await tree.text('app/b.yaml')).toBe('b: 2\n');
  });

  test('a git killed in the middle of its first fetch leaves nothing in the way', async () => {
    const big = await gitRepository(join(folder.path, 'big'));
    const noise = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `f${at}`,
        Array.from({ length: 400 }, () => Math.random()).join('\n'),
      ]),
    );
    const commit = await big.commit(noise);
    const killedCache = join(folder.path, 'killed-cache');
    const script = `
      const { createSources } = await import(process.argv[1]);
      const sources = createSources({ cacheDir: process.argv[2], git: { command: process.argv[3] }, reach: { local: 'any' } });
      const ctx = { signal: new AbortController().signal, log: { debug() {}, info() {}, warn() {}, error() {}, with() { return this; } }, clock: { now: () => new Date(), sleep: async () => {} } };
      console.log('started');
      await sources.openTree(ctx, { url: process.argv[4] }, process.argv[5]);`;
    const args = [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      script,
      new URL('./index.ts', import.meta.url).href,
    ];
    const child = spawn(process.execPath, [...args, killedCache, git.command, big.dir, commit], {
      stdio: 'pipe',
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    while (!(await exists(join(killedCache, 'git')))) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const after = createSources({ cacheDir: killedCache, git, reach: { local: 'any' } });
    expect((await after.openTree(ctx, { url: big.dir }, commit)).list('')).toHaveLength(300);
    await after.close();
  });
});

const exists = (path: string): Promise<boolean> =>
  readdir(path).then(
    (names) => names.length > 0,
    () => false,
  );

describe('what cannot be resolved is told with the place and the fix', () => {
  test.each([
    [{ url: '/no/such/repository' }, 'main', 'NotFound', 'there is no repository at /no/such/repository'],
    [{ url: 'ssh://git@example.com/x' }, 'main', 'Auth', 'has no key: put sshPrivateKey into its Secret'],
  ])('%j', async (repository, revision, code, message) => {
    const failing = sources.resolveRevision(ctx, repository, revision);
    await expect(failing).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('an unknown revision', async () => {
    await expect(sources.resolveRevision(ctx, here(), 'nope')).rejects.toMatchObject({
      code: 'NotFound',
      message: `unable to resolve 'nope' to a commit SHA in ${repo.dir}: check targetRevision: it names no branch, tag or commit there`,
    });
    await expect(sources.resolveRevision(ctx, here(), 'deadbeef')).rejects.toMatchObject({
      code: 'NotFound',
    });
  });

  test('an abbreviated hash that begins two commits (GIT-4)', async () => {
    const crowd = await gitRepository(join(folder.path, 'crowd'));
    const [prefix, a, b] = await collide(crowd);
    expect(a).not.toBe(b);
    await expect(sources.resolveRevision(ctx, { url: crowd.dir }, prefix)).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: `revision ${prefix} is the beginning of 2 commits in ${crowd.dir}: write more of it`,
    });
    expect(await sources.resolveRevision(ctx, { url: crowd.dir }, a.slice(0, 20))).toMatchObject({
      commit: a,
    });
  });

  test('a repository of SHA-256 objects (GIT-13)', async () => {
    const dir = join(folder.path, 'sha256');
    execFileSync('git', ['init', '--quiet', '--object-format=sha256', '--initial-branch=main', dir]);
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    execFileSync('git', ['-C', dir, ...who, 'commit', '--quiet', '--allow-empty', '-m', 'x']);
    for (const ask of [
      () => sources.resolveRevision(ctx, { url: dir }, 'main'),
      () => sources.openTree(ctx, { url: dir }, first),
    ]) {
      await expect(ask()).rejects.toMatchObject({
        code: 'InvalidSpec',
        message: expect.stringContaining('SHA-256 objects, which are not supported'),
      });
    }
  });

  test('an empty repository', async () => {
    const empty = await gitRepository(join(folder.path, 'empty'));
    await expect(sources.resolveRevision(ctx, { url: empty.dir }, 'HEAD')).rejects.toThrow(
      'has no commits yet',
    );
  });

  test('a commit that is not there', async () => {
    await expect(sources.openTree(ctx, here(), '0'.repeat(40))).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('is not in repository'),
    });
  });

  test('a folder that is no repository', async () => {
    await mkdir(join(folder.path, 'plain'), { recursive: true });
    const failing = sources.resolveRevision(ctx, { url: join(folder.path, 'plain') }, 'main');
    await expect(failing).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('a repository below no permitted folder', async () => {
    const strict = createSources({ cacheDir: join(folder.path, 'strict'), git });
    await expect(strict.resolveRevision(ctx, here(), 'main')).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
    await expect(strict.openTree(ctx, here(), first)).rejects.toMatchObject({ code: 'PermissionDenied' });
    await strict.close();
  });
});

/** Two commits whose hashes begin with the same seven digits, found by writing commits until two do. */
async function collide(repo: GitRepositoryFixture): Promise<[prefix: string, a: string, b: string]> {
  await repo.commit({ a: '1' });
  const tree = await repo.git('rev-parse', 'HEAD^{tree}');
  const seen = new Map<string, string>();
  const text = (count: number): string =>
    `tree ${tree}\nauthor a <a@example.com> ${count} +0000\ncommitter a <a@example.com> 0 +0000\n\nx\n`;
  const hashOf = (body: string): string =>
    createHash('sha1').update(`commit ${body.length}\0${body}`).digest('hex');
  for (let count = 1; ; count++) {
    const hash = hashOf(text(count));
    const other = seen.get(hash.slice(0, 7));
    seen.set(hash.slice(0, 7), text(count));
    if (other === undefined) continue;
    const write = (input: string): string =>
      execFileSync('git', ['-C', repo.dir, 'hash-object', '-t', 'commit', '-w', '--stdin'], {
        input,
        encoding: 'utf8',
      }).trim();
    const [a, b] = [write(other), write(text(count))];
    await repo.git('update-ref', 'refs/heads/one', a);
    await repo.git('update-ref', 'refs/heads/two', b);
    return [hash.slice(0, 7), a, b];
  }
}

describe('a local repository is watched', () => {
  test('a commit, a new branch and a tag each wake the watcher; touching files does not', async () => {
    const watched = await gitRepository(join(folder.path, 'watched'));
    await watched.commit({ a: '1' });
    const stop = new AbortController();
    const events = sources.watchLocal({ ...ctx, signal: stop.signal }, { url: watched.dir });
    const acts = [
      () => watched.commit({ a: '2' }),
      () => watched.git('branch', 'deep/new'),
      () => watched.git('update-ref', 'refs/heads/deep/new', 'HEAD~1'),
      () => watched.git('tag', 'v1'),
      () => watched.git('pack-refs', '--all'),
      () => watched.commit({ a: '3' }),
    ];
    await expect(events.next()).resolves.toMatchObject({ done: false }); // the watch stands
    for (const act of acts) {
      const next = events.next();
      await act();
      await expect(next).resolves.toMatchObject({ done: false });
    }
    const last = events.next();
    stop.abort();
    await expect(last).resolves.toMatchObject({ done: true });
  });
});
