import { FairleadError, sha256 } from '#base/std';
import { baseName, compareBytes, normalizePath, parentPath } from './file-path.ts';
import { type EntryKind, type FileTree, followLinks } from './file-tree.ts';
import { decodeText } from './text.ts';

/** One line of a tree listing. Directories may be left out; they follow from the paths below them. */
export type TreeEntry = {
  readonly path: string;
  readonly kind: EntryKind;
  /** Git's hash, or any hash of the content. Left out on a directory: computed from its entries. */
  readonly hash?: string;
  readonly executable?: boolean;
  readonly size?: number;
  /** The target of a symlink. */
  readonly target?: string;
};

/** The facts of a tree about single paths; links are not followed at this level. */
export type TreeIndex = {
  entry(path: string): TreeEntry | undefined;
  names(dir: string): readonly string[];
  hash(path: string): string | undefined;
  read(entry: TreeEntry): Promise<Uint8Array>;
};

/** Builds the tree of a listing (`git ls-tree -r -t -l`, a chart's archive, …) and a reader of single files. */
export function createFileTree(
  entries: Iterable<TreeEntry>,
  read: (entry: TreeEntry) => Promise<Uint8Array>,
): FileTree {
  const byPath = new Map<string, TreeEntry>([['', { path: '', kind: 'dir' }]]);
  const children = new Map<string, string[]>();
  for (const entry of entries) place(byPath, children, { ...entry, path: normalizePath(entry.path) });
  for (const names of children.values()) names.sort(compareBytes);

  const hashes = new Map<string, string>();
  const index: TreeIndex = {
    entry: (path) => byPath.get(path),
    names: (dir) => children.get(dir) ?? [],
    hash: (path) => byPath.get(path)?.hash ?? hashes.get(path) ?? keep(path),
    read,
  };
  const keep = (path: string): string => {
    const hash = hashOf(index, path);
    hashes.set(path, hash);
    return hash;
  };
  return treeOver(index);
}

function place(byPath: Map<string, TreeEntry>, children: Map<string, string[]>, entry: TreeEntry): void {
  const known = byPath.has(entry.path);
  byPath.set(entry.path, entry);
  if (known) return;
  const parent = parentPath(entry.path);
  const siblings = children.get(parent);
  if (siblings) siblings.push(baseName(entry.path));
  else children.set(parent, [baseName(entry.path)]);
  if (!byPath.has(parent)) place(byPath, children, { path: parent, kind: 'dir' });
}

function hashOf(index: TreeIndex, path: string): string {
  const entry = index.entry(path);
  if (entry?.kind !== 'dir') return sha256(`${entry?.kind} ${entry?.target ?? ''}`);
  const lines = index.names(path).map((name) => {
    const child = path === '' ? name : `${path}/${name}`;
    return `${index.entry(child)?.kind} ${name} ${index.hash(child)}`;
  });
  return sha256(lines.join('\n'));
}

/** Gives single-path knowledge the manners of a FileTree: cleaning, links, errors. */
export function treeOver(index: TreeIndex): FileTree {
  const tree: FileTree = {
    kind: (path) => at(path)?.kind,
    link: (path) => at(path)?.target,
    resolve: (path) => inside(path, () => real(path)),
    has: (path) => tree.resolve(path) !== undefined,
    isExecutable: (path) => behind(path)?.executable ?? false,
    size: (path) => behind(path)?.size,
    hash: (path) => {
      const at = tree.resolve(path);
      return at === undefined ? undefined : index.hash(at);
    },
    list(dir) {
      const entry = found(dir);
      if (entry.kind === 'submodule') return []; // compat sources VFT-8
      if (entry.kind !== 'dir') throw new FairleadError('NotFound', `${dir} is not a directory`);
      return index.names(entry.path);
    },
    async read(path) {
      const entry = found(path);
      if (entry.kind !== 'file')
        throw new FairleadError('NotFound', `${path || 'the root'} is a directory, not a file`);
      return index.read(entry);
    },
    text: async (path) => decodeText(await tree.read(path)),
  };
  const raw = {
    kind: (path: string) => index.entry(path)?.kind,
    link: (path: string) => index.entry(path)?.target,
  };

  function real(path: string): string | undefined {
    const clean = normalizePath(path);
    const entry = index.entry(clean);
    // nothing is stored below a link, so an entry that is no link was reached without one
    return entry && entry.kind !== 'symlink' ? clean : followLinks(raw, clean);
  }
  /** The entry itself, reached through links in its parents only. */
  function at(path: string): TreeEntry | undefined {
    return inside(path, () => {
      const clean = normalizePath(path);
      const direct = index.entry(clean);
      if (direct || clean === '') return direct;
      const dir = followLinks(raw, parentPath(clean));
      return dir === undefined
        ? undefined
        : index.entry(dir === '' ? baseName(clean) : `${dir}/${baseName(clean)}`);
    });
  }
  function behind(path: string): TreeEntry | undefined {
    const at = tree.resolve(path);
    return at === undefined ? undefined : index.entry(at);
  }
  function found(path: string): TreeEntry {
    const at = real(path);
    const entry = at === undefined ? undefined : index.entry(at);
    if (!entry) throw new FairleadError('NotFound', `nothing at ${path || 'the root'}`);
    return entry;
  }
  return tree;
}

/** Above the root there is nothing to be found. */
function inside<T>(path: string, read: () => T): T | undefined {
  return climbs(path) ? undefined : read();
}

function climbs(path: string): boolean {
  if (!path.includes('..')) return false;
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
