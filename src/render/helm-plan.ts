import type { FileTree } from '#model';

/** A file of a tree: `tree` '' is the source's own, any other name is that of a `$ref`. */
export type TreeFile = { readonly tree: string; readonly path: string };

/** A file a command needs: one of a tree, or a text to be written. */
export type PlannedFile = TreeFile | { readonly name: string; readonly text: string };

/** A file as a word of a command line; where it will lie is known only to whoever writes it. */
export type FileArgument = {
  readonly file: PlannedFile;
  readonly as: 'values' | 'set-file';
  readonly prefix: string;
};
export type Argument = string | FileArgument;

/** A dependency that a chart declares and does not carry in `charts/`. */
export type MissingDependency = { readonly name: string; readonly repository: string };

/** How to run `helm template` for a source, in the chart's folder. */
export type HelmPlan = {
  readonly args: readonly Argument[];
  /** Folders of the source's tree that must be there: the chart, and local charts it depends on. */
  readonly folders: readonly string[];
  readonly missing: readonly MissingDependency[];
};

export type HelmContext = {
  readonly releaseName: string;
  readonly namespace: string;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  readonly valuesFileSchemes: readonly string[];
  /** Repositories that value files may come from, by the name behind `$`. */
  readonly refs: ReadonlyMap<string, FileTree>;
};
