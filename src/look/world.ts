import type { Clusters } from '#live';
import type { Manifests } from '#manifests';
import type { AppProject, Repository, Settings } from '#model';
import type { Scripts } from '#threads';

/** Everything a look at an application needs besides the application itself. */
export type World = {
  readonly manifests: Pick<Manifests, 'generate'>;
  readonly clusters: Pick<Clusters, 'resolve'>;
  readonly projects: { get(namespace: string, name: string): AppProject | undefined };
  /** Runs the health checks that users wrote. */
  readonly scripts: Pick<Scripts, 'judge'>;
  settings(): Settings;
  /** How applications of a project ask for a repository; left out: as nobody. */
  readonly repositoryOf?: (url: string, project: string) => Repository;
  /** The armoured keys that commits may be signed with; left out, or undefined: nothing is verified (INT-8). */
  readonly keyring?: () => readonly string[] | undefined;
  /** The control plane's own namespace. */
  readonly namespace: string;
};
