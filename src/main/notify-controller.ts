import { type Application, parseKey } from '#base/model';
import { type Ctx, runAll, type Task } from '#base/std';
import type { LiveCluster } from '#control/live';
import { type ClusterReading, type ControllerMetrics, createControllerMetrics } from '#serve/metrics';
import type { Observers } from './observers.ts';
import type { SharedCaches } from './shared-caches.ts';

type NotifyOutputs = { readonly metrics: ControllerMetrics; readonly run: Task };
type Pages = Pick<Observers, 'page' | 'github'>;

/** Connects the caches to the metrics. */
export function connectMetrics(
  { page, github }: Pages,
  { apps, sets, clusters, settings }: SharedCaches,
): NotifyOutputs {
  const readAt = new Map<string, number>();
  let clock: Ctx['clock'] | undefined;
  const now = (): number => clock?.now().getTime() ?? 0;
  const readAtOf = ({ server, cache }: LiveCluster): number | undefined => {
    // it may have been read before we subscribed, or without an event when the last of its kinds was listed later than the
    // others
    if (cache.isConnected && !readAt.has(server)) readAt.set(server, now());
    return readAt.get(server);
  };
  const metrics = createControllerMetrics(page, {
    apps: () => apps.list(),
    serverOf: (app) => serverOf(clusters, app),
    wishes: () => settings.current.controller,
    clusters: async () => clusters.all().map((one) => describe(one, readAtOf(one))),
    clusterLabels: () => settings.current.controller.metricsClusterLabels,
    sets: () => sets.list(),
    setLabels: () => settings.current.applicationSet.metricsLabels,
    now,
  });
  const run: Task = async (ctx) => {
    clock = ctx.clock;
    clusters.all().forEach(readAtOf);
    await runAll(ctx, [
      async (inner) => {
        for await (const { cluster, change } of clusters.changes(inner)) {
          const { group, kind } = parseKey(change.key);
          metrics.changed(cluster.server, group, kind);
        }
      },
      async (inner) => {
        for await (const server of clusters.changedServers(inner)) {
          const cluster = clusters.all().find((one) => one.server === server);
          if (!cluster) readAt.delete(server);
          else if (cluster.cache.isConnected) readAt.set(server, now());
        }
      },
    ]);
  };
  const gone: typeof metrics.sets.gone = (set) => {
    metrics.sets.gone(set);
    github.gone(set);
  };
  return { metrics: { ...metrics, sets: { ...metrics.sets, gone } }, run };
}

function serverOf(clusters: SharedCaches['clusters'], { spec }: Application): string {
  const { server } = spec?.destination ?? {};
  if (server) return server;
  try {
    return clusters.resolve(spec.destination).server;
  } catch {
    return ''; // reported by a condition
  }
}

function describe(cluster: LiveCluster, readAt: number | undefined): ClusterReading {
  const { server, name, cache, record } = cluster;
  return {
    server,
    name,
    version: cache.capabilities.version,
    isConnected: cache.isConnected,
    objects: cache.size,
    kinds: cache.kinds,
    readAt,
    labels: record.labels,
  };
}
