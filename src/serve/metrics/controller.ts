import { hostname } from 'node:os';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Application, type OperationState, parseTime } from '#base/model';
import type { KubeClient } from '#kubernetes/client';
import { AppCounter } from './app-counter.ts';
import { type SetMetrics, type SetReadings, setGauges, setPasses } from './application-sets.ts';
import { type ApplicationReadings, applicationGauges, identityOf } from './applications.ts';
import { type ClusterReading, clusterGauges } from './clusters.ts';
import { countedClient } from './counted-client.ts';
import { type NotificationMetrics, notificationMetrics } from './notifications.ts';
import type { MetricsPage, Section } from './page.ts';
import { type QueueMetrics, queueMetrics } from './queues.ts';

/** The metrics of the controllers. */
export type ControllerMetrics = {
  queue(name: string): QueueMetrics;
  reconciled(app: Application, ms: number): void;
  finished(app: Application, state: OperationState): void;
  /** dev engine A-37: an application was deleted and its resources were left in place. */
  abandoned(app: Application): void;
  /** A client whose requests are counted for the application. */
  client(app: Application, kube: KubeClient): KubeClient;
  /** An object changed in a cluster. */
  changed(server: string, group: string, kind: string): void;
  /** The number of orphaned objects in the namespaces of an application (engine T-8). */
  orphaned(app: Application, count: number): void;
  /** The application was deleted: removes its series. */
  gone(app: Application): void;
  leading(isLeading: boolean): void;
  readonly sets: SetMetrics;
  readonly notifications: NotificationMetrics;
};

export type ControllerReadings = Omit<ApplicationReadings, 'orphansOf'> &
  SetReadings & {
    clusters(): Promise<readonly ClusterReading[]>;
    clusterLabels(): readonly string[];
    now(): number;
  };

/** compat server §7.1: the metrics of an application controller. */
export function createControllerMetrics(page: MetricsPage, deps: ControllerReadings): ControllerMetrics {
  const { registry, sections } = page;
  const orphans = new Map<string, number>();
  let isLeader = false;
  // a standby would double every sum over the processes
  const whileLeading =
    (section: Section): Section =>
    async () =>
      isLeader ? section() : '';
  const orphansOf = ({ metadata }: Application): number => orphans.get(metadata.uid ?? '') ?? 0;
  sections.push(whileLeading(applicationGauges({ ...deps, orphansOf })));
  sections.push(whileLeading(clusterGauges({ ...deps, labels: () => deps.clusterLabels() })));
  sections.push(whileLeading(setGauges(deps)));
  const counters = appCounters(registry);
  const passes = new Histogram({
    name: 'argocd_app_reconcile',
    help: 'How long a reconciliation of an application took, in seconds.',
    labelNames: ['namespace', 'dest_server'],
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16],
    registers: [registry],
  });
  const events = new Counter({
    name: 'argocd_cluster_events_total',
    help: 'Changes of objects in a cluster.',
    labelNames: ['server', 'group', 'kind'],
    registers: [registry],
  });
  const abandoned = new Counter({
    name: 'fairlead_app_abandoned_total',
    help: 'Applications that went and left their resources behind, because their cluster was unknown.',
    labelNames: ['namespace', 'project'],
    registers: [registry],
  });
  const leader = new Gauge({
    name: 'leader_election_master_status',
    help: 'One when this process leads.',
    labelNames: ['name'],
    registers: [registry],
  });
  const lead = (isLeading: boolean): void => {
    isLeader = isLeading;
    leader.set({ name: 'fairlead' }, isLeading ? 1 : 0);
  };
  lead(false);
  return {
    finished: (app, state) => countOperation(counters, deps.serverOf(app), { app, state }),
    queue: queueMetrics(registry),
    reconciled: (app, ms) =>
      passes.observe({ namespace: app.metadata.namespace ?? '', dest_server: deps.serverOf(app) }, ms / 1000),
    abandoned: (app) => {
      const { namespace, project } = identityOf(app);
      abandoned.inc({ namespace, project });
    },
    client: clientOf(registry, counters.requests, deps),
    changed: (server, group, kind) => {
      if (isLeader) events.inc({ server, group, kind });
    },
    orphaned: (app, count) => {
      if (count > 0) orphans.set(app.metadata.uid ?? '', count);
      else orphans.delete(app.metadata.uid ?? '');
    },
    gone: (app) => {
      orphans.delete(app.metadata.uid ?? '');
      for (const counter of Object.values(counters)) counter.forget(app);
    },
    leading: lead,
    sets: setPasses(registry),
    notifications: notificationMetrics(registry),
  };
}

type AppCounters = ReturnType<typeof appCounters>;

function appCounters(registry: Registry) {
  return {
    syncs: new AppCounter(registry, {
      name: 'argocd_app_sync_total',
      help: 'Operations that ended.',
      labels: ['dest_server', 'phase', 'dry_run'],
    }),
    durations: new AppCounter(registry, {
      name: 'argocd_app_sync_duration_seconds_total',
      help: 'How long operations took, together.',
      labels: ['dest_server'],
    }),
    requests: new AppCounter(registry, {
      name: 'argocd_app_k8s_request_total',
      help: 'Requests to a cluster in the course of an operation.',
      labels: ['server', 'response_code', 'verb', 'resource_kind', 'resource_namespace', 'dry_run'],
    }),
  };
}

function countOperation(
  { syncs, durations }: AppCounters,
  server: string,
  { app, state }: { readonly app: Application; readonly state: OperationState },
): void {
  const { phase, operation, startedAt, finishedAt } = state;
  syncs.inc(app, { dest_server: server, phase, dry_run: String(operation.sync?.dryRun === true) });
  const [began, ended] = [parseTime(startedAt), parseTime(finishedAt)];
  if (began === undefined || ended === undefined || ended < began) return;
  durations.inc(app, { dest_server: server }, (ended - began) / 1000);
}

/**
 * We run no kubectl; requests it would have been run for are reported under its name, so that dashboards show the load.
 */
function clientOf(registry: Registry, requests: AppCounter, deps: Pick<ApplicationReadings, 'serverOf'>) {
  const names = { labelNames: ['hostname', 'command'], registers: [registry] };
  const host = hostname();
  const runs = new Counter({ name: 'argocd_kubectl_exec_total', help: 'Writes to clusters.', ...names });
  const pending = new Gauge({
    name: 'argocd_kubectl_exec_pending',
    help: 'Writes to clusters under way.',
    ...names,
  });
  return (app: Application, kube: KubeClient): KubeClient =>
    countedClient(kube, {
      begin: ({ verb, command, resource, namespace, dryRun }) => {
        const labels = command && { hostname: host, command };
        if (labels) {
          runs.inc(labels);
          pending.inc(labels);
        }
        return (code) => {
          if (labels) pending.dec(labels);
          requests.inc(app, {
            server: deps.serverOf(app),
            response_code: code,
            verb,
            resource_kind: resource,
            resource_namespace: namespace,
            dry_run: String(dryRun),
          });
        };
      },
    });
}
