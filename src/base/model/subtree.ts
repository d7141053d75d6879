import { joinPath } from './file-path.ts';
import type { FileTree } from './file-tree.ts';
import { treeOver } from './tree-entries.ts';

/**
 * A directory seen as a tree of its own: nothing above it can be reached, and a link that leaves it is an
 * escape even when it stays in the tree around it. Throws NotFound when there is no such directory.
 */
export function subtree(tree: FileTree, dir: string): FileTree {
  tree.list(dir);
  const root = tree.resolve(dir) ?? '';
  // the whole tree as its own subtree is the most frequent case, and its paths are clean already
  const inner = (path: string): string => (root === '' ? path : joinPath(root, path));
  return treeOver({
    entry(path) {
      const kind = tree.kind(inner(path));
      if (kind === undefined) return undefined;
      const target = kind === 'symlink' ? tree.link(inner(path)) : undefined;
      const size = kind === 'file' ? tree.size(inner(path)) : undefined;
      return {
        path,
        kind,
        executable: kind === 'file' && tree.isExecutable(inner(path)),
        ...(size === undefined ? {} : { size }),
        ...(target === undefined ? {} : { target }),
      };
    },
    names: (path) => tree.list(inner(path)),
    hash: (path) => tree.hash(inner(path)),
    read: (entry) => tree.read(inner(entry.path)),
  });
}
