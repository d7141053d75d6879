import {
  type Application,
  type ApplicationCondition,
  type AppProject,
  type Destination,
  effectiveSources,
  groupOf,
  type KubeObject,
  normalizeRepoUrl,
  type ProjectSpec,
  type ResourceRule,
} from '#model';
import { glob, pathMatch } from './glob.ts';

/** A destination resolved to a registered cluster: both its names are known, so that either may be permitted. */
export type ResolvedDestination = {
  readonly server: string;
  readonly name: string;
  readonly namespace: string;
  /** The project the cluster is scoped to; empty for none. */
  readonly clusterProject?: string;
};

/** What else belongs to a project beside its own object (P-1). */
export type ProjectScope = {
  /** Repositories scoped to the project. */
  readonly repositories?: readonly string[];
  /** Clusters scoped to the project, and the namespaces each is limited to. */
  readonly clusters?: readonly { readonly server: string; readonly namespaces: readonly string[] }[];
  /** Matching global projects, in the order they are configured. */
  readonly globals?: readonly AppProject[];
};

// compat P-2: what a global project adds; roles, orphans, namespaces and signatures stay each project's own
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

/** compat P-1, P-2: the project as it is enforced. An absent whitelist means all; adding to it turns it into a list. */
export function effectiveProject(project: AppProject, scope: ProjectScope = {}): AppProject {
  const scoped: ProjectSpec[] = [
    { sourceRepos: [...(scope.repositories ?? [])] },
    { destinations: (scope.clusters ?? []).flatMap(scopedDestinations) },
  ];
  const additions = [...scoped, ...(scope.globals ?? []).map(({ spec }) => spec)];
  return { ...project, spec: additions.reduce(inherit, project.spec) };
}

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

/** Everything the project has against an Application's spec; the destination is resolved by the caller. */
export function denyApplication(
  app: Application,
  project: AppProject,
  destination: ResolvedDestination,
): ApplicationCondition[] {
  const sources = effectiveSources(app.spec).map(({ repoURL }) => repoURL);
  // compat P-9: the dry source is what a hydrator reads
  const dry = app.spec.sourceHydrator?.drySource.repoURL;
  const repositories = new Set(dry === undefined ? sources : [dry, ...sources]);
  const problems = [
    ...[...repositories].map((url) => denySource(project, url)),
    denyDestination(project, destination),
  ];
  return problems.flatMap((message) => (message ? [{ type: 'InvalidSpecError' as const, message }] : []));
}

/** compat P-8: a deny entry that does not match counts as permission, so a list of denials permits all the rest. */
export function denySource(project: AppProject, url: string): string | undefined {
  const wanted = normalizeRepoUrl(url);
  let permitted = false;
  for (const entry of project.spec.sourceRepos ?? []) {
    const denies = entry.startsWith('!');
    const matches = glob(normalizeRepoUrl(denies ? entry.slice(1) : entry), wanted, '/');
    if (denies && matches) {
      return `project ${project.metadata.name} denies the repository ${url} by the entry "${entry}" in spec.sourceRepos`;
    }
    permitted ||= matches !== denies;
  }
  if (permitted) return undefined;
  return `project ${project.metadata.name} does not permit the repository ${url}; add it to spec.sourceRepos`;
}

/** compat P-10, P-11, P-13 */
export function denyDestination(project: AppProject, destination: ResolvedDestination): string | undefined {
  const { server, name, namespace } = destination;
  const where = `namespace "${namespace}" on ${name || server}`;
  if (project.spec.permitOnlyProjectScopedClusters && destination.clusterProject !== project.metadata.name) {
    return (
      `project ${project.metadata.name} permits only clusters scoped to it, and ${name || server} is not; ` +
      'set project in its cluster secret'
    );
  }
  if (isDestinationPermitted(project.spec.destinations ?? [], destination)) return undefined;
  return `project ${project.metadata.name} does not permit ${where}; add it to spec.destinations`;
}

function isDestinationPermitted(entries: readonly Destination[], destination: ResolvedDestination): boolean {
  const verdicts = entries.map((entry) => verdictOn(entry, destination));
  return !verdicts.includes('denied') && verdicts.includes('permitted');
}

