import {
  type ClusterGenerator,
  clusterFrom,
  compareBytes,
  inClusterName,
  inClusterServer,
  type KubeObject,
  matches,
  selectorOf,
} from '#base/model';
import { normalize } from '#lang/go-template';
import type { SetRenderer } from '../template/set-renderer.ts';
import type { SetParameters } from './set-parameters.ts';
import { withValues } from './values.ts';

/** What the clusters generator reads of a cluster's Secret; its labels include those that Fairlead itself reads. */
export type ClusterFacts = {
  readonly name: string;
  readonly server: string;
  readonly project: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

/** The registered clusters, by name; of two with the same name the one with the first Secret (sources ASC-1, dev sources DEV-22). */
export function clusterFacts(secrets: readonly KubeObject[]): ClusterFacts[] {
  const byName = new Map<string, ClusterFacts>();
  for (const secret of secrets.toSorted((a, b) => compareBytes(a.metadata.name, b.metadata.name))) {
    const { name, server, project } = clusterFrom(secret);
    const { labels = {}, annotations = {} } = secret.metadata;
    if (!byName.has(name)) byName.set(name, { name, server, project, labels, annotations });
  }
  return [...byName.values()].sort((a, b) => compareBytes(a.name, b.name));
}

const local: ClusterFacts = {
  name: inClusterName,
  server: inClusterServer,
  project: '',
  labels: {},
  annotations: {},
};

/** compat sources ASC-1 … ASC-4: one set for each cluster, the local one last. Throws InvalidSpec for a bad selector. */
export function clusterParameters(
  { selector = {}, values, flatList }: ClusterGenerator,
  clusters: readonly ClusterFacts[],
  renderer: SetRenderer,
): SetParameters[] {
  const selected = selectorOf(selector);
  const chosen = clusters.filter(({ labels }) => matches(selected, labels));
  const hasLocal = selected.length > 0 || chosen.some(({ server }) => server === inClusterServer);
  const sets = [
    ...chosen.map((cluster) => ({ ...parametersOf(cluster), ...metadataOf(cluster, renderer) })),
    ...(hasLocal ? [] : [parametersOf(local)]),
  ].map((set) => withValues(set, values, renderer));
  return flatList ? [{ clusters: sets }] : sets;
}

const parametersOf = ({ name, server, project }: ClusterFacts): Record<string, unknown> => ({
  name,
  nameNormalized: normalize(name),
  server,
  project,
});

/** compat sources ASC-2: in Go mode a map is absent when it is empty; the local cluster has no metadata at all. */
function metadataOf({ labels, annotations }: ClusterFacts, { mode }: SetRenderer): SetParameters {
  const maps = Object.entries({ labels, annotations });
  if (mode === 'go') {
    return { metadata: Object.fromEntries(maps.filter(([, map]) => Object.keys(map).length > 0)) };
  }
  return Object.fromEntries(
    maps.flatMap(([kind, map]) =>
      Object.entries(map).map(([key, text]) => [`metadata.${kind}.${key}`, text] as const),
    ),
  );
}
