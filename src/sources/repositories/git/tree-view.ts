import { decodeText, type FileTree, linkTarget, subtree } from '#base/model';
import { FairleadError } from '#base/std';
import type { Entry, Folder, ReadBlob } from './tree.ts';

/** Throws InvalidSpec when a link anywhere in the tree points out of it (sources VFT-5). */
export function refuseEscape({ links }: Folder): void {
  const out = links.find(({ path, target }) => linkTarget(path, target) === undefined);
  if (!out) return;
  throw new FairleadError(
    'InvalidSpec',
    `repository contains out-of-bounds symlinks. file: ${out.path}`, // compat sources VFT-5
  );
}

type Found = { readonly entry: Entry | undefined; readonly read: ReadBlob };

/**
 * A folder as a FileTree. `mark` is added to every hash: it distinguishes trees of one commit whose files differ in
 * content, as pointers and their content do.
 */
export function treeOf(root: Folder, read: ReadBlob, mark = ''): FileTree {
  const rootEntry: Entry = { kind: 'dir', hash: root.hash, executable: false, folder: root };
  // callers query a path several times in a row: its kind, its size, its hash
  let last = { path: '', found: { entry: rootEntry, read } as Found };
  const find = (path: string): Found => {
    if (path !== last.path) last = { path, found: lookUp(rootEntry, read, path) };
    return last.found;
  };
  const at = (path: string): Entry | undefined => find(path).entry;
  const hashAt = (path: string): string | undefined => at(path)?.hash;
  const raw: FileTree = {
    has: (path) => at(path) !== undefined,
    kind: (path) => at(path)?.kind,
    list: (dir) => at(dir)?.folder?.names ?? [],
    resolve: (path) => path,
    link: (path) => at(path)?.target,
    isExecutable: (path) => at(path)?.executable ?? false,
    size: (path) => at(path)?.size,
    hash: (path) => (hashAt(path) === undefined ? undefined : `${hashAt(path)}${mark}`),
    read: async (path) => {
      const { entry, read: reader } = find(path);
      return reader(entry?.hash ?? '');
    },
    text: async (path) => decodeText(await raw.read(path)),
  };
  // the raw tree supports single paths only; `subtree` gives it the behaviour of every FileTree
  return subtree(raw, '');
}

function lookUp(root: Entry, read: ReadBlob, path: string): Found {
  let entry: Entry | undefined = root;
  let reader = read;
  for (const name of path === '' ? [] : path.split('/')) {
    entry = entry?.folder?.entries.get(name);
    reader = entry?.read ?? reader;
  }
  return { entry, read: reader };
}
