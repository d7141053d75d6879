import { encodeText, type FileTree, isWithin } from '#base/model';
import { sha256 } from '#base/std';

/** A tree with another text in one of its files. The path is a plain file of the tree, not behind a link. */
export function editedTree(tree: FileTree, path: string, text: string): FileTree {
  const bytes = encodeText(text);
  const mark = sha256(`edited ${path} ${text}`);
  const isIt = (other: string): boolean => tree.resolve(other) === path;
  // every folder above it is another folder by now
  const isAbove = (other: string): boolean => isWithin(path, tree.resolve(other) ?? other);
  return {
    has: (other) => tree.has(other),
    kind: (other) => tree.kind(other),
    list: (dir) => tree.list(dir),
    resolve: (other) => tree.resolve(other),
    link: (other) => tree.link(other),
    isExecutable: (other) => tree.isExecutable(other),
    size: (other) => (isIt(other) ? bytes.length : tree.size(other)),
    hash: (other) => {
      const own = tree.hash(other);
      return own !== undefined && isAbove(other) ? sha256(`${own} ${mark}`) : own;
    },
    read: async (other) => (isIt(other) ? bytes : tree.read(other)),
    text: async (other) => (isIt(other) ? text : tree.text(other)),
  };
}
