import { sha256 } from '#base/std';
import { normalizePath } from './file-path.ts';
import type { FileTree } from './file-tree.ts';
import { decodeText, encodeText } from './text.ts';
import { createFileTree, type TreeEntry } from './tree-entries.ts';

/** A file's content, or a file with its executable bit, a symlink, or a submodule at a commit. */
export type MemoryFile =
  | string
  | Uint8Array
  | { content: string | Uint8Array; executable?: boolean }
  | { symlink: string }
  | { submodule: string };

/** A tree written as a literal: `memoryTree({ 'app/deploy.yaml': '…', 'latest': { symlink: 'app' } })`. */
export function memoryTree(files: Readonly<Record<string, MemoryFile>>): FileTree {
  const contents = new Map<string, Uint8Array>();
  const entries = Object.entries(files).map(([path, file]): TreeEntry => {
    const at = normalizePath(path);
    if (typeof file === 'object' && 'symlink' in file) {
      return { path: at, kind: 'symlink', target: file.symlink, hash: sha256(`symlink ${file.symlink}`) };
    }
    if (typeof file === 'object' && 'submodule' in file)
      return { path: at, kind: 'submodule', hash: file.submodule };
    const { content, executable = false } = isBare(file) ? { content: file } : file;
    const bytes = typeof content === 'string' ? encodeText(content) : content;
    contents.set(at, bytes);
    return { path: at, kind: 'file', hash: hashOf(bytes), size: bytes.length, executable };
  });
  return createFileTree(entries, async ({ path }) => contents.get(path) ?? new Uint8Array());
}

const isBare = (file: string | Uint8Array | { content: string | Uint8Array }): file is string | Uint8Array =>
  typeof file === 'string' || file instanceof Uint8Array;

// bytes that are not UTF-8 all decode to the same replacement, so they are spelled out
function hashOf(bytes: Uint8Array): string {
  const text = decodeText(bytes);
  return sha256(text.includes('\ufffd') ? `binary ${bytes.join(' ')}` : `text ${text}`);
}
