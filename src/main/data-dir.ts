import { access, chmod, constants, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FairleadError } from '#base/std';

/**
 * Creates the data directory unless it exists. From then on this process, and the programs that it starts, create files for
 * their owner alone, whatever the umask was; the permissions of existing files are restricted. Throws InvalidSpec when
 * nothing can be stored in the folder.
 */
export async function makeDataDir(dir: string): Promise<void> {
  process.umask(0o077);
  try {
    await makeFolder(dir);
    await access(dir, constants.W_OK);
    await tighten(dir);
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

/** Everything that we put into a data directory. */
const ours = ['admin-password', 'cache', 'demo', 'demo.wanted', 'kubeconfig', 'pki', 'replica', 'store'];

/**
 * Removes the permissions of the group and of others from all our files. The folder itself may be one that the user chose and
 * keeps other files in: it is changed only when there is nothing else in it.
 */
export async function tighten(dir: string): Promise<void> {
  const names = await readdir(dir);
  if (names.every((name) => ours.includes(name))) await close(dir);
  for (const name of names) if (ours.includes(name)) await tightenTree(join(dir, name));
}

async function tightenTree(path: string): Promise<void> {
  if (!(await close(path))) return;
  for (const name of await readdir(path)) await tightenTree(join(path, name));
}

/** Whether it is a folder. The target of a link is not ours. */
async function close(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined); // another process may have removed it
  if (!found || found.isSymbolicLink()) return false;
  if ((found.mode & 0o077) !== 0) await chmod(path, found.mode & 0o700);
  return found.isDirectory();
}

/**
 * Creates a folder and its parents. Node's recursive mkdir never ends in a folder that exists and reports ENOENT for every
 * new entry, as those of /proc do.
 */
async function makeFolder(dir: string): Promise<void> {
  const problem = await problemOf(dir);
  if (problem === undefined) return;
  if (problem.code !== 'ENOENT' || dirname(dir) === dir) throw problem;
  await makeFolder(dirname(dir));
  const again = await problemOf(dir);
  if (again) throw again;
}

/** Why the folder does not exist although its creation was tried. */
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
