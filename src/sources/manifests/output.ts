import type { FileTree, KubeObject } from '#base/model';

/** The rendered objects of one source. */
export type Output = {
  readonly objects: readonly KubeObject[];
  readonly commands: readonly string[];
  readonly warnings: readonly string[];
};

/** A tree twice: one records every query, `files` is for bulk work that one hash records. */
export type RecordedTree = { readonly requested: FileTree; readonly files: FileTree };
