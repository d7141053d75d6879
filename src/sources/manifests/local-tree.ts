import { randomUUID } from 'node:crypto';
import { constants, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { compareBytes, decodeText, type EntryKind, type FileTree, subtree } from '#base/model';
import { FairleadError } from '#base/std';

type Entry = {
  readonly kind: EntryKind;
  readonly executable: boolean;
  readonly size: number | undefined;
  readonly target: string | undefined;
};

/**
 * A folder of this machine as a FileTree, for the owner of the folder. Only requested paths are read, so a folder may
 * contain a million other files; each path is read once. `.git` is not part of it. Hashes identify this view of the
 * folder: nothing rendered from it is reused for another.
 */
export function localTree(root: string): FileTree {
  const view = randomUUID();
  const entries = new Map<string, Entry | undefined>();
  const listings = new Map<string, readonly string[]>();
  const at = (path: string): Entry | undefined => {
    if (!entries.has(path)) entries.set(path, path === '.git' ? undefined : entryAt(join(root, path)));
    return entries.get(path);
  };
  const list = (dir: string): readonly string[] => {
    if (at(dir)?.kind !== 'dir') return [];
    const known = listings.get(dir);
    if (known) return known;
    const names = readdirSync(join(root, dir)).filter((name) => dir !== '' || name !== '.git');
    const found = names
      .filter((name) => at(dir === '' ? name : `${dir}/${name}`) !== undefined)
      .sort(compareBytes);
    listings.set(dir, found);
    return found;
  };
  const raw: FileTree = {
    has: (path) => at(path) !== undefined,
    kind: (path) => at(path)?.kind,
    list,
    resolve: (path) => path,
    link: (path) => at(path)?.target,
    isExecutable: (path) => at(path)?.executable ?? false,
    size: (path) => at(path)?.size,
    hash: (path) => (at(path) ? `${view} ${path}` : undefined),
    read: (path) => contentOf(root, path),
    text: async (path) => decodeText(await raw.read(path)),
  };
  if (at('')?.kind !== 'dir') throw new FairleadError('NotFound', `${root} is not a folder`);
  return subtree(raw, ''); // gives single paths the behaviour of every FileTree
}

/** Sockets, pipes and devices count as absent. */
function entryAt(path: string): Entry | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return { kind: 'dir', executable: false, size: undefined, target: undefined };
  if (stat?.isSymbolicLink())
    return { kind: 'symlink', executable: false, size: undefined, target: readlinkSync(path) };
  if (!stat?.isFile()) return undefined;
  return { kind: 'file', executable: (stat.mode & 0o111) !== 0, size: stat.size, target: undefined };
}

/** A file, or a folder above it, that became a link since it was read is not followed: it may lead anywhere. */
async function contentOf(root: string, path: string): Promise<Uint8Array> {
  try {
    const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const real = join(await realpath(root), path);
      if ((await realpath(join(root, path))) !== real) throw new Error('it was replaced by a link');
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FairleadError('Unavailable', `${path} cannot be read: ${code ?? 'it is gone'}`, error);
  }
}
