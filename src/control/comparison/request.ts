import { type Application, annotation, hasMultipleSources, projectName, type Source } from '#base/model';
import { denySource, integrityOf, localManifests, mayHaveChanges, ownerOf, sourcesOf } from '#engine';
import type { ManifestRequest } from '#sources/manifests';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';

export type ComparisonOptions = {
  /** Other sources than the spec's, as an operation may pin them. */
  readonly sources?: readonly Source[];
  /** Whether those are a list of several, be it of one (engine A-5); left out: as the spec's are. */
  readonly isMultiple?: boolean;
  /** Manifests that replace the sources'; left out: those of the last operation, if it had some (engine R-18). */
  readonly given?: readonly string[];
  /** Files that a user sent instead of those of the repository; a plugin runs on them only for a user who may override. */
  readonly files?: { readonly of: NonNullable<ManifestRequest['filesOf']>; readonly mayRunPlugins: boolean };
  /** Concrete revisions, one per source; without them each source's target revision is resolved. */
  readonly revisions?: readonly string[];
  /** Query the repository for its branches: `fresh` always, `since` unless that was done after the given time. */
  readonly resolve: 'cached' | 'fresh' | { readonly since: number };
  /** compat engine R-9: render again, whatever the cache holds. */
  readonly hard: boolean;
  /** By dry runs in the cluster, whatever the settings say; nothing of it is kept for later comparisons. */
  readonly isRehearsal?: boolean;
  /** Earlier revisions, for each source; changes since then that do not affect the application are ignored. */
  readonly since?: readonly (readonly string[])[];
};

/** The manifest request of an application, under the rules of its project. */
export function requestFor(
  context: ComparisonDeps,
  { app, destination }: { readonly app: Application; readonly destination: AppDestination },
  options: ComparisonOptions,
): ManifestRequest {
  const { instance, destinationNamespace } = ownerOf(app, context.namespace);
  return {
    app: { name: app.metadata.name, instance, project: projectName(app) },
    sources: options.sources ?? sourcesOf(app),
    multiSource: options.isMultiple ?? hasMultipleSources(app.spec),
    ...(options.revisions && { revisions: options.revisions }),
    destinationNamespace,
    kube: destination.cluster.cache.capabilities,
    settings: context.settings().render,
    ...(context.repositoryOf && { repositoryOf: (url) => context.repositoryOf?.(url, projectName(app)) }),
    ...chartRepositories(context, app, destination),
    ...demands(context, destination),
    ...sinceThen(app, options),
    ...givenTo(app, options),
    ...(options.files && { filesOf: options.files.of, withoutPlugins: !options.files.mayRunPlugins }),
    refs: ageOf(context, options),
    refresh: options.hard ? 'hard' : 'normal',
  };
}

/** compat engine R-18: manifests synced from a user's machine are compared until another operation replaces them. */
function givenTo(
  app: Application,
  { given = localManifests(app) ?? [] }: ComparisonOptions,
): Pick<ManifestRequest, 'given'> {
  return given.length > 0 ? { given } : {};
}

/** compat sources 1.15: the maximum age of a cached list of branches, however long the refresh interval. */
const mostAgeMs = 180_000;

function ageOf(
  { settings }: ComparisonDeps,
  { resolve }: ComparisonOptions,
): NonNullable<ManifestRequest['refs']> {
  // dev: an application sees a new commit within about its own refresh interval, although many applications share the cached
  // refs
  const { intervalMs } = settings().refresh;
  if (resolve === 'cached')
    return { maxAgeMs: intervalMs > 0 ? Math.min(mostAgeMs, intervalMs / 4) : mostAgeMs };
  return resolve === 'fresh' ? { fresh: true } : { since: resolve.since };
}

/** compat engine R-12, sources MGP-4: changes are ignored only where the user lists the paths that matter. */
function sinceThen(
  app: Application,
  { since: revisions }: ComparisonOptions,
): Pick<ManifestRequest, 'since'> {
  if (!revisions || !app.metadata.annotations?.[annotation.manifestGeneratePaths]?.trim()) return {};
  const concerns = (source: Source, changedFiles: readonly string[]): boolean =>
    mayHaveChanges(app, [{ source, changedFiles }]);
  return { since: { revisions, concerns } };
}

/** compat sources CRED-10, HDP-2: repository credentials serve a chart's dependencies only if the project permits them. */
function chartRepositories(
  { chartRepositoriesOf }: ComparisonDeps,
  app: Application,
  { project }: AppDestination,
): Pick<ManifestRequest, 'chartRepositories'> {
  if (!chartRepositoriesOf) return {};
  const permits = (url: string): boolean => denySource(project, url) === undefined;
  const list = () => chartRepositoriesOf(projectName(app)).filter(({ url }) => permits(url));
  return { chartRepositories: { list, permits } };
}

/** compat sources INT-7: the signatures that a project requires of a source before it is rendered. */
function demands(context: ComparisonDeps, { project }: AppDestination): Pick<ManifestRequest, 'integrityOf'> {
  const keyring = context.keyring?.();
  if (!keyring) return {};
  return {
    integrityOf: (source) => {
      const rule = integrityOf(project, source);
      return rule && { ...rule, keyring };
    },
  };
}
