import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
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

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('files of an earlier start are tightened, those of others are left alone (attack 25)', async () => {
  const dir = join(folder, 'data');
  await mkdir(join(dir, 'store'), { recursive: true });
  await writeFile(join(folder, 'outside'), '');
  await chmod(join(folder, 'outside'), 0o644);
  await writeFile(join(dir, 'store/data.mdb'), '');
  await chmod(join(dir, 'store/data.mdb'), 0o664);
  await symlink(join(folder, 'outside'), join(dir, 'store/link'));
  for (const path of ['', 'store']) await chmod(join(dir, path), 0o755);
  await makeDataDir(dir);
  expect([await modeOf(dir), await modeOf(join(dir, 'store'))]).toEqual([0o700, 0o700]);
  expect(await modeOf(join(dir, 'store/data.mdb'))).toBe(0o600);
  expect(await modeOf(join(folder, 'outside'))).toBe(0o644);
  await writeFile(join(dir, 'notes.txt'), '');
  await chmod(join(dir, 'notes.txt'), 0o644);
  await chmod(dir, 0o755);
  await makeDataDir(dir);
  expect([await modeOf(dir), await modeOf(join(dir, 'notes.txt'))]).toEqual([0o755, 0o644]);
});
