import { cp, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, silent, virtualClock } from '#base/std';
import { gitRepository, temporaryFolder } from '../../../../test/git-repository.ts';
import { gitCommand } from '../../../../test/manifests.ts';
import { createSources, type Sources } from '../index.ts';

// A local repository that goes away and comes back is noticed within ten seconds, of a clock that the test moves.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sources: Sources;

beforeAll(async () => {
  folder = await temporaryFolder();
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

/** Events of the disk come in real time, however far the clock was moved. */
const disk = { timeout: 10_000 };

function watching(url: string) {
  const clock = virtualClock();
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock };
  let count = 0;
  const running = (async () => {
    for await (const _moved of sources.watchLocal(ctx, { url })) count += 1;
  })();
  return {
    count: () => count,
    /** Time passes in small steps, each long enough for what was begun on the disk to end. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 500) {
        await clock.advance(500);
        for (let turns = 0; turns < 20; turns++) await stat(folder.path);
      }
    },
    end: async () => {
      stop.abort();
      await running;
    },
  };
}

test.each<[how: string, leave: (dir: string) => Promise<void>, back: (dir: string) => Promise<void>]>([
  [
    'moved away, and a copy put in its place',
    (dir) => rename(dir, `${dir}-aside`),
    (dir) => cp(`${dir}-aside`, dir, { recursive: true }),
  ],
  [
    'deleted and restored',
    async (dir) => {
      await cp(dir, `${dir}-copy`, { recursive: true });
      await rm(dir, { recursive: true });
    },
    (dir) => cp(`${dir}-copy`, dir, { recursive: true }),
  ],
  [
    'a link that is taken away and then leads to another',
    async (dir) => {
      await rename(dir, `${dir}-first`);
      await cp(`${dir}-first`, `${dir}-second`, { recursive: true });
    },
    (dir) => symlink(`${dir}-second`, dir),
  ],
])('%s', async (how, leave, back) => {
  const { dir, commit } = await gitRepository(join(folder.path, how.replaceAll(/\W+/g, '-')));
  await commit({ a: '1' });
  const watch = watching(dir);
  await watch.pass(1_000);
  await expect.poll(watch.count, disk).toBe(1);
  await leave(dir);
  await watch.pass(20_000);
  const before = watch.count();
  await back(dir);
  await watch.pass(10_000);
  await expect.poll(watch.count, disk).toBeGreaterThan(before);
  // a busy disk reports the copied files late; once it is quiet, nothing more comes
  await expect
    .poll(async () => {
      const settled = watch.count();
      await watch.pass(60_000);
      return watch.count() - settled;
    }, disk)
    .toBe(0);
  await watch.end();
});

test('one that was not there at the beginning', async () => {
  const dir = join(folder.path, 'later');
  const watch = watching(dir);
  await watch.pass(20_000);
  expect(watch.count()).toBe(0);
  const { commit } = await gitRepository(dir);
  await commit({ a: '1' });
  await watch.pass(10_000);
  await expect.poll(watch.count, disk).toBeGreaterThan(0);
  await watch.end();
});
