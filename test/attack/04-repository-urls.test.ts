import { createHash } from 'node:crypto';
import { access, cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { createSources, type Sources } from '#sources/repositories';
import { readConfig } from '../../src/main/config.ts';
import { openSources } from '../../src/main/open-sources.ts';
import { routeTo } from '../../src/sources/repositories/git/access.ts';
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
    () => 'ssh://-oProxyCommand=x@host/x',
    () => 'ssh://git;id@host/x',
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
    await symlink(repo.dir, join(folder.path, 'allowed/link'));
    const asking = sources.resolveRevision(ctx, { url: join(folder.path, 'allowed/link') }, 'main');
    await expect(asking).rejects.toMatchObject({ code: 'PermissionDenied' });
  });
});

describe('the data folder', () => {
  // every repository of every tenant has its mirror there, under a name that anybody can compute
  let dataDir: string;
  let mirror: string;
  const env = { HOME: '/nowhere', PATH: process.env.PATH ?? '' };
  const opened: Sources[] = [];
  const sourcesOf = (flags: Record<string, string>): Sources => {
    const one = openSources(readConfig({ dataDir, ...flags }, env), gitCommand());
    opened.push(one);
    return one;
  };

  beforeAll(async () => {
    dataDir = join(folder.path, 'data');
    const tenant = sourcesOf({});
    await tenant.openTree(ctx, { url: repo.dir }, commit);
    const mirrors = join(dataDir, 'cache/git/git');
    mirror = join(mirrors, (await readdir(mirrors)).find((name) => name.endsWith('.git')) ?? '');
    await cp(repo.dir, join(dataDir, 'demo'), { recursive: true });
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
  });

  /** Repositories that lead Git into the data folder, each by another way. */
  const detours: Record<string, () => Promise<string>> = {
    'the path of a mirror': async () => mirror,
    'its path without .git': async () => mirror.replace(/\.git$/, ''),
    'a file URL': async () => `file://${mirror}`,
    'a file URL with escapes': async () => `file://${mirror.replace('cache', '%63ache')}`,
    'a file URL of localhost': async () => `file://localhost${mirror}`,
    'a path with doubled slashes': async () => mirror.replaceAll('/', '//'),
    'a link to it': async () => linked('link', mirror),
    'a link to a folder above it': async () =>
      join(await linked('above', dataDir), mirror.slice(dataDir.length)),
    'a .git that is a link': async () => {
      const dir = join(folder.path, 'shared/dot-git');
      await mkdir(dir, { recursive: true });
      await symlink(mirror, join(dir, '.git'));
      return dir;
    },
    'a .git that is a file': async () => {
      const dir = join(folder.path, 'shared/git-file');
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, '.git'), `gitdir: ${mirror}\n`);
      return dir;
    },
    'a common folder': async () => {
      const other = await gitRepository(join(folder.path, 'shared/common'));
      await writeFile(join(other.dir, '.git/commondir'), `${mirror}\n`);
      return other.dir;
    },
    'an alternate store of objects': async () => {
      const other = await gitRepository(join(folder.path, 'shared/alternate'));
      await writeFile(join(other.dir, '.git/objects/info/alternates'), `${mirror}/objects\n`);
      await writeFile(join(other.dir, '.git/refs/heads/main'), `${commit}\n`);
      return other.dir;
    },
    'objects that are a link': async () => {
      const other = await gitRepository(join(folder.path, 'shared/objects'));
      await rm(join(other.dir, '.git/objects'), { recursive: true });
      await symlink(join(mirror, 'objects'), join(other.dir, '.git/objects'));
      return other.dir;
    },
    'the same name with .git': async () => {
      await mkdir(join(folder.path, 'shared/twin'), { recursive: true });
      await symlink(mirror, join(folder.path, 'shared/twin.git'));
      return join(folder.path, 'shared/twin');
    },
  };
  async function linked(name: string, to: string): Promise<string> {
    const path = join(folder.path, `shared-${name}`);
    await symlink(to, path);
    return path;
  }

  describe.each(Object.entries(detours))('by %s', (_what, url) => {
    let place: string;
    beforeAll(async () => {
      place = await url();
    });

    test.each([
      ['on the embedded cluster', () => ({})],
      ['on another cluster', () => ({ kubeconfig: '/nowhere' })],
      [
        'where an operator listed the folder around it',
        () => ({ kubeconfig: '/nowhere', localRepositories: folder.path }),
      ],
      [
        'where it was listed itself',
        () => ({ kubeconfig: '/nowhere', localRepositories: `${dataDir},${mirror}` }),
      ],
    ])('is not read %s', async (_where, flags) => {
      const its = sourcesOf(flags());
      for (const ask of [
        () => its.resolveRevision(ctx, { url: place }, 'main'),
        () => its.listRefs(ctx, { url: place }),
        () => its.openTree(ctx, { url: place }, commit),
        async () => {
          for await (const _moved of its.watchLocal(ctx, { url: place })) break;
        },
      ])
        await expect(ask()).rejects.toMatchObject({ code: 'PermissionDenied' });
    });
  });

  test('has one repository in it, the demo, and that only on the embedded cluster', async () => {
    const demo = { url: `file://${join(dataDir, 'demo')}` };
    expect((await sourcesOf({}).resolveRevision(ctx, demo, 'main')).commit).toBe(commit);
    await expect(
      sourcesOf({ kubeconfig: '/nowhere' }).resolveRevision(ctx, demo, 'main'),
    ).rejects.toMatchObject({ code: 'PermissionDenied' });
  });

  test('is not opened by a demo that is a link', async () => {
    await rename(join(dataDir, 'demo'), join(dataDir, 'was-demo'));
    await symlink(mirror, join(dataDir, 'demo'));
    await expect(
      sourcesOf({}).resolveRevision(ctx, { url: join(dataDir, 'demo') }, 'main'),
    ).rejects.toMatchObject({ code: 'PermissionDenied' });
    await rm(join(dataDir, 'demo'));
    await rename(join(dataDir, 'was-demo'), join(dataDir, 'demo'));
  });

  test('is not opened by a submodule of a repository that may be read', async () => {
    const parent = await gitRepository(join(folder.path, 'shared/parent'));
    await parent.commit({ '.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ${mirror}\n` });
    await parent.git('update-index', '--add', '--cacheinfo', `160000,${commit},s`);
    await parent.git('commit', '--quiet', '-m', 'a submodule');
    const head = await parent.git('rev-parse', 'HEAD');
    await expect(sourcesOf({}).openTree(ctx, { url: parent.dir }, head)).rejects.toMatchObject({
      code: 'PermissionDenied',
    });
  });

  test('is not opened by a large file that is a link', async () => {
    const secret = 'the password of the administrator';
    await writeFile(join(dataDir, 'admin-password'), secret);
    const oid = createHash('sha256').update(secret).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${secret.length}\n`;
    const large = await gitRepository(join(folder.path, 'shared/large'));
    const head = await large.commit({ '.gitattributes': '* filter=lfs\n', big: pointer });
    const objects = join(large.dir, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4));
    await mkdir(objects, { recursive: true });
    await symlink(join(dataDir, 'admin-password'), join(objects, oid));
    const tree = await sourcesOf({}).openTree(ctx, { url: large.dir, enableLfs: true }, head);
    await expect(tree.text('big')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  test('is not opened by a repository that became a link after it was judged', async () => {
    const { dir } = await gitRepository(join(folder.path, 'shared/swapped'));
    const around = { reach: { ...readConfig({ dataDir }, env).reach } };
    const route = await routeTo(ctx, { url: dir }, around as Parameters<typeof routeTo>[2]);
    await rm(dir, { recursive: true });
    await symlink(mirror, dir);
    await expect(route.use(async () => 'read')).rejects.toMatchObject({ code: 'PermissionDenied' });
  });
});

describe('on a real cluster folders of this machine', () => {
  const env = { HOME: '/nowhere', PATH: process.env.PATH ?? '' };
  const flags = () => ({ kubeconfig: '/nowhere', dataDir: join(folder.path, 'real') });

  test('are not repositories', async () => {
    const its = openSources(readConfig(flags(), env), gitCommand());
    for (const url of [repo.dir, `file://${repo.dir}`, '/etc', '/']) {
      await expect(its.resolveRevision(ctx, { url }, 'main')).rejects.toMatchObject({
        code: 'PermissionDenied',
        message: expect.stringContaining('--local-repositories'),
      });
    }
    await its.close();
  });

  test('are repositories where an operator listed them, and a link does not lead out of those', async () => {
    const list = join(folder.path, 'list');
    await mkdir(list);
    const inside = await gitRepository(join(list, 'inside'));
    const head = await inside.commit({ a: '1' });
    await symlink(repo.dir, join(list, 'outside'));
    const its = openSources(readConfig({ ...flags(), localRepositories: list }, env), gitCommand());
    expect((await its.resolveRevision(ctx, { url: inside.dir }, 'main')).commit).toBe(head);
    for (const url of [repo.dir, join(list, 'outside')]) {
      await expect(its.resolveRevision(ctx, { url }, 'main')).rejects.toMatchObject({
        code: 'PermissionDenied',
      });
    }
    await its.close();
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
