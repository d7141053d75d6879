import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { createSources, type Sources } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const git = { command: execFileSync('which', ['git'], { encoding: 'utf8' }).trim() };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const credentials = { username: 'joe', password: 'hunter2-secret' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let server: GitHttpServer;
let commit: string;
let sources: Sources;
let cacheDir: string;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  commit = await repo.commit({ 'a.yaml': 'a: 1\n' });
  server = await gitHttpServer({
    root: join(folder.path, 'srv'),
    authorization: basic('joe:hunter2-secret'),
  });
});

beforeEach(async () => {
  await sources?.close();
  run += 1;
  cacheDir = join(folder.path, `cache-${run}`);
  sources = createSources({ cacheDir, git, reach: { loopback: true }, limits: { attempts: 3 } });
  server.requests.length = 0;
});

afterAll(async () => {
  await sources.close();
  await server.close();
  await folder.remove();
});

const url = (): string => `${server.url}/repo/.git`;

describe('a repository over http', () => {
  test('is listed and fetched with a username and password', async () => {
    const repository = { url: url(), credentials };
    expect(await sources.resolveRevision(ctx, repository, 'main')).toMatchObject({ commit });
    const tree = await sources.openTree(ctx, repository, commit);
    expect(await tree.text('a.yaml')).toBe('a: 1\n');
  });

  test('takes the login of its URL, which appears in no file and no error (CRED-11)', async () => {
    const repository = { url: url().replace('http://', 'http://joe:hunter2-secret@') };
    expect(await sources.resolveRevision(ctx, repository, 'HEAD')).toMatchObject({ commit });
    await sources.openTree(ctx, repository, commit);
    const [mirror = ''] = await readdir(join(cacheDir, 'git'));
    for (const name of ['config', 'HEAD']) {
      expect(await readFile(join(cacheDir, 'git', mirror, name), 'utf8')).not.toContain('hunter2');
    }
    const failing = sources.resolveRevision(ctx, repository, 'nope');
    await expect(failing).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
  });

  test('tells when credentials are refused, and does not ask again and again', async () => {
    for (const wrong of [undefined, { username: 'joe', password: 'wrong' }]) {
      const repository = { url: url(), ...(wrong ? { credentials: wrong } : {}) };
      await expect(sources.resolveRevision(ctx, repository, 'main')).rejects.toMatchObject({
        code: 'Auth',
        message: expect.stringContaining('check the username and password'),
      });
    }
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test.each([503, 500, 429])('tries again when the other side stumbles with %i (GIT-7)', async (status) => {
    server.failNext(2, status);
    expect(await sources.resolveRevision(ctx, { url: url(), credentials }, 'main')).toMatchObject({ commit });
  });

  test('waits longer each time, and not at all for what will not pass (GIT-7)', async () => {
    const pauses: number[] = [];
    const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
    const patient = { ...ctx, clock: { ...realClock, sleep } };
    await sources.close();
    sources = createSources({ cacheDir, git, reach: { loopback: true }, limits: { attempts: 7 } });
    server.failNext(6, 503);
    await sources.resolveRevision(patient, { url: url(), credentials }, 'main');
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000]);
    for (const status of [400, 404, 401]) {
      server.failNext(2, status); // the host is asked, then git is to say what it means
      await expect(
        sources.resolveRevision(patient, { url: url(), credentials }, 'main', { fresh: true }),
      ).rejects.toThrow();
    }
    expect(pauses).toHaveLength(6);
  });

  test('asks once unless it is told otherwise (GIT-7)', async () => {
    await sources.close();
    sources = createSources({ cacheDir, git, reach: { loopback: true } });
    server.failNext(1, 503);
    await expect(sources.resolveRevision(ctx, { url: url(), credentials }, 'main')).rejects.toMatchObject({
      code: 'Unavailable',
    });
  });

  test('does not wait longer than it may for a list or a fetch (GIT-12)', async () => {
    const mute = await gitHttpServer({ root: folder.path, first: () => true });
    await sources.close();
    sources = createSources({ cacheDir, git, reach: { loopback: true }, requestMs: () => 300 });
    await expect(sources.resolveRevision(ctx, { url: `${mute.url}/x` }, 'main')).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'git took longer than 300 ms',
    });
    await mute.close();
    let isFetch = false;
    const slow = await gitHttpServer({
      root: join(folder.path, 'srv'),
      first: ({ method }) => {
        isFetch ||= method === 'POST' && isReady;
        return isFetch;
      },
    });
    let isReady = false;
    await sources.close();
    sources = createSources({ cacheDir, git, reach: { loopback: true }, limits: { fetchMs: 400 } });
    const repository = { url: `${slow.url}/repo/.git` };
    await sources.resolveRevision(ctx, repository, 'main');
    isReady = true;
    await expect(sources.openTree(ctx, repository, commit)).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'git took longer than 400 ms',
    });
    await slow.close();
  });

  test('a redirect is not followed, and the hint is given (GIT-11)', async () => {
    const away = await gitHttpServer({ root: folder.path, redirectTo: server.url });
    await expect(
      sources.resolveRevision(ctx, { url: `${away.url}/repo`, credentials }, 'main'),
    ).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('use the final URL, often the same with .git'),
    });
    expect(server.requests).toEqual([]);
    await away.close();
  });

  test('a commit that no branch holds is brought by its name (GIT-8)', async () => {
    await repo.git('checkout', '--quiet', '--detach');
    const pull = await repo.commit({ 'p.yaml': 'p: 1\n' });
    await repo.git('update-ref', 'refs/pull/7/head', pull);
    await repo.git('checkout', '--quiet', 'main');
    const repository = { url: url(), credentials };
    expect(await sources.resolveRevision(ctx, repository, 'pull/7/head')).toMatchObject({ commit: pull });
    expect((await sources.openTree(ctx, repository, pull)).has('p.yaml')).toBe(true);
    const asked = server.requests.length;
    await sources.openTree(ctx, repository, pull); // it is here already
    expect(server.requests).toHaveLength(asked);
  });

  test('a token without a username is sent as the host expects it (CRED-6)', async () => {
    const failing = sources.resolveRevision(ctx, { url: url(), credentials: { password: 'token' } }, 'main');
    await expect(failing).rejects.toMatchObject({ code: 'Auth' });
    expect(server.requests.at(-1)).toContain(basic('x-access-token:token'));
    await expect(
      sources.resolveRevision(ctx, { url: url(), credentials: { bearerToken: 'tok' } }, 'main'),
    ).rejects.toMatchObject({ code: 'Auth' });
    expect(server.requests.at(-1)).toContain('Bearer tok');
  });

  test('a mirror fetched by one is closed to another who cannot show that he may read it', async () => {
    await sources.openTree(ctx, { url: url(), credentials }, commit);
    const stranger = sources.openTree(ctx, { url: url() }, commit);
    await expect(stranger).rejects.toMatchObject({ code: 'Auth' });
  });

  test('a shallow record brings one commit and keeps its own mirror (GIT-9)', async () => {
    const second = await repo.commit({ 'a.yaml': 'a: 2\n' });
    const repository = { url: url(), credentials, depth: 1 };
    expect(await (await sources.openTree(ctx, repository, second)).text('a.yaml')).toBe('a: 2\n');
    const details = await sources.describeCommit(ctx, repository, second);
    expect(details.parents).toEqual([commit]);
    await expect(sources.openTree(ctx, { url: url(), credentials }, commit)).resolves.toBeDefined();
    expect(await readdir(join(cacheDir, 'git'))).toHaveLength(2);
  });

  test('a repository that is not there', async () => {
    const failing = sources.resolveRevision(ctx, { url: `${server.url}/nope.git`, credentials }, 'main');
    await expect(failing).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('a host that does not answer', async () => {
    const dead = await gitHttpServer({ root: folder.path });
    await dead.close();
    const quick = createSources({
      cacheDir: `${cacheDir}-quick`,
      git,
      reach: { loopback: true },
      limits: { attempts: 1 },
    });
    const failing = quick.resolveRevision(ctx, { url: `${dead.url}/repo` }, 'main');
    await expect(failing).rejects.toMatchObject({ code: 'Unavailable' });
    await quick.close();
  });
});
