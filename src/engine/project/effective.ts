import {
  type AppProject,
  type Destination,
  matches,
  type ProjectSpec,
  type Settings,
  selectorOf,
} from '#base/model';
import { FairleadError } from '#base/std';

/** The other inputs of a project beside its own object (engine P-1). */
export type ProjectScope = {
  /** Repositories scoped to the project. */
  readonly repositories?: readonly string[];
  /** Clusters scoped to the project, and the namespaces each is limited to. */
  readonly clusters?: readonly { readonly server: string; readonly namespaces: readonly string[] }[];
  /** Matching global projects, in the order they are configured. */
  readonly globals?: readonly AppProject[];
};

// compat engine P-2: what a global project adds; roles, orphans, namespaces and signatures stay each project's own
const inherited = [
  'sourceRepos',
  'destinations',
  'destinationServiceAccounts',
  'clusterResourceWhitelist',
  'clusterResourceBlacklist',
  'namespaceResourceWhitelist',
  'namespaceResourceBlacklist',
  'syncWindows',
] as const satisfies readonly (keyof ProjectSpec)[];

/**
 * compat engine P-1, P-2: the project as it is enforced. An absent whitelist means all; adding to it makes it
 * a list.
 */
export function effectiveProject(project: AppProject, scope: ProjectScope = {}): AppProject {
  const scoped: ProjectSpec[] = [
    { sourceRepos: [...(scope.repositories ?? [])] },
    { destinations: (scope.clusters ?? []).flatMap(scopedDestinations) },
  ];
  const additions = [...scoped, ...(scope.globals ?? []).map(({ spec }) => spec)].filter(hasAny);
  return additions.length > 0 ? { ...project, spec: additions.reduce(inherit, project.spec) } : project;
}

const hasAny = (spec: ProjectSpec): boolean => inherited.some((field) => (spec[field] ?? []).length > 0);

function scopedDestinations(cluster: { server: string; namespaces: readonly string[] }): Destination[] {
  const namespaces = cluster.namespaces.length > 0 ? cluster.namespaces : ['*'];
  return namespaces.map((namespace) => ({ server: cluster.server, namespace }));
}

function inherit(spec: ProjectSpec, more: ProjectSpec): ProjectSpec {
  const next: Record<string, unknown> = { ...spec };
  for (const field of inherited) {
    const added: readonly unknown[] = more[field] ?? [];
    if (added.length > 0) next[field] = [...(spec[field] ?? []), ...added];
  }
  return next as ProjectSpec;
}

type GlobalProject = Settings['globalProjects'][number];

/**
 * compat engine P-2: the global projects of a project, in the configured order. One that does not exist, or
 * whose selector cannot be read, is skipped.
 */
export function globalsOf(
  project: AppProject,
  configured: readonly GlobalProject[],
  projectNamed: (name: string) => AppProject | undefined,
): readonly AppProject[] {
  const { name, labels } = project.metadata;
  return configured
    .filter((global) => global.projectName !== name && selects(global, labels))
    .flatMap(({ projectName }) => projectNamed(projectName) ?? []);
}

function selects(
  { labelSelector }: GlobalProject,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  try {
    return matches(selectorOf(labelSelector), labels);
  } catch (error) {
    if (error instanceof FairleadError) return false;
    throw error;
  }
}
