import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const prefix = 'private-';

/**
 * Files that only this user can read and that exist only while the work runs: keys and certificates that programs
 * accept only as a path. `files` receives the folder, since some name others. The folder is removed however the work
 * ends.
 */
export async function withPrivateFiles<Value>(
  home: string,
  files: (dir: string) => Readonly<Record<string, string>>,
  work: (dir: string) => Promise<Value>,
): Promise<Value> {
  const dir = await mkdtemp(join(home, prefix)); // mkdtemp makes it 0700
  try {
    for (const [name, text] of Object.entries(files(dir))) {
      await writeFile(join(dir, name), text, { mode: 0o600, flag: 'wx' });
    }
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes the files that a killed process left. */
export async function clearPrivateFiles(home: string): Promise<void> {
  const left = (await readdir(home)).filter((name) => name.startsWith(prefix));
  await Promise.all(left.map((name) => rm(join(home, name), { recursive: true, force: true })));
}
