import { type AppProject, type Destination, inClusterServer } from '#base/model';
import { denialGlob, glob } from '../glob.ts';

/** A destination resolved to a registered cluster: both its names are known, so that either may be permitted. */
export type ResolvedDestination = {
  readonly server: string;
  readonly name: string;
  readonly namespace: string;
  /** The project the cluster is scoped to; empty for none. */
  readonly clusterProject?: string;
};

/** compat engine P-10, P-11, P-13 */
export function denyDestination(project: AppProject, destination: ResolvedDestination): string | undefined {
  const { server, name, namespace } = destination;
  const where = `namespace "${namespace}" on ${name || server}`;
  if (project.spec.permitOnlyProjectScopedClusters && destination.clusterProject !== project.metadata.name) {
    return (
      `project ${project.metadata.name} permits only clusters scoped to it, and ${name || server} is not; ` +
      'set project in its cluster secret'
    );
  }
  const entries = (project.spec.destinations ?? []).map((entry) => ({
    entry,
    verdict: verdictOn(entry, destination),
  }));
  const denial = entries.find(({ verdict }) => verdict === 'denied')?.entry;
  if (!denial && entries.some(({ verdict }) => verdict === 'permitted')) return undefined;
  const fix = denial
    ? `the entry ${describe(denial)} of spec.destinations denies it, whatever else is permitted; change that entry`
    : 'add it to spec.destinations';
  return `project ${project.metadata.name} does not permit ${where}; ${fix}`;
}

function describe({ server, name, namespace }: Destination): string {
  const given = Object.entries({ server, name, namespace }).filter(([, value]) => value !== undefined);
  return given.map(([field, value]) => `${field} "${value}"`).join(', ');
}

function verdictOn(entry: Destination, wanted: ResolvedDestination): 'permitted' | 'denied' | 'silent' {
  const name = wanted.name !== '' && matchesEntry(entry.name, wanted.name);
  const server = wanted.server !== '' && matchesEntry(entry.server, wanted.server);
  const namespace = matchesEntry(entry.namespace, wanted.namespace);
  if ((server || name) && namespace) return 'permitted';
  // compat engine P-11: the three ways in which an entry that does not match still forbids
  if (!name && isDenial(entry.name)) return 'denied';
  if (!server && isDenial(entry.server) && namespace) return 'denied';
  return !namespace && isDenial(entry.namespace) && server ? 'denied' : 'silent';
}

const isDenial = (pattern: string | undefined): boolean => pattern?.startsWith('!') ?? false;

function matchesEntry(pattern = '', value: string): boolean {
  return isDenial(pattern) ? !denialGlob(pattern.slice(1), value) : glob(pattern, value);
}

/** compat engine A-15: the cluster we run in may be switched off as a destination; undefined when it is not meant, or is on. */
export function denyInCluster(server: string, isEnabled: boolean): string | undefined {
  if (isEnabled || server !== inClusterServer) return undefined;
  return `the destination ${server} is switched off by cluster.inClusterEnabled in argocd-cm; name another cluster`;
}
