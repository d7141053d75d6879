import { FairleadError, isObject } from '#base/std';
import type { ApplicationSpec, Destination } from './application-spec.ts';
import type { ApplicationStatus } from './application-status.ts';
import { asKubeObject } from './as-kube-object.ts';
import { trimServer } from './cluster.ts';
import { isKind, type KubeObject } from './kube-object.ts';
import type { Operation } from './operation.ts';
import { hydratedSource, normalizeSource, type Source } from './source.ts';

export const argoGroup = 'argoproj.io';
export const argoApiVersion = 'argoproj.io/v1alpha1';

export type Application = KubeObject<ApplicationSpec, ApplicationStatus> & {
  spec: ApplicationSpec;
  operation?: Operation;
  /** Why it cannot be used, where it came from a cluster with fields of another type; those parts are left out. */
  readonly unreadable?: readonly string[];
};

export const isApplication = (object: KubeObject): object is Application =>
  isKind(object, argoGroup, 'Application');

/** Reads foreign data as an Application with a spec and a destination, or throws InvalidSpec. */
export function asApplication(value: unknown, where: string): Application {
  const object = asKubeObject(value, where);
  if (!isApplication(object)) {
    throw new FairleadError(
      'InvalidSpec',
      `${where}: expected an Application, found ${object.apiVersion} ${object.kind}`,
    );
  }
  const spec: unknown = object.spec;
  if (!isObject(spec)) throw new FairleadError('InvalidSpec', `${where}: spec is missing`);
  if (!isObject(spec.destination))
    throw new FairleadError('InvalidSpec', `${where}: spec.destination is missing`);
  return object;
}

/** The name in tracking ids and labels: with its namespace when that is not the control plane's. */
export function instanceName({ metadata }: Application, controlNamespace: string): string {
  const { name, namespace } = metadata;
  return !namespace || namespace === controlNamespace ? name : `${namespace}_${name}`;
}

/** `namespace/name`. */
export function qualifiedName({ metadata }: KubeObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

/** compat engine A-17: an empty project is the one called default. */
export const projectName = ({ spec }: Application): string => spec.project || 'default';

/** compat engine A-5: the hydrator wins over `sources`, which wins over `source`. Empty when none is set. */
export function effectiveSources(spec: ApplicationSpec): readonly Source[] {
  if (spec.sourceHydrator) return [hydratedSource(spec.sourceHydrator)];
  if (hasMultipleSources(spec)) return spec.sources ?? [];
  return spec.source ? [spec.source] : [];
}

/** compat engine A-5: one element in `sources` is already many; it decides between `revision` and `revisions`. */
export function hasMultipleSources({ sourceHydrator, sources }: ApplicationSpec): boolean {
  return !sourceHydrator && (sources?.length ?? 0) > 0;
}

/**
 * compat engine A-9: the recorded revisions, one for each source; where the list does not fit the sources any more,
 * each source's own targetRevision.
 */
export function revisionsFor(spec: ApplicationSpec, recorded: readonly string[]): readonly string[] {
  const sources = effectiveSources(spec);
  if (recorded.length === sources.length) return recorded;
  return sources.map(({ targetRevision }) => targetRevision ?? '');
}

/** Automated sync is on: present, and not switched off while its other flags are kept. */
export function isAutomated({ syncPolicy }: ApplicationSpec): boolean {
  return (
    syncPolicy?.automated !== undefined &&
    syncPolicy.automated !== null &&
    syncPolicy.automated.enabled !== false
  );
}

/** How many past deployments are kept; negative is none. */
export const historyLimit = ({ revisionHistoryLimit = 10 }: ApplicationSpec): number =>
  Math.max(0, revisionHistoryLimit);

/** compat engine A-17: the spec as it is stored. The very same object when there was nothing to do. */
export function normalizeSpec(spec: ApplicationSpec): ApplicationSpec {
  const { syncPolicy, ...rest } = spec;
  const source = spec.source && normalizeSource(spec.source);
  const sources = spec.sources?.map(normalizeSource);
  const keepsPolicy = syncPolicy === undefined || !isBlankPolicy(syncPolicy);
  const sameSources =
    source === spec.source && (sources?.every((one, at) => one === spec.sources?.[at]) ?? true);
  if (spec.project && keepsPolicy && sameSources) return spec;
  return {
    ...rest,
    project: spec.project || 'default',
    ...(source ? { source } : {}),
    ...(sources ? { sources } : {}),
    ...(syncPolicy && keepsPolicy ? { syncPolicy } : {}),
  };
}

function isBlankPolicy(policy: NonNullable<ApplicationSpec['syncPolicy']>): boolean {
  const { automated, syncOptions, retry, managedNamespaceMetadata } = policy ?? {};
  return !automated && !syncOptions?.length && !retry && !managedNamespaceMetadata;
}

/** compat engine A-13: the error in a destination, before any cluster lookup; undefined: none. */
export function destinationProblem({ server, name }: Destination): string | undefined {
  if (server && name)
    return `application destination can't have both name and server defined: ${name} ${server}`;
  return server || name ? undefined : 'application destination needs either a server or a name';
}

export function sameDestination(a: Destination, b: Destination): boolean {
  const [one, two] = [a, b].map(({ server = '', name = '', namespace = '' }) => [
    trimServer(server),
    name,
    namespace,
  ]);
  return one?.join('\n') === two?.join('\n');
}

/** The errors in the shape of the sources (sources SRC-2 to SRC-5, MS-2); empty: none. */
export function sourceProblems(spec: ApplicationSpec): string[] {
  if (hasMultipleSources(spec)) {
    const sources = spec.sources ?? [];
    return [...sources.flatMap(multiSourceProblems), ...refProblems(sources)];
  }
  const [source] = effectiveSources(spec);
  if (!source?.repoURL || (!source.path && !source.chart)) {
    return ['spec.source.repoURL and either spec.source.path or spec.source.chart are required'];
  }
  return chartProblems(source);
}

function multiSourceProblems(source: Source, at: number): string[] {
  if (source.repoURL && (source.path || source.chart || source.ref)) return chartProblems(source);
  return [`spec.sources[${at}].repoURL and one of its path, chart or ref are required`];
}

function chartProblems({ chart, targetRevision }: Source): string[] {
  if (!chart || targetRevision) return [];
  return ['spec.source.targetRevision is required if the manifest source is a helm chart'];
}

function refProblems(sources: readonly Source[]): string[] {
  const refs = sources.flatMap(({ ref }) => ref ?? []).filter((ref) => ref !== '');
  const odd = refs.filter((ref) => !/^[a-zA-Z0-9_-]+$/.test(ref));
  const names = sources.flatMap(({ name }) => name ?? []).filter((name) => name !== '');
  return [
    ...odd.map((ref) => `sources.ref ${ref} cannot contain any special characters except '_' and '-'`),
    ...(new Set(refs).size < refs.length ? ['invalid sources: multiple sources had the same `ref` key'] : []),
    ...(new Set(names).size < names.length ? ['invalid sources: multiple sources had the same `name`'] : []),
  ];
}
