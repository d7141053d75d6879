import type { FileTree, KubeObject } from '#base/model';

/** What one source became. */
export type Output = {
  readonly objects: readonly KubeObject[];
  readonly commands: readonly string[];
  readonly warnings: readonly string[];
};

/** A tree twice: `asked` remembers every question, `files` is for bulk work whose sum is noted by one hash. */
export type RecordedTree = { readonly asked: FileTree; readonly files: FileTree };
