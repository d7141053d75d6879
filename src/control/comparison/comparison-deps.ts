import type { AppProject, Repository, Settings } from '#base/model';
import type { Clusters } from '#control/live';
import type { Scripts } from '#control/scripts';
import type { Manifests } from '#sources/manifests';

/** Everything that a comparison needs besides the application itself. */
export type ComparisonDeps = {
  readonly manifests: Pick<Manifests, 'generate'>;
  readonly clusters: Pick<Clusters, 'resolve'> & Partial<Pick<Clusters, 'scopedTo' | 'knows'>>;
  readonly projects: { get(namespace: string, name: string): AppProject | undefined };
  /** Runs the users' health checks and actions. */
  readonly scripts: Pick<Scripts, 'judge' | 'run'>;
  settings(): Settings;
  /** Whether an application with this tracking name exists; left out: every name counts (engine T-8). */
  readonly isApplication?: (instance: string) => boolean;
  /** The repository, with credentials, for applications of a project; left out: without credentials. */
  readonly repositoryOf?: (url: string, project: string) => Repository;
  /** The URLs of the repositories that belong to a project (engine P-1); left out: there are none. */
  readonly repositoriesScopedTo?: (project: string) => readonly string[];
  /** The chart repositories and registries that a project's charts may depend on; left out: none. */
  readonly chartRepositoriesOf?: (project: string) => readonly Repository[];
  /** The armoured keys that commits may be signed with; left out, or undefined: nothing is verified (sources INT-8). */
  readonly keyring?: () => readonly string[] | undefined;
  /** The control plane's own namespace. */
  readonly namespace: string;
};
