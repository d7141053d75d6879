import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type SourceLimits, type Sources } from './index.ts';

const hour = 3_600_000;
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let one: GitRepositoryFixture;
let two: GitRepositoryFixture;
let sources: Sources;
let cacheDir: string;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  one = await gitRepository(join(folder.path, 'one'));
  two = await gitRepository(join(folder.path, 'two'));
  await one.commit({ a: '1' });
  await two.commit({ a: '2' });
});
beforeEach(() => {
  run += 1;
  cacheDir = join(folder.path, `cache-${run}`);
});
afterAll(async () => {
  await sources.close();
  await folder.remove();
});

async function open(limits: Partial<SourceLimits>): Promise<void> {
  await sources?.close();
  sources = createSources({ cacheDir, git: gitCommand(), reach: { local: [folder.path] }, limits });
}

const read = async (repo: GitRepositoryFixture): Promise<string> => {
  const { commit } = await sources.resolveRevision(ctx, { url: repo.dir }, 'main', { fresh: true });
  return (await sources.openTree(ctx, { url: repo.dir }, commit)).text('a');
};
const mirrors = (): Promise<string[]> => readdir(join(cacheDir, 'git'));

/** One round of housekeeping, `ms` from now. */
async function sweepAfter(ms: number): Promise<void> {
  const stop = new AbortController();
  const clock = virtualClock({ start: new Date(Date.now() + ms) });
  const sleep: Ctx['clock']['sleep'] = (_ms, signal) => {
    stop.abort();
    return clock.sleep(1, signal);
  };
  const running = sources.run({ signal: stop.signal, log: silent, clock: { ...clock, sleep } });
  await running.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

describe('mirrors', () => {
  test('that nobody has asked for in a long time are removed, and fetched again when wanted', async () => {
    await open({ mirrorIdleMs: 48 * hour });
    await read(one);
    await sweepAfter(47 * hour);
    expect(await mirrors()).toHaveLength(1);
    await sweepAfter(49 * hour);
    expect(await mirrors()).toEqual([]);
    expect(await Promise.all([read(one), read(one)])).toEqual(['1', '1']);
  });

  test('that lay there before this process are judged by when they were last used', async () => {
    await open({ mirrorIdleMs: 48 * hour });
    await read(one);
    await read(two);
    await sources.close();
    const [old = '', young = ''] = await mirrors();
    const past = new Date(Date.now() - 50 * hour);
    await utimes(join(cacheDir, 'git', old, 'fairlead-mirror'), past, past);
    await open({ mirrorIdleMs: 48 * hour });
    await sweepAfter(0);
    expect(await mirrors()).toEqual([young]);
  });

  test('go, the longest unused first, when together they weigh too much', async () => {
    await open({ mirrorBytes: 1 });
    await read(one);
    await sweepAfter(0);
    expect(await mirrors()).toHaveLength(1); // somebody may still be reading
    await sweepAfter(hour);
    expect(await mirrors()).toEqual([]);
  });

  test('a tree that is still read keeps its mirror', async () => {
    await open({ mirrorBytes: 1 });
    const { commit } = await sources.resolveRevision(ctx, { url: one.dir }, 'main');
    const tree = await sources.openTree(ctx, { url: one.dir }, commit);
    for (let round = 0; round < 3; round++) {
      expect(await tree.text('a')).toBe('1');
      await sweepAfter(10 * 60_000);
    }
    expect(await mirrors()).toHaveLength(1);
  });

  test('what a killed process left half done is cleared away, unless it may be under way', async () => {
    await open({});
    await read(one);
    const dir = join(cacheDir, 'git');
    await mkdir(join(dir, 'abc.git.old-1/objects'), { recursive: true });
    await sweepAfter(0);
    expect(await mirrors()).toHaveLength(2);
    await sweepAfter(2 * hour);
    expect(await mirrors()).toHaveLength(1);
  });

  test('join their packs once there are many, and readers go on', async () => {
    await open({});
    const { commit: first } = await sources.resolveRevision(ctx, { url: one.dir }, 'main', { fresh: true });
    const tree = await sources.openTree(ctx, { url: one.dir }, first);
    for (let count = 0; count < 55; count++) {
      const commit = await one.commit({ a: '1', [`f${count}`]: String(count) });
      await sources.openTree(ctx, { url: one.dir }, commit);
    }
    const [mirror = ''] = await mirrors();
    const packs = (await readdir(join(cacheDir, 'git', mirror, 'objects/pack'))).filter((name) =>
      name.endsWith('.pack'),
    );
    expect(packs.length).toBeLessThan(50);
    expect(await tree.text('a')).toBe('1');
  });
});
