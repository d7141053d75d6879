import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryTree } from '#base/model';
import { realClock, silent } from '#base/std';
import { temporaryFolder } from '../../../test/git-repository.ts';
import { Contents } from './contents.ts';
import { type EngineLimits, Engines } from './engine.ts';

let folder: { path: string; remove(): Promise<void> };
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const tree = memoryTree({
  'a.yaml': 'a: 1\n',
  'copy/of-a.yaml': 'a: 1\n',
  'run.sh': { content: 'echo\n', executable: true },
  'same-text': 'echo\n',
});

async function place(name: string): Promise<string> {
  const dir = join(folder.path, name);
  await mkdir(dir, { recursive: true });
  return dir;
}

const contentsIn = (name: string, readyFiles = 1000): { contents: Contents; files: () => string[] } => {
  const dir = join(folder.path, name);
  const contents = new Contents(async () => dir, { readyBytes: 1_000_000, readyFiles });
  const all = () => readdirSync(join(dir, 'contents'), { recursive: true, encoding: 'utf8' });
  return { contents, files: () => all().filter((path) => path.includes('/')) };
};

describe('contents', () => {
  test('are written once and linked from then on, by what they hold and not by where they stand', async () => {
    const { contents, files } = contentsIn('once');
    const [first, second] = [await place('first'), await place('second')];
    await contents.linking().place(tree, 'a.yaml', join(first, 'x'));
    await contents.linking().place(tree, 'copy/of-a.yaml', join(second, 'y'));
    expect(statSync(join(first, 'x')).ino).toBe(statSync(join(second, 'y')).ino);
    expect(readFileSync(join(second, 'y'), 'utf8')).toBe('a: 1\n');
    expect(files()).toHaveLength(1);
  });

  test('are read-only, and executable only where the tree says so', async () => {
    const { contents } = contentsIn('modes');
    const dir = await place('in-modes');
    const placing = contents.linking();
    await placing.place(tree, 'run.sh', join(dir, 'run.sh'));
    await placing.place(tree, 'same-text', join(dir, 'same-text'));
    expect(statSync(join(dir, 'run.sh')).mode & 0o777).toBe(0o500);
    expect(statSync(join(dir, 'same-text')).mode & 0o777).toBe(0o400);
  });

  test('that were written to are told, and never linked again', async () => {
    const { contents } = contentsIn('touched');
    const dir = await place('in-touched');
    const [careless, careful] = [contents.linking(), contents.linking()];
    await careless.place(tree, 'a.yaml', join(dir, 'careless'));
    await careful.place(tree, 'a.yaml', join(dir, 'careful'));
    expect(careful.isIntact()).toBe(true);
    chmodSync(join(dir, 'careless'), 0o600);
    appendFileSync(join(dir, 'careless'), 'evil: true\n');
    expect(careless.isIntact()).toBe(false);
    expect(careful.isIntact()).toBe(false); // it shares the file, and may have read it meanwhile
    await contents.linking().place(tree, 'a.yaml', join(dir, 'next'));
    expect(readFileSync(join(dir, 'next'), 'utf8')).toBe('a: 1\n');
  });

  test('that were replaced or removed in one place are as they were in all others', async () => {
    const { contents } = contentsIn('replaced');
    const dir = await place('in-replaced');
    const placing = contents.linking();
    await placing.place(tree, 'a.yaml', join(dir, 'x'));
    await rm(join(dir, 'x'));
    writeFileSync(join(dir, 'x'), 'mine\n');
    expect(placing.isIntact()).toBe(true);
    await contents.linking().place(tree, 'a.yaml', join(dir, 'y'));
    expect(readFileSync(join(dir, 'y'), 'utf8')).toBe('a: 1\n');
  });

  test('are bounded, and one that was removed from the disk is written again', async () => {
    const { contents, files } = contentsIn('bounded', 10);
    const many = memoryTree(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, `${at}`])));
    const dir = await place('in-bounded');
    for (let at = 0; at < 50; at++) await contents.linking().place(many, `f${at}`, join(dir, `f${at}`));
    expect(files().length).toBeLessThanOrEqual(10);
    expect(readFileSync(join(dir, 'f0'), 'utf8')).toBe('0'); // whoever linked it still has it
    await rm(join(folder.path, 'bounded/contents'), { recursive: true });
    await contents.linking().place(many, 'f49', join(dir, 'again'));
    expect(readFileSync(join(dir, 'again'), 'utf8')).toBe('49');
  });
});

describe('an engine that writes to its input', () => {
  const limits: EngineLimits = {
    ...{ ms: 10_000, outputBytes: 1000, memoryMb: 512, parallel: 4 },
    ...{ files: 100, bytes: 1_000_000, readyBytes: 1_000_000, readyFiles: 100 },
  };
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

  test('is run again on files of its own, and changes nobody else’s', async () => {
    const engines = new Engines(
      join(folder.path, 'render'),
      { searchPath: '', cacheDir: folder.path },
      limits,
    );
    const watched = { requested: tree, files: tree };
    const runWith = (work: (file: string) => void): Promise<string> =>
      engines.inWorkspace(ctx, async (workspace) => {
        await workspace.materialize(watched, { files: ['a.yaml'], folders: [] }, workspace.files);
        const file = join(workspace.files, 'a.yaml');
        work(file);
        return readFileSync(file, 'utf8');
      });
    let runs = 0;
    const writes = (file: string): void => {
      runs += 1;
      chmodSync(file, 0o600);
      appendFileSync(file, 'evil: true\n');
    };
    expect(await runWith(writes)).toBe('a: 1\nevil: true\n');
    expect(runs).toBe(2);
    expect(await runWith(() => {})).toBe('a: 1\n');
    expect(readdirSync(join(folder.path, 'render'))).toEqual(['contents']); // no run leaves anything
  });
});
