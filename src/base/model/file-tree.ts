import { FairleadError } from '#base/std';
import { joinPath, linkTarget, normalizePath } from './file-path.ts';

export type EntryKind = 'file' | 'dir' | 'symlink' | 'submodule';

/**
 * A read-only tree of files at one revision. Renderers read this and never a disk. The listing is in memory,
 * so only contents are awaited. Paths are `/`-separated and relative to the root, which is ''; they are
 * cleaned lexically, so 'a/./b/../c' is 'a/c', and '/a' is 'a'. A lookup of a path above the root finds
 * nothing; reading or listing it throws InvalidSpec.
 */
export type FileTree = {
  /** Something is there, after following links; a dangling link is not. */
  has(path: string): boolean;
  /** The entry at the path itself: a link as the last component is not followed. Undefined: none. */
  kind(path: string): EntryKind | undefined;
  /** Names in a directory, bytewise ascending (sources VFT-2). A submodule lists nothing. Throws NotFound otherwise. */
  list(dir: string): readonly string[];
  /** The path after following every link; undefined when nothing is there. Throws on a loop or an escape. */
  resolve(path: string): string | undefined;
  /** The target text of a symlink; undefined for anything else. */
  link(path: string): string | undefined;
  /** Follows links. False for what is not a file. */
  isExecutable(path: string): boolean;
  /** Bytes of the file behind the path, known before it is read; undefined for what is not a file. */
  size(path: string): number | undefined;
  /** Git's hash of the file or directory behind the path; undefined when nothing is there. */
  hash(path: string): string | undefined;
  /** The bytes of a file, after following links. Throws NotFound. */
  read(path: string): Promise<Uint8Array>;
  /** The same as UTF-8 text without its byte order mark (sources VFT-7). */
  text(path: string): Promise<string>;
};

type Links = Pick<FileTree, 'kind' | 'link'>;

// the kernel's limit; only value files and libraries have the tighter limit of sources VFT-6
const mostLinks = 40;

/**
 * Follows every link in a path. Undefined: nothing is there. Throws InvalidSpec when a link leaves the tree
 * (sources VFT-4) or when more than `limit` links follow one another, as in a loop.
 */
export function followLinks(tree: Links, path: string, limit = mostLinks): string | undefined {
  let rest = normalizePath(path).split('/').reverse();
  let at = '';
  let followed = 0;
  while (rest.length > 0) {
    const next = joinPath(at, rest.pop() ?? '');
    const kind = tree.kind(next);
    if (kind === undefined) return undefined;
    if (kind !== 'symlink') {
      at = next;
      continue;
    }
    if (++followed > limit) throw new FairleadError('InvalidSpec', `too many symlinks in a row at ${path}`);
    rest = [...rest, ...targetOf(tree, next).split('/').reverse()];
    at = '';
  }
  return at;
}

function targetOf(tree: Links, path: string): string {
  const target = linkTarget(path, tree.link(path) ?? '');
  if (target === undefined) throw new FairleadError('InvalidSpec', `symlink ${path} points out of its tree`);
  return target;
}

/**
 * Everything below a directory, depth first, files and directories interleaved by name (sources VFT-2).
 * Links are named, not followed. `enter` decides whether a directory's own entries are visited.
 */
export function* walk(
  tree: FileTree,
  dir = '',
  enter: (path: string) => boolean = () => true,
): Generator<{ path: string; kind: EntryKind }> {
  for (const name of tree.list(dir)) {
    const path = joinPath(dir, name);
    const kind = tree.kind(path) ?? 'file';
    yield { path, kind };
    if (kind === 'dir' && enter(path)) yield* walk(tree, path, enter);
  }
}

/** The first link, in walk order, that points out of the tree; undefined when none does (sources VFT-5). */
export function escapingLink(tree: FileTree): string | undefined {
  for (const { path, kind } of walk(tree, '', (dir) => dir !== '.git')) {
    if (kind === 'symlink' && linkTarget(path, tree.link(path) ?? '') === undefined) return path;
  }
  return undefined;
}
