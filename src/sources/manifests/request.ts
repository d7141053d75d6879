import type { FileTree, KubeObject, Settings, Source, SourceType } from '#base/model';
import type { Demand, RefAge, SourceRepository } from '#sources/repositories';
import type { Since } from './changed-since.ts';
import type { Input } from './trace.ts';

/** The settings that decide how sources are rendered. */
export type RenderSettings = Pick<
  Settings['render'],
  | 'kustomizeEnabled'
  | 'helmEnabled'
  | 'jsonnetEnabled'
  | 'kustomizeBuildOptions'
  | 'kustomizeVersions'
  | 'helmValuesFileSchemes'
  | 'maxCombinedDirectoryManifestsSize'
  | 'allowOutOfBoundsSymlinks'
  | 'submodulesEnabled'
>;

/** The application and sources to render, and with which settings and permissions. */
export type ManifestRequest = {
  readonly app: {
    readonly name: string;
    /** `<namespace>_<name>` for an application outside the control plane's namespace; the name itself otherwise. */
    readonly instance?: string;
    readonly project?: string;
  };
  readonly sources: readonly Source[];
  /** `spec.sources` was used, even for one source alone: only then can value files come from a `$ref`. */
  readonly multiSource?: boolean;
  /** Revisions to use instead of each source's own target revision; undefined keeps the source's. */
  readonly revisions?: readonly (string | undefined)[];
  readonly destinationNamespace: string;
  readonly kube: { readonly version: string; readonly apiVersions: readonly string[] };
  readonly settings?: Partial<RenderSettings>;
  /** The record of a repository, with its credentials; undefined: no record, it is accessed without credentials. */
  readonly repositoryOf?: (url: string) => SourceRepository | undefined;
  /** The repositories that chart dependencies may come from; left out: any, without credentials (sources HDP-1). */
  readonly chartRepositories?: {
    /** The records that may be used, by name or URL. */
    list(): readonly (SourceRepository & { readonly name: string })[];
    /** Whether the project lets its applications use a repository (sources HDP-2). */
    permits(url: string): boolean;
  };
  /** How the commits of a source must be signed before it is rendered; undefined: they need not be. */
  readonly integrityOf?: (
    source: Source,
  ) => Demand | { readonly mode: 'unusable'; readonly why: string } | undefined;
  /**
   * Files to use instead of those of the source's repository, which is then not queried; undefined: the repository's.
   */
  readonly filesOf?: (source: Source) => FileTree | undefined;
  /** No program of a plugin may run on the files: a source for which one would is refused with PermissionDenied. */
  readonly withoutPlugins?: boolean;
  /** Manifests that replace those of the sources; their revisions are then empty. Left out: the sources' own. */
  readonly given?: readonly string[];
  /** The previous comparison; a source without changes that concern it reuses its manifests (sources MGP-4). */
  readonly since?: Since;
  /** How old the cached refs may be. */
  readonly refs?: RefAge;
  /** `hard`: earlier renders are not used, and refs are listed again (sources CCH-1). */
  readonly refresh?: 'normal' | 'hard';
};

/** The target state. `objects` are shared with the cache and frozen: copy before changing them. */
export type GeneratedManifests = {
  readonly objects: readonly KubeObject[];
  /**
   * One for each source: the commit, a chart's version or an artifact's digest; the requested revision for files that
   * did not come from a repository.
   */
  readonly revisions: readonly string[];
  readonly sourceTypes: readonly SourceType[];
  /** The commands that were run, as a person would type them in the repository. */
  readonly commands: readonly string[];
  /** False: according to `since`, no change concerns the application. */
  readonly mayHaveChanges: boolean;
  /** Nothing had to be rendered. */
  readonly cached: boolean;
  /** The input that made a render necessary, or that nothing did. */
  readonly why: string;
  readonly warnings: readonly string[];
  /** The files, folders and missing paths the result depends on: nothing else in the repositories can change it. */
  readonly inputs: readonly Input[];
};
