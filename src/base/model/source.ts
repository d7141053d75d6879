import { equal, FairleadError } from '#base/std';

export type NameValue = { name: string; value: string };

type HelmParameter = { name?: string; value?: string; forceString?: boolean };
type HelmFileParameter = { name?: string; path?: string };
export type HelmOptions = {
  valueFiles?: string[];
  values?: string;
  valuesObject?: Record<string, unknown>;
  parameters?: HelmParameter[];
  fileParameters?: HelmFileParameter[];
  releaseName?: string;
  version?: string;
  passCredentials?: boolean;
  ignoreMissingValueFiles?: boolean;
  skipCrds?: boolean;
  skipTests?: boolean;
  skipSchemaValidation?: boolean;
  namespace?: string;
  kubeVersion?: string;
  apiVersions?: string[];
};

type KustomizeSelector = {
  group?: string;
  version?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  annotationSelector?: string;
  labelSelector?: string;
};
type KustomizePatch = {
  path?: string;
  patch?: string;
  target?: KustomizeSelector;
  options?: Record<string, boolean>;
};
export type KustomizeOptions = {
  namePrefix?: string;
  nameSuffix?: string;
  images?: string[];
  replicas?: { name: string; count: number | string }[];
  commonLabels?: Record<string, string>;
  commonAnnotations?: Record<string, string>;
  commonAnnotationsEnvsubst?: boolean;
  forceCommonLabels?: boolean;
  forceCommonAnnotations?: boolean;
  labelWithoutSelector?: boolean;
  labelIncludeTemplates?: boolean;
  namespace?: string;
  patches?: KustomizePatch[];
  components?: string[];
  ignoreMissingComponents?: boolean;
  version?: string;
  kubeVersion?: string;
  apiVersions?: string[];
};

type JsonnetVariable = { name: string; value: string; code?: boolean };
export type JsonnetOptions = { extVars?: JsonnetVariable[]; tlas?: JsonnetVariable[]; libs?: string[] };
export type DirectoryOptions = {
  recurse?: boolean;
  include?: string;
  exclude?: string;
  jsonnet?: JsonnetOptions;
  disableExtensionFilter?: boolean;
};

type PluginParameter = {
  name?: string;
  string?: string;
  map?: Record<string, string>;
  array?: string[];
};
export type PluginOptions = { name?: string; env?: NameValue[]; parameters?: PluginParameter[] };

/** Where manifests come from. At most one of helm, kustomize, directory and plugin may be set (engine A-6). */
export type Source = {
  repoURL: string;
  path?: string;
  targetRevision?: string;
  chart?: string;
  ref?: string;
  name?: string;
  tagPrefix?: string;
  helm?: HelmOptions;
  kustomize?: KustomizeOptions;
  directory?: DirectoryOptions;
  plugin?: PluginOptions;
};

export type SourceType = 'Helm' | 'Kustomize' | 'Directory' | 'Plugin';

type DrySource = Pick<
  Source,
  'repoURL' | 'targetRevision' | 'path' | 'helm' | 'kustomize' | 'directory' | 'plugin'
>;
export type SourceHydrator = {
  drySource: DrySource;
  syncSource: { targetBranch: string; path: string; repoURL?: string };
  hydrateTo?: { targetBranch: string };
};

/** Which machinery resolves the source. dev sources DEV-1: `oci://` with a chart is a chart in a registry, not an artifact. */
export function repositoryKind({
  repoURL,
  chart,
}: Pick<Source, 'repoURL' | 'chart'>): 'git' | 'helm' | 'oci' {
  if (chart) return 'helm';
  return repoURL.startsWith('oci://') ? 'oci' : 'git';
}

/** compat sources SRC-10: it lends its files to other sources and yields no manifests of its own. */
export function isRefOnly(source: Source): boolean {
  return Boolean(source.ref) && !source.path && repositoryKind(source) === 'git';
}

/** The one type a source names; undefined: it is to be detected. Throws InvalidSpec when there are several. */
export function explicitSourceType(source: Source): SourceType | undefined {
  const named = sourceTypes.filter(([field]) => source[field] !== undefined && source[field] !== null);
  if (named.length > 1) {
    // compat sources SRC-5: the sentence and its order are matched by clients
    const types = named.map(([, type]) => type).join(',');
    throw new FairleadError('InvalidSpec', `multiple application sources defined: ${types}`);
  }
  return named[0]?.[1];
}
const sourceTypes = [
  ['kustomize', 'Kustomize'],
  ['helm', 'Helm'],
  ['directory', 'Directory'],
  ['plugin', 'Plugin'],
] as const satisfies readonly [keyof Source, SourceType][];

/** compat engine A-10: what a hydrated application compares with and syncs from. */
export function hydratedSource({ drySource, syncSource }: SourceHydrator): Source {
  return {
    repoURL: syncSource.repoURL || drySource.repoURL,
    path: syncSource.path,
    targetRevision: syncSource.targetBranch,
  };
}

/** compat engine A-7: equality for the refresh decision. In plugin parameters an empty map or list equals a missing one. */
export function sameSource(a: Source | undefined, b: Source | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equal(comparable(a), comparable(b));
}

export function sameSources(a: readonly Source[], b: readonly Source[]): boolean {
  return a.length === b.length && a.every((source, at) => sameSource(source, b[at]));
}

function comparable(source: Source): unknown {
  if (!source.plugin?.parameters) return source;
  const parameters = source.plugin.parameters.map(({ map, array, ...rest }) => ({
    ...rest,
    ...(map && Object.keys(map).length > 0 ? { map } : {}),
    ...(array && array.length > 0 ? { array } : {}),
  }));
  return { ...source, plugin: { ...source.plugin, parameters } };
}

/** compat engine A-17, sources SRC-6: empty option blocks are as good as none. The very same source when nothing was empty. */
export function normalizeSource(source: Source): Source {
  const empty = (['helm', 'kustomize', 'directory'] as const).filter(
    (block) => block in source && isBlank(source[block]),
  );
  if (empty.length === 0) return source;
  return Object.fromEntries(
    Object.entries(source).filter(([field]) => !empty.some((block) => block === field)),
  ) as Source;
}

/** Every option is at its zero value. compat: an empty `valuesObject` still counts as set. */
function isBlank(options: object | undefined): boolean {
  return Object.entries(options ?? {}).every(([field, value]) => field !== 'valuesObject' && isZero(value));
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isZero);
  return value === undefined || value === null || value === '' || value === false || value === 0;
}
