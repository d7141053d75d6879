import type { Clusters } from '#live';
import type { Manifests } from '#manifests';
import type { AppProject, Settings } from '#model';

/** Everything a look at an application needs besides the application itself. */
export type World = {
  readonly manifests: Pick<Manifests, 'generate'>;
  readonly clusters: Pick<Clusters, 'resolve'>;
  readonly projects: { get(namespace: string, name: string): AppProject | undefined };
  settings(): Settings;
  /** The control plane's own namespace. */
  readonly namespace: string;
};
