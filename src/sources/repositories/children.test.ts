import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitHttpServer, gitHttpServer } from '../../../test/git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources, type SourcesConfig } from './index.ts';

// What the programs that we start for a repository may cost, and what they must be able to do.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let server: GitHttpServer;
let commit: string;
const opened: Sources[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'srv/repo'));
  commit = await repo.commit({ 'small.yaml': 'a: 1\n', 'big.bin': randomBytes(60_000_000) });
  server = await gitHttpServer({ root: join(folder.path, 'srv') });
});
afterEach(() => Promise.all(opened.splice(0).map((sources) => sources.close())));
afterAll(async () => {
  await server.close();
  await folder.remove();
});

function sourcesWith(cache: string, more: Partial<SourcesConfig>): Sources {
  const reach = { local: [folder.path], loopback: true };
  const cacheDir = join(folder.path, cache);
  const sources = createSources({ cacheDir, git: gitCommand(), reach, ...more });
  opened.push(sources);
  return sources;
}

const tooMuch = (mb: number) => ({
  code: 'LimitExceeded',
  message: expect.stringContaining(`git needs more than ${mb} MB`),
});

test('a fetch that needs more memory than git may have ends, and says so', async () => {
  const poor = sourcesWith('poor', { limits: { gitMemoryMb: 48 } });
  for (const url of [repo.dir, `${server.url}/repo/.git`]) {
    await expect(poor.openTree(ctx, { url }, commit)).rejects.toMatchObject(tooMuch(48));
  }
});

test('so does reading a file, and other files can be read as before', async () => {
  const rich = sourcesWith('shared', {});
  await rich.openTree(ctx, { url: repo.dir }, commit);
  await rich.close();
  const poor = sourcesWith('shared', { limits: { gitMemoryMb: 110 } });
  const tree = await poor.openTree(ctx, { url: repo.dir }, commit);
  await expect(tree.read('big.bin')).rejects.toMatchObject(tooMuch(110));
  expect(await tree.text('small.yaml')).toBe('a: 1\n');
});

test('a git that keeps readers waiting without a word is stopped', async () => {
  const program = join(folder.path, 'silent-git');
  const { command } = gitCommand();
  const script = `#!/bin/sh\ncase "$*" in *"cat-file --batch") exec sleep 600 ;; esac\nexec ${command} "$@"\n`;
  await writeFile(program, script, { mode: 0o755 });
  const sources = sourcesWith('silent', { git: { command: program }, limits: { readMs: 200 } });
  await expect(sources.openTree(ctx, { url: repo.dir }, commit)).rejects.toMatchObject({
    code: 'Unavailable',
    message: expect.stringContaining('said nothing for 200 ms'),
  });
});

test('a git too old to be kept to an address is refused for hosts with a name, and for nothing else', async () => {
  const { command } = gitCommand();
  const old = sourcesWith('old', { git: { command, version: '2.36.9' } });
  const named = server.url.replace('127.0.0.1', 'localhost');
  await expect(old.resolveRevision(ctx, { url: `${named}/repo/.git` }, 'main')).rejects.toMatchObject({
    code: 'InvalidSpec',
    message: expect.stringMatching(/address of localhost that was checked: install git 2\.37 or later/),
  });
  for (const url of [`${server.url}/repo/.git`, repo.dir]) {
    expect(await old.resolveRevision(ctx, { url }, 'main')).toMatchObject({ commit });
  }
  const young = sourcesWith('young', { git: { command, version: '2.37.0' } });
  expect(await young.resolveRevision(ctx, { url: `${named}/repo/.git` }, 'main')).toMatchObject({ commit });
  expect(() => sourcesWith('ancient', { git: { command, version: '2.30.2' } })).toThrow(
    'git 2.30.2 is too old: install git 2.31 or later',
  );
});
