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

/** What to render, for whom. */
export type ManifestRequest = {
  readonly app: {
    readonly name: string;
    /** `<namespace>_<name>` for an application outside the control plane's namespace; the name itself otherwise. */
    readonly instance?: string;
    readonly project?: string;
  };
  readonly sources: readonly Source[];
  /** `spec.sources` was used, were it for one source alone: only then can value files come from a `$ref`. */
  readonly multiSource?: boolean;
  /** What is to be used instead of each source's own target revision; a hole leaves it as it is. */
  readonly revisions?: readonly (string | undefined)[];
  readonly destinationNamespace: string;
  readonly kube: { readonly version: string; readonly apiVersions: readonly string[] };
  readonly settings?: Partial<RenderSettings>;
  /** The record of a repository, with its credentials; undefined: it is asked as nobody. */
  readonly repositoryOf?: (url: string) => SourceRepository | undefined;
  /** Where charts may come from that a chart depends on; left out: from anywhere, asked as nobody (HDP-1). */
  readonly chartRepositories?: {
    /** The records that may be used, by name or URL. */
    list(): readonly (SourceRepository & { readonly name: string })[];
    /** Whether the project lets its applications use a repository (HDP-2). */
    permits(url: string): boolean;
  };
  /** How the commits of a source must be signed before anything of it is rendered; undefined: as they are. */
  readonly integrityOf?: (
    source: Source,
  ) => Demand | { readonly mode: 'unusable'; readonly why: string } | undefined;
  /** Files to use instead of those of the source's repository, which is then not asked; undefined: the repository's. */
  readonly filesOf?: (source: Source) => FileTree | undefined;
  /** Manifests that stand in for what the sources say; their revisions are then empty. Left out: the sources' own. */
  readonly given?: readonly string[];
  /** What is known from before; where nothing that concerns a source changed, its manifests serve again (MGP-4). */
  readonly since?: Since;
  /** How fresh the refs must be. */
  readonly refs?: RefAge;
  /** `hard`: what was rendered before is not used, and refs are asked for anew (CCH-1). */
  readonly refresh?: 'normal' | 'hard';
};

/** The target state. `objects` are shared with the cache and frozen: copy what is to be changed. */
export type GeneratedManifests = {
  readonly objects: readonly KubeObject[];
  /** One for each source: the commit, a chart's version or an artifact's digest; of files that came from elsewhere, what was asked for. */
  readonly revisions: readonly string[];
  readonly sourceTypes: readonly SourceType[];
  /** What was run, as a person would type it in the repository. */
  readonly commands: readonly string[];
  /** False: nothing has changed that concerns the application, as `since` tells. */
  readonly mayHaveChanges: boolean;
  /** Nothing had to be rendered. */
  readonly cached: boolean;
  /** The input that made a render necessary, or that nothing did. */
  readonly why: string;
  readonly warnings: readonly string[];
  /** The files, folders and gaps the result depends on: nothing else in the repositories can change it. */
  readonly inputs: readonly Input[];
};
