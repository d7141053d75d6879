import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type Sources } from './index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repo: GitRepositoryFixture;
let sources: Sources;
let first: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  repo = await gitRepository(join(folder.path, 'repo'));
  first = await repo.commit({
    'apps/a/x.yaml': 'x: 1\n',
    'apps/b/y.yaml': 'y: 1\n',
    'run.sh': 'true\n',
    link: 'apps/a/x.yaml',
  });
  sources = createSources({
    cacheDir: join(folder.path, 'cache'),
    git: gitCommand(),
    reach: { local: [folder.path] },
  });
});
afterAll(async () => {
  await sources.close();
  await folder.remove();
});

const between = async (from: string, to: string): Promise<string[] | undefined> =>
  (await sources.changedFiles(ctx, { url: repo.dir }, from, to))?.toSorted();

describe('what changed between two commits', () => {
  test('is told by its paths, added, changed and removed, and by nothing else (MGP-4)', async () => {
    const second = await repo.commit({
      'apps/a/x.yaml': 'x: 2\n',
      'apps/b/y.yaml': undefined,
      'apps/c/d/z.yaml': 'z: 1\n',
    });
    const paths = ['apps/a/x.yaml', 'apps/b/y.yaml', 'apps/c/d/z.yaml'];
    expect(await between(first, second)).toEqual(paths);
    expect(await between(second, first)).toEqual(paths);
    expect(await between(second, second)).toEqual([]);
  });

  test('agrees with git, file for folder and folder for file', async () => {
    const before = await repo.git('rev-parse', 'HEAD');
    const after = await repo.commit({
      'apps/a': 'a file now',
      'run.sh': undefined,
      'run.sh/x': 'a folder now',
      '.x': '1',
    });
    const said = await repo.git('diff', '--name-only', '--no-renames', before, after);
    expect(await between(before, after)).toEqual(said.split('\n').sort());
  });

  test('counts a new mode, a file that became a link, and a submodule that moved (MGP-6)', async () => {
    const start = await repo.commit({ 'run.sh': 'true\n', s: 'target' });
    const mode = await repo.commit({ 'run.sh': { executable: 'true\n' } });
    expect(await between(start, mode)).toEqual(['run.sh']);
    const link = await repo.commit({ s: { symlink: 'target' } });
    expect(await between(mode, link)).toEqual(['s']);
    const gitlink = async (commit: string): Promise<string> => {
      await repo.git('update-index', '--add', '--cacheinfo', `160000,${commit},lib/sub`);
      await repo.git('commit', '--quiet', '-m', 'submodule');
      return repo.git('rev-parse', 'HEAD');
    };
    const [one, two] = [await gitlink(start), await gitlink(mode)];
    expect(await between(one, two)).toEqual(['lib/sub']);
    await repo.git('rm', '-q', '--cached', 'lib/sub');
  });

  test('takes the ends alone, also when neither is an ancestor of the other (MGP-4)', async () => {
    await repo.git('checkout', '--quiet', '-b', 'side', first);
    const side = await repo.commit({ 'side.yaml': 's: 1\n', 'apps/a/x.yaml': 'x: 1\n' });
    await repo.git('checkout', '--quiet', 'main');
    const main = await repo.git('rev-parse', 'main');
    const said = await repo.git('diff', '--name-only', '--no-renames', side, main);
    expect(await between(side, main)).toEqual(said.split('\n').sort());
  });

  test('cannot be known for a shallow record, nor from a commit that is gone (GIT-9)', async () => {
    const head = await repo.git('rev-parse', 'HEAD');
    expect(await sources.changedFiles(ctx, { url: repo.dir, depth: 1 }, first, head)).toBeUndefined();
    expect(await between('a'.repeat(40), head)).toBeUndefined();
    await expect(between(head, 'a'.repeat(40))).rejects.toMatchObject({ code: 'NotFound' });
  });
});
