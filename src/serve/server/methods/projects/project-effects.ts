import {
  type Application,
  type AppProject,
  effectiveSources,
  type ProjectSpec,
  projectName,
  qualifiedName,
} from '#base/model';
import { equal, FairleadError } from '#base/std';
import { applicationObject, denyDestination, denySource, effectiveProject, globalsOf } from '#engine';
import type { Permissions } from '../../rbac/permissions.ts';
import type { ProjectDeps } from './read-projects.ts';

type Change = { readonly before: AppProject; readonly after: AppProject };

/**
 * compat server §2.8: throws PermissionDenied unless the caller may update every cluster and repository that the change adds,
 * and InvalidSpec where applications of the project would no longer be permitted.
 */
export function requireStillPermitted(deps: ProjectDeps, permissions: Permissions, change: Change): void {
  requireAdded(permissions, change);
  const broken = deps.apps
    .list()
    .filter((app) => projectName(app) === change.after.metadata.name)
    .map((app) => ({ app, ...brokenBy(deps, app, change) }));
  const parts = [
    describe(
      deps,
      permissions,
      'source',
      broken.filter(({ source }) => source),
    ),
    describe(
      deps,
      permissions,
      'destination',
      broken.filter(({ destination }) => destination),
    ),
  ].filter((part) => part !== '');
  if (parts.length > 0)
    throw new FairleadError('InvalidSpec', `as a result of project update ${parts.join(' and ')}`);
}

function describe(
  deps: ProjectDeps,
  permissions: Permissions,
  what: string,
  broken: readonly { readonly app: Application }[],
): string {
  if (broken.length === 0) return '';
  const named = broken
    .filter(({ app }) =>
      permissions.may({ resource: 'applications', action: 'get', object: objectOf(deps, app) }),
    )
    .map(({ app }) => qualifiedName(app))
    .sort();
  return `${broken.length} applications ${what} became invalid${named.length > 0 ? ` (${named.join(', ')})` : ''}`;
}

function objectOf({ context }: ProjectDeps, app: Application): string {
  const { name, namespace = '' } = app.metadata;
  return applicationObject({ project: projectName(app), namespace, name }, context.namespace);
}

function requireAdded(permissions: Permissions, { before, after }: Change): void {
  const clusters = clustersOf(after.spec);
  const known = new Set(clustersOf(before.spec));
  const affected = sameKinds(before.spec, after.spec) ? clusters.filter((one) => !known.has(one)) : clusters;
  for (const object of affected) permissions.require({ resource: 'clusters', action: 'update', object });
  const sources = new Set(before.spec.sourceRepos);
  for (const object of (after.spec.sourceRepos ?? []).filter((url) => !sources.has(url)))
    permissions.require({ resource: 'repositories', action: 'update', object });
}

const clustersOf = ({ destinations = [] }: ProjectSpec): string[] => [
  ...new Set(destinations.map(({ server, name }) => server || name || '')),
];

const kindLists = [
  'clusterResourceWhitelist',
  'clusterResourceBlacklist',
  'namespaceResourceWhitelist',
  'namespaceResourceBlacklist',
] as const;

const sameKinds = (a: ProjectSpec, b: ProjectSpec): boolean =>
  kindLists.every((list) => equal(a[list] ?? [], b[list] ?? []));

/** What the change takes from one application. One whose cluster is not registered is already reported by its conditions. */
function brokenBy(
  deps: ProjectDeps,
  app: Application,
  { before, after }: Change,
): { readonly source: boolean; readonly destination: boolean } {
  const [old, next] = [before, after].map((project) => enforced(deps, project)) as [AppProject, AppProject];
  const urls = effectiveSources(app.spec).map(({ repoURL }) => repoURL);
  const source = urls.some((url) => !denySource(old, url) && denySource(next, url) !== undefined);
  const wanted = destinationOf(deps, app);
  const destination =
    wanted !== undefined && !denyDestination(old, wanted) && denyDestination(next, wanted) !== undefined;
  return { source, destination };
}

function destinationOf({ clusters }: ProjectDeps, { spec }: Application) {
  try {
    const { server, name, record } = clusters.resolve(spec.destination);
    const { namespace = '' } = spec.destination;
    return { server, name, namespace, clusterProject: record.project };
  } catch {
    return undefined;
  }
}

function enforced({ context }: ProjectDeps, project: AppProject): AppProject {
  const { name } = project.metadata;
  const named = (other: string) => context.projects.get(context.namespace, other);
  return effectiveProject(project, {
    globals: globalsOf(project, context.settings().globalProjects, named),
    repositories: context.repositoriesScopedTo?.(name) ?? [],
    clusters: context.clusters.scopedTo?.(name) ?? [],
  });
}
