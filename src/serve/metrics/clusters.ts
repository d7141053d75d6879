import { heading, labelName, line } from './exposition.ts';
import type { Section } from './page.ts';

/** A cluster as the metrics report it. */
export type ClusterReading = {
  readonly server: string;
  readonly name: string;
  readonly version: string;
  readonly isConnected: boolean;
  readonly objects: number;
  readonly kinds: number;
  /** When its cache was synced; undefined: not yet. */
  readonly readAt: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
};

type ClusterSample = (cluster: ClusterReading, now: number) => [Record<string, string>, number] | undefined;

const byServer =
  (value: (cluster: ClusterReading) => number): ClusterSample =>
  (cluster) => [{ server: cluster.server }, value(cluster)];

const families: readonly [name: string, help: string, sample: ClusterSample][] = [
  [
    'argocd_cluster_info',
    'Information about a cluster.',
    ({ server, version, name }) => [{ server, k8s_version: version, name }, 1],
  ],
  [
    'argocd_cluster_connection_status',
    'One when the cluster can be read.',
    ({ server, version, isConnected }) => [{ server, k8s_version: version }, isConnected ? 1 : 0],
  ],
  ['argocd_cluster_api_resource_objects', 'Objects held of a cluster.', byServer(({ objects }) => objects)],
  ['argocd_cluster_api_resources', 'Kinds watched in a cluster.', byServer(({ kinds }) => kinds)],
  [
    'argocd_cluster_cache_age_seconds',
    'How long ago a cluster was read whole.',
    ({ server, readAt }, now) => (readAt === undefined ? undefined : [{ server }, (now - readAt) / 1000]),
  ],
];

/** compat server §7.1: the gauges of clusters, computed at the scrape. */
export function clusterGauges(deps: {
  clusters(): Promise<readonly ClusterReading[]>;
  /** The labels of a cluster's Secret that are reported. */
  labels(): readonly string[];
  now(): number;
}): Section {
  return async () => {
    const clusters = await deps.clusters();
    const now = deps.now();
    const texts = families.map(([name, help, reported]) => {
      const lines = clusters.flatMap((cluster) => {
        const one = reported(cluster, now);
        return one ? [line(name, ...one)] : [];
      });
      return lines.length > 0 ? heading(name, help, 'gauge') + lines.join('') : '';
    });
    return texts.join('') + labelsOf(clusters, deps.labels());
  };
}

function labelsOf(clusters: readonly ClusterReading[], wanted: readonly string[]): string {
  if (wanted.length === 0) return '';
  const lines = clusters.map(({ name, server, labels }) => {
    const reported = wanted.map((key) => [labelName(key), labels[key] ?? ''] as const);
    return line('argocd_cluster_labels', { name, server, ...Object.fromEntries(reported) }, 1);
  });
  return heading('argocd_cluster_labels', 'The configured labels of a cluster.', 'gauge') + lines.join('');
}