function verdictOn(entry: Destination, wanted: ResolvedDestination): 'permitted' | 'denied' | 'silent' {
  const name = wanted.name !== '' && matchesEntry(entry.name, wanted.name);
  const server = wanted.server !== '' && matchesEntry(entry.server, wanted.server);
  const namespace = matchesEntry(entry.namespace, wanted.namespace);
  if ((server || name) && namespace) return 'permitted';
  // compat P-11: the three ways in which an entry that does not match still forbids
  if (!name && isDenial(entry.name)) return 'denied';
  if (!server && isDenial(entry.server) && namespace) return 'denied';
  return !namespace && isDenial(entry.namespace) && server ? 'denied' : 'silent';
}

const isDenial = (pattern: string | undefined): boolean => pattern?.startsWith('!') ?? false;

function matchesEntry(pattern = '', value: string): boolean {
  return isDenial(pattern) ? !glob(pattern.slice(1), value) : glob(pattern, value);
}

type Wanted = { readonly group: string; readonly kind: string; readonly name: string };

/** compat P-14, P-15: namespaced kinds are open until a whitelist is written, cluster-wide kinds closed. */
export function denyKind(project: AppProject, wanted: Wanted, namespaced: boolean): string | undefined {
  const { spec } = project;
  const kind = `${wanted.group || 'core'}/${wanted.kind}`;
  const lists = namespaced
    ? { white: spec.namespaceResourceWhitelist ?? undefined, black: spec.namespaceResourceBlacklist ?? [] }
    : { white: spec.clusterResourceWhitelist ?? [], black: spec.clusterResourceBlacklist ?? [] };
  const scope = namespaced ? 'namespace' : 'cluster';
  const covers = (rule: ResourceRule): boolean => isCovered(wanted, rule, namespaced);
  if (lists.black.some(covers)) {
    return `project ${project.metadata.name} denies ${kind} by spec.${scope}ResourceBlacklist`;
  }
  if (lists.white === undefined || lists.white.some(covers)) return undefined;
  return `project ${project.metadata.name} does not permit ${kind}; add it to spec.${scope}ResourceWhitelist`;
}

function isCovered({ group, kind, name }: Wanted, rule: ResourceRule, namespaced: boolean): boolean {
  const named = namespaced || !rule.name || pathMatch(rule.name, name);
  return named && pathMatch(rule.group, group) && pathMatch(rule.kind, kind);
}

/** Why a project refuses one object at one destination, or undefined: what compare() and planTasks() ask. */
export function denyObject(
  project: AppProject,
  object: KubeObject,
  namespaced: boolean,
  cluster: Omit<ResolvedDestination, 'namespace'>,
): string | undefined {
  const { name, namespace } = object.metadata;
  const denied = denyKind(project, { group: groupOf(object), kind: object.kind, name }, namespaced);
  if (denied || !namespaced || !namespace) return denied;
  return denyDestination(project, { ...cluster, namespace });
}

/** compat P-23: applications outside the control plane's namespace need to be let in. */
export function denyNamespace(
  project: AppProject,
  namespace: string,
  controlPlane: string,
): string | undefined {
  if (namespace === controlPlane) return undefined;
  const patterns = project.spec.sourceNamespaces ?? [];
  if (patterns.some((pattern) => !isExpression(pattern) && glob(pattern, namespace))) return undefined;
  const unread = patterns.filter(isExpression);
  const also = unread.length > 0 ? ` (not supported yet: the regular expression ${unread[0]})` : '';
  return (
    `project ${project.metadata.name} does not permit applications in namespace ${namespace}; ` +
    `add it to spec.sourceNamespaces${also}`
  );
}

const isExpression = (pattern: string): boolean =>
  pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/');

/** What a project asks for that we do not do yet, and what its author may not have meant. */
export function projectWarnings({ spec }: AppProject): string[] {
  const repos = spec.sourceRepos ?? [];
  return [
    ...(spec.syncWindows?.length ? ['not supported yet: sync windows'] : []),
    ...(spec.signatureKeys?.length || spec.sourceIntegrity?.git
      ? ['not supported yet: source integrity']
      : []),
    // compat P-8
    ...(repos.length > 0 && repos.every(isDenial)
      ? [
          'spec.sourceRepos holds only denials, which permits every other repository; add what you mean to permit',
        ]
      : []),
  ];
}
