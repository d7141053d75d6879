import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FairleadError } from '#std';

/** Makes the data directory, or finds it ready. Throws InvalidSpec in words where nothing can be kept in it. */
export async function makeDataDir(dir: string): Promise<void> {
  try {
    await makeFolder(dir);
    await access(dir, constants.W_OK);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const why = reasons[code] ?? `it cannot be used (${code})`;
    throw new FairleadError(
      'InvalidSpec',
      `the data directory ${dir}: ${why}; choose another with --data-dir`,
      error,
    );
  }
}

/**
 * Makes a folder and those above it. Node's own way of doing that never ends where a folder that exists says of every
 * new one that there is no such thing, as those of /proc do.
 */
async function makeFolder(dir: string): Promise<void> {
  const problem = await problemOf(dir);
  if (problem === undefined) return;
  if (problem.code !== 'ENOENT' || dirname(dir) === dir) throw problem;
  await makeFolder(dirname(dir));
  const again = await problemOf(dir);
  if (again) throw again;
}

/** Why there is no such folder, although it was tried to make it. */
async function problemOf(dir: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(dir, { mode: 0o700 });
    return undefined;
  } catch (error) {
    const found = await stat(dir).catch(() => undefined);
    return found?.isDirectory() ? undefined : (error as NodeJS.ErrnoException);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file of that name',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'we may not write there',
  EPERM: 'we may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
};
