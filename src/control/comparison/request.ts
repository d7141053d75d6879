import { type Application, annotation, hasMultipleSources, projectName, type Source } from '#base/model';
import { denySource, integrityOf, localManifests, mayHaveChanges, ownerOf, sourcesOf } from '#engine';
import type { ManifestRequest } from '#sources/manifests';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';

export type ComparisonOptions = {
  /** Other sources than the spec's, as an operation may pin them. */
  readonly sources?: readonly Source[];
  /** Whether those are a list of several, be it of one; left out: as the spec's are. */
  readonly isMultiple?: boolean;
  /** Manifests that stand in for the sources'; left out: those of the last operation, if it brought some (R-18). */
  readonly given?: readonly string[];
  /** Concrete revisions, one per source; without them each source's target revision is resolved. */
  readonly revisions?: readonly string[];
  /** Ask the repository where its branches stand: even if we asked a moment ago, or unless we asked since a time. */
  readonly resolve: 'cached' | 'fresh' | { readonly since: number };
  /** compat R-9: render anew, whatever the cache holds. */
  readonly hard: boolean;
  /** Revisions of before, for each source; what changed since and does not concern the application is passed over. */
  readonly since?: readonly (readonly string[])[];
};

/** What an application asks of its sources, under the rules of its project. */
export function requestFor(
  world: ComparisonDeps,
  { app, place }: { readonly app: Application; readonly place: AppDestination },
  options: ComparisonOptions,
): ManifestRequest {
  const { instance, destinationNamespace } = ownerOf(app, world.namespace);
  return {
    app: { name: app.metadata.name, instance, project: projectName(app) },
    sources: options.sources ?? sourcesOf(app),
    multiSource: options.isMultiple ?? hasMultipleSources(app.spec),
    ...(options.revisions && { revisions: options.revisions }),
    destinationNamespace,
    kube: place.cluster.cache.capabilities,
    settings: world.settings().render,
    ...(world.repositoryOf && { repositoryOf: (url) => world.repositoryOf?.(url, projectName(app)) }),
    ...chartRepositories(world, app, place),
    ...demands(world, place),
    ...sinceThen(app, options),
    ...givenTo(app, options),
    refs: ageOf(world, options),
    refresh: options.hard ? 'hard' : 'normal',
  };
}

/** compat R-18: what somebody synced from their own machine is what is compared, until another operation takes its place. */
function givenTo(
  app: Application,
  { given = localManifests(app) ?? [] }: ComparisonOptions,
): Pick<ManifestRequest, 'given'> {
  return given.length > 0 ? { given } : {};
}

/** compat 1.15: a list of branches that is older than this is no news, however seldom we look. */
const mostAgeMs = 180_000;

function ageOf(
  { settings }: ComparisonDeps,
  { resolve }: ComparisonOptions,
): NonNullable<ManifestRequest['refs']> {
  // dev: whoever is looked at every so often hears of a commit in about that time, although many share the answer
  const { intervalMs } = settings().refresh;
  if (resolve === 'cached')
    return { maxAgeMs: intervalMs > 0 ? Math.min(mostAgeMs, intervalMs / 4) : mostAgeMs };
  return resolve === 'fresh' ? { fresh: true } : { since: resolve.since };
}

/** compat R-12, MGP-4: only a user who named the paths that matter has said what may be passed over. */
function sinceThen(
  app: Application,
  { since: revisions }: ComparisonOptions,
): Pick<ManifestRequest, 'since'> {
  if (!revisions || !app.metadata.annotations?.[annotation.manifestGeneratePaths]?.trim()) return {};
  const concerns = (source: Source, changedFiles: readonly string[]): boolean =>
    mayHaveChanges(app, [{ source, changedFiles }]);
  return { since: { revisions, concerns } };
}

/** compat CRED-10, HDP-2: records of repositories are lent to a chart's dependencies only if the project permits them. */
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

/** compat INT-7: what a project demands of a source before anything of it is rendered. */
function demands(world: ComparisonDeps, { project }: AppDestination): Pick<ManifestRequest, 'integrityOf'> {
  const keyring = world.keyring?.();
  if (!keyring) return {};
  return {
    integrityOf: (source) => {
      const rule = integrityOf(project, source);
      return rule && { ...rule, keyring };
    },
  };
}
