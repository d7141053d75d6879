import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { gitRepository, temporaryFolder } from '../../../test/git-repository.ts';
import { gitCommand } from '../../../test/manifests.ts';
import { createSources, type SourceLimits, type Sources } from './index.ts';

// Programs that read Git's objects stay for the next read: not for ever, and not for every repository.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sources: Sources;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await sources.close();
  await folder.remove();
});

function open(limits: Partial<SourceLimits>, command = gitCommand().command): void {
  const reach = { local: [folder.path] };
  sources = createSources({ cacheDir: join(folder.path, 'cache'), git: { command }, reach, limits });
}

/** The `git cat-file` that this process has started and that still run. */
function readers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1];
        return (
          Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cat-file')
        );
      } catch {
        return false; // it ended meanwhile
      }
    });
}

async function repositories(count: number): Promise<{ url: string; commit: string }[]> {
  const made = Array.from({ length: count }, async (_one, at) => {
    const repo = await gitRepository(join(folder.path, `repo-${at}`));
    return { url: repo.dir, commit: await repo.commit({ 'a.yaml': `a: ${at}\n` }) };
  });
  return Promise.all(made);
}

const textOf = async ({ url, commit }: { url: string; commit: string }): Promise<string> =>
  (await sources.openTree(ctx, { url }, commit)).text('a.yaml');

test('all repositories together have a limited number of them, however many are read at once', async () => {
  const repos = await repositories(6);
  open({ openReaders: 3 });
  const counts: number[] = [];
  for (let round = 0; round < 3; round++) {
    let isRead = false;
    const texts = Promise.all(repos.map(textOf)).finally(() => {
      isRead = true;
    });
    while (!isRead) {
      counts.push(readers().length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await texts).toEqual(repos.map((_one, at) => `a: ${at}\n`));
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  expect(Math.max(...counts)).toBeGreaterThan(0);
});

test('those that nobody has read from for a while end, and start again when something is read', async () => {
  const [one, two] = await repositories(2);
  if (!one || !two) throw new Error('no repositories');
  open({ readerIdleMs: 60_000 });
  await textOf(one);
  await textOf(two);
  expect(readers()).toHaveLength(4);
  const stop = new AbortController();
  const clock = virtualClock({ start: new Date() });
  const running = sources.run({ signal: stop.signal, log: silent, clock }).catch(() => {});
  await untilAsleep();
  for (let minute = 0; minute < 3; minute++) {
    await textOf(one); // its folders are in memory: one program reads the content of the file
    await clock.advance(60_000);
    await untilAsleep();
    expect(readers()).toHaveLength(1);
  }
  await clock.advance(60_000);
  await untilAsleep();
  expect(readers()).toHaveLength(0);
  expect(await textOf(two)).toBe('a: 1\n');
  stop.abort();
  await running;

  /** Housekeeping sleeps when the programs that it ended are gone. */
  async function untilAsleep(): Promise<void> {
    while (clock.sleepers === 0) await new Promise((resolve) => setImmediate(resolve));
  }
});

test('one that is in use is not ended, however long the read takes', async () => {
  const [one] = await repositories(1);
  if (!one) throw new Error('no repository');
  const program = join(folder.path, 'slow-git');
  const gate = join(folder.path, 'gate');
  const { command } = gitCommand();
  const wait = `while [ ! -e ${gate} ]; do sleep 0.05; done`;
  const script = `#!/bin/sh\ncase "$*" in *"cat-file --batch") ${wait} ;; esac\nexec ${command} "$@"\n`;
  await writeFile(program, script, { mode: 0o755 });
  open({ readerIdleMs: 60_000, openReaders: 1 }, program);
  const text = textOf(one);
  const stop = new AbortController();
  const clock = virtualClock({ start: new Date() });
  const running = sources.run({ signal: stop.signal, log: silent, clock }).catch(() => {});
  while (readers().length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (let minute = 0; minute < 5; minute++) {
    while (clock.sleepers === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(60_000);
  }
  expect(readers()).toHaveLength(1);
  await writeFile(gate, '');
  expect(await text).toBe('a: 0\n');
  stop.abort();
  await running;
});
