import { access, constants, mkdir } from 'node:fs/promises';
import { FairleadError } from '#std';

/** Makes the data directory, or finds it ready. Throws InvalidSpec in words where nothing can be kept in it. */
export async function makeDataDir(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
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

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file of that name',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'we may not write there',
  EPERM: 'we may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
};
