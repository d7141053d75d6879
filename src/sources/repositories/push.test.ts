import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeText } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const date = new Date('2026-01-01T00:00:00Z');
const author = { name: 'ann <x>\nCommitter: eve', email: 'ann@example.com' };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sources: Sources;
let repository: GitRepositoryFixture;
let base: string;

const url = () => `file://${repository.dir}`;
const draft = (text: string, on = base) => ({
  base: on,
  change: { path: 'app/service.yaml', content: encodeText(text), executable: false },
  message: 'shift traffic\n',
  author,
  date,
});
const push = (text: string, { branch = 'main', on = base } = {}) =>
  sources.push(ctx, { url: url() }, { branch, writer: { url: url() }, draft: draft(text, on) });

beforeAll(async () => {
  folder = await temporaryFolder();
  const reach = { local: [folder.path], loopback: true };
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git: gitCommand(), reach });
  repository = await gitRepository(join(folder.path, 'repository'));
  base = await repository.commit({ 'app/service.yaml': 'a: 1\n', 'other/run.sh': { executable: 'true' } });
  await repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
});
afterAll(async () => {
  await sources?.close();
  await folder?.remove();
});

test('a commit changes one file on top of the branch, in the name of its author', async () => {
  const { outcome, commit } = await push('a: 2\n');
  expect(outcome).toBe('pushed');
  expect(await repository.git('rev-parse', 'main')).toBe(commit);
  expect(await readFile(join(repository.dir, 'app/service.yaml'), 'utf8')).toBe('a: 2\n'); // the user's work tree follows
  expect(await repository.git('diff', '--raw', '--no-abbrev', base, 'main')).toMatch(
    /^:100644 100644 .*\tapp\/service.yaml$/,
  );
  expect(await repository.git('log', '-1', '--format=%an|%ae|%cn|%s|%P')).toBe(
    `ann x Committer: eve|ann@example.com|Fairlead|shift traffic|${base}`,
  );
});

test('a branch that moved is not overwritten, and the same push again is no second commit', async () => {
  const tip = await repository.git('rev-parse', 'main');
  expect(await push('a: 3\n')).toMatchObject({ outcome: 'moved' });
  expect(await repository.git('rev-parse', 'main')).toBe(tip);
  expect(await push('a: 2\n')).toEqual({ outcome: 'pushed', commit: tip }); // what is there already
  expect(await repository.git('rev-list', '--count', 'main')).toBe('2');
});

test('another branch is created, and its own commits are kept', async () => {
  const first = await push('a: 4\n', { branch: 'traffic/v4' });
  expect(await repository.git('rev-parse', 'traffic/v4')).toBe(first.commit);
  expect(await push('a: 5\n', { branch: 'traffic/v4' })).toMatchObject({ outcome: 'moved' });
  expect(await push('a: 5\n', { branch: 'traffic/v4', on: first.commit })).toMatchObject({
    outcome: 'pushed',
  });
});

test.each([
  '',
  '-f',
  '+main',
  'main:other',
  'a..b',
  'a b',
  'refs/heads/main',
  'x.lock',
  '../x',
  'a\nb',
  'HEAD',
])('a branch named %j is refused', async (branch) => {
  await expect(push('a: 6\n', { branch })).rejects.toThrow(/is no usable name of a branch/);
});

test('credentials of another repository are not used', async () => {
  const writer = { url: `${url()}-other`, credentials: { username: 'u', password: 'p' } };
  const request = { branch: 'main', writer, draft: draft('a: 7\n') };
  await expect(sources.push(ctx, { url: url() }, request)).rejects.toThrow(
    /credentials of another repository/,
  );
});

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Everybody may read; only these credentials may push. */
async function serving(authorization: string): Promise<GitHttpServer> {
  const { dir, git } = await gitRepository(join(folder.path, 'served'));
  await git('config', 'http.receivepack', 'true');
  await git('config', 'receive.denyCurrentBranch', 'updateInstead');
  return gitHttpServer({
    root: dir.replace(/\/[^/]+$/, ''),
    first: (request, response) => {
      if (!request.url?.includes('receive-pack') || request.headers.authorization === authorization)
        return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return true;
    },
  });
}

test('over HTTP the credentials for writing push, and are sent with nothing else', async () => {
  const server = await serving(basic('pusher', 'w-secret'));
  try {
    const served = await gitRepository(join(folder.path, 'served'));
    const on = await served.commit({ 'app/service.yaml': 'a: 1\n' });
    const at = `${server.url}/served/.git`;
    const reader = { url: at, credentials: { username: 'reader', password: 'r-secret' } };
    const as = (password: string) => ({ url: at, credentials: { username: 'pusher', password } });
    const request = { branch: 'main', draft: draft('a: 2\n', on) };
    const refused = sources.push(ctx, reader, { ...request, writer: as('wrong') });
    await expect(refused).rejects.toMatchObject({
      code: 'Auth',
      message: expect.not.stringMatching(/wrong|secret/),
    });
    expect(await served.git('rev-parse', 'main')).toBe(on);
    const { outcome, commit } = await sources.push(ctx, reader, { ...request, writer: as('w-secret') });
    expect([outcome, commit]).toEqual(['pushed', await served.git('rev-parse', 'main')]);
    const pushes = server.requests.filter((line) => line.startsWith('POST') && line.includes('receive-pack'));
    expect(pushes.map((line) => line.split(' ').slice(2).join(' '))).toContain(basic('pusher', 'w-secret'));
    expect(server.requests.join('\n')).not.toMatch(
      new RegExp(`upload-pack .*${basic('pusher', 'w-secret')}`),
    );
  } finally {
    await server.close();
  }
});

test('hooks of a repository on this machine do not run', async () => {
  const hooks = join(repository.dir, '.git/hooks');
  const ran = join(folder.path, 'ran');
  await mkdir(hooks, { recursive: true });
  for (const name of ['pre-receive', 'update', 'post-receive', 'push-to-checkout', 'post-update']) {
    await writeFile(join(hooks, name), `#!/bin/sh\necho ${name} >> '${ran}'\n`);
    await chmod(join(hooks, name), 0o755);
  }
  const on = await repository.git('rev-parse', 'main');
  expect(await push('a: 8\n', { on })).toMatchObject({ outcome: 'pushed' });
  await expect(readFile(ran)).rejects.toThrow(/ENOENT/);
});

test('a work tree with changes, or one that Git protects, is left alone, with the way out', async () => {
  const on = await repository.git('rev-parse', 'main');
  await writeFile(join(repository.dir, 'app/service.yaml'), 'mine\n');
  await expect(push('a: 9\n', { on })).rejects.toThrow(
    /has changes that are not committed: commit or discard them/,
  );
  await repository.git('checkout', '--quiet', '--', '.');
  await repository.git('config', 'receive.denyCurrentBranch', 'refuse');
  await expect(push('a: 9\n', { on })).rejects.toThrow(/has branch main checked out, .* updateInstead/);
  expect(await repository.git('rev-parse', 'main')).toBe(on);
});

test('a file that is too large is not pushed', async () => {
  await expect(push('x'.repeat(1024 * 1024 + 1))).rejects.toThrow(/more than 1048576 bytes/);
});
