import type { FileTree } from '#base/model';
import type { JsonObject } from '#base/std';
import type { ChartLock } from './helm-lock.ts';

/** A file of a tree: `tree` '' is the source's own, any other name is that of a `$ref`. */
export type TreeFile = { readonly tree: string; readonly path: string };

/** A text to be written. */
export type PlannedText = { readonly name: string; readonly text: string };

/** A file a command needs. */
export type PlannedFile = TreeFile | PlannedText;

/** A file as a word of a command line; the code that writes the file decides its path. */
export type FileArgument = {
  readonly file: PlannedFile;
  readonly as: 'values' | 'set-file';
  readonly prefix: string;
};
export type HelmArgument = string | FileArgument;

/**
 * A dependency that a chart declares and does not contain in `charts/`; `version` is the locked one where there is a
 * lock.
 */
export type MissingDependency = {
  readonly name: string;
  readonly repository: string;
  readonly version: string;
};

/** How to run `helm template` for a source, in the chart's folder. */
export type HelmPlan = {
  readonly args: readonly HelmArgument[];
  /** Folders of the source's tree that must be present: the chart, and local charts it depends on. */
  readonly folders: readonly string[];
  readonly missing: readonly MissingDependency[];
  /** The chart's declared dependencies, unchanged, and its lock. */
  readonly declared: readonly JsonObject[];
  readonly lock?: ChartLock;
};

export type HelmContext = {
  readonly releaseName: string;
  readonly namespace: string;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  readonly valuesFileSchemes: readonly string[];
  /** The contents of value files from URLs, by URL. */
  readonly remote?: ReadonlyMap<string, string>;
  /** Repositories that value files may come from, by the name behind `$`. */
  readonly refs: ReadonlyMap<string, FileTree>;
};
