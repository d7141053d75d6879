import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSources, type Sources } from '#source';
import { type Ctx, realClock, silent } from '#std';
import { gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';
import { gitCommand } from '../manifests.ts';

// Attack 4: `ext::`, `file://`, a leading `-`, credentials in the URL, a redirect that takes credentials along.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let sources: Sources;
let commit: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  commit = await repo.commit({ a: '1' });
  await mkdir(join(folder.path, 'allowed'));
  const reach = { local: [join(folder.path, 'allowed')], loopback: true };
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git: gitCommand(), reach });
});
afterAll(async () => {
  await sources.close();
  await folder.remove();
});

const marker = (): string => join(folder.path, 'marker');

describe('URLs that would run a program', () => {
  test.each([
    () => `ext::sh -c "touch ${marker()}"`,
    () => `ext::touch%20${marker()}`,
    () => `--upload-pack=touch ${marker()}`,
    () => `-oProxyCommand=touch${marker()}`,
    () => `ssh://-oProxyCommand=touch${marker()}/x`,
    () => `ssh://git@-oProxyCommand=touch${marker()}/x`,
    () => `-oProxyCommand=touch${marker()}@host:x`,
    () => `git@-oProxyCommand=touch:x`,
    () => `ssh://git;touch${marker()}@host/x`,
    () => `git@host$(touch${marker()}):x`,
    () => 'git@host:-oProxyCommand=x',
    () => 'fd::3',
    () => 'git://127.0.0.1/x',
    () => 'transport::address',
    () => 'https://host/repo\n--upload-pack=x',
  ])('%# are refused', async (url) => {
    for (const revision of ['main', commit]) {
      await expect(sources.resolveRevision(ctx, { url: url() }, 'main')).rejects.toMatchObject({
        code: 'InvalidSpec',
      });
      await expect(sources.openTree(ctx, { url: url() }, revision)).rejects.toMatchObject({
        code: 'InvalidSpec',
      });
    }
    await expect(access(marker())).rejects.toThrow();
  });
});

describe('folders of this machine', () => {
  test.each([
    () => repo.dir,
    () => `file://${repo.dir}`,
    () => `file://localhost${repo.dir}`,
    () => '/',
    () => '/etc',
  ])('%# outside the permitted ones are refused', async (url) => {
    const asked = [
      () => sources.resolveRevision(ctx, { url: url() }, 'main'),
      () => sources.openTree(ctx, { url: url() }, commit),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'PermissionDenied' });
  });

  test('a link in a permitted folder does not open the way out of it', async () => {
    const { symlink } = await import('node:fs/promises');
    await symlink(repo.dir, join(folder.path, 'allowed/link'));
    const asking = sources.resolveRevision(ctx, { url: join(folder.path, 'allowed/link') }, 'main');
    await expect(asking).rejects.toMatchObject({ code: 'PermissionDenied' });
  });
});

test('a revision that looks like an option reaches no command line', async () => {
  const free = createSources({
    cacheDir: join(folder.path, 'cache-2'),
    git: gitCommand(),
    reach: { local: 'any' },
  });
  for (const revision of [
    '--upload-pack=x',
    '-h',
    '$(id)',
    '`id`',
    'a b',
    '../x',
    'main\0',
    'refs/heads/main:refs/x',
  ]) {
    await expect(free.resolveRevision(ctx, { url: repo.dir }, revision)).rejects.toMatchObject({
      code: 'NotFound',
    });
    await expect(free.openTree(ctx, { url: repo.dir }, revision)).rejects.toMatchObject({
      code: 'InvalidSpec',
    });
  }
  await free.close();
});

test('credentials in a URL are told nobody, and a redirect takes them nowhere (CVE-2021-32690)', async () => {
  const thief = await gitHttpServer({ root: join(folder.path, 'srv') });
  const trusted = await gitHttpServer({ root: join(folder.path, 'srv'), redirectTo: thief.url });
  const urls = [`${trusted.url}/repo/.git`.replace('//', '//joe:hunter2-secret@')];
  for (const url of urls) {
    const failing = sources.resolveRevision(ctx, { url }, 'main');
    await expect(failing).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('answers with a redirect, which is not followed'),
    });
    const error = await failing.catch((thrown: Error) => thrown);
    expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('hunter2');
  }
  expect(trusted.requests.join()).toContain('Basic');
  expect(thief.requests).toEqual([]);
  await trusted.close();
  await thief.close();
});

test('credentials are in no argument and no environment of a program that does not need them', async () => {
  const server = await gitHttpServer({ root: join(folder.path, 'srv') });
  // a git that writes down how it was called, then does what it was asked
  const log = join(folder.path, 'calls');
  const spy = join(folder.path, 'spy/git');
  await mkdir(join(folder.path, 'spy'));
  const script = `#!/bin/sh\n{ echo "ARGS $*"; env | sed 's/^/ENV /'; } >> ${log}\nexec ${gitCommand().command} "$@"\n`;
  await writeFile(spy, script, { mode: 0o755 });
  const spied = createSources({
    cacheDir: join(folder.path, 'cache-3'),
    git: { command: spy },
    reach: { loopback: true },
  });
  const repository = {
    url: `${server.url}/repo/.git`,
    credentials: { username: 'joe', password: 'hunter2-secret' },
  };
  await spied.resolveRevision(ctx, repository, 'main');
  await (await spied.openTree(ctx, repository, commit)).read('a');
  await spied.close();
  await server.close();

  const { readFile } = await import('node:fs/promises');
  const calls = (await readFile(log, 'utf8')).split(/^(?=ARGS )/m);
  const encoded = Buffer.from('joe:hunter2-secret').toString('base64');
  for (const call of calls) {
    const [args = ''] = call.split('\n');
    expect(args).not.toContain('hunter2');
    expect(args).not.toContain(encoded);
    if (!/ (ls-remote|fetch) /.test(args)) expect(call).not.toContain(encoded);
  }
  expect(calls.filter((call) => call.includes(encoded)).length).toBeGreaterThan(0);
});
