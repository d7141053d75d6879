import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDataDir } from './data-dir.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-data-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a data directory is made for nobody else to read, and found again', async () => {
  const dir = join(folder, 'a/b');
  await makeDataDir(dir);
  await makeDataDir(dir);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
});

test('what cannot be one is named, with the reason and the way out', async () => {
  await writeFile(join(folder, 'file'), '');
  const told = (path: string) => expect(makeDataDir(join(folder, path))).rejects;
  await told('file').toThrow(/file: there is a file of that name; choose another with --data-dir/);
  await told('file/below').toThrow(/a part of its path is a file; choose another/);
});

test('a place that takes no folders is given up', async () => {
  await expect(makeDataDir('/proc/fairlead/data')).rejects.toThrow('choose another with --data-dir');
});
