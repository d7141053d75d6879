import { expect, test } from 'vitest';
import type { Application, OperationState } from '#base/model';
import { FairleadError, realClock, silent } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import type { AppWishes } from './applications.ts';
import type { ClusterReading } from './clusters.ts';
import { createControllerMetrics } from './controller.ts';
import { listenMetrics } from './listen.ts';
import { createMetricsPage } from './page.ts';
import { createServerMetrics } from './server.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const server = 'https://kubernetes.default.svc';
const appOf = (name: string, more: Partial<Application> = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', labels: { 'team.example/name': 'a "b"' } },
  spec: {
    project: 'shop',
    source: { repoURL: 'https://user:word@git.example.com/Org/Repo.git', path: '.' },
    destination: { server, namespace: 'web' },
    syncPolicy: { automated: {} },
  },
  status: {
    sync: { status: 'OutOfSync' },
    health: { status: 'Healthy' },
    conditions: [
      { type: 'OrphanedResourceWarning', message: 'nobody declares 3 objects' },
      { type: 'SyncError', message: 'x' },
    ],
  },
  ...more,
});
const plain: AppWishes = {
  metricsApplicationLabels: [],
  metricsApplicationConditions: [],
  legacyMetrics: false,
};

function stage(apps: Application[], wishes = plain, clusters: ClusterReading[] = []) {
  const page = createMetricsPage('1.2.3');
  const state = { wishes };
  const metrics = createControllerMetrics(page, {
    apps: () => apps,
    serverOf: ({ spec }) => spec.destination.server ?? '',
    wishes: () => state.wishes,
    clusters: async () => clusters,
    clusterLabels: () => ['env'],
    sets: () => [],
    setLabels: () => [],
    now: () => 60_000,
  });
  metrics.leading(true);
  const lines = async (family: string) =>
    (await page.text()).split('\n').filter((line) => line.startsWith(family));
  return { page, metrics, lines, state };
}

test('an application is told with the labels that dashboards ask for, and no password (server §7.1)', async () => {
  const { lines, page, metrics } = stage([appOf('web')]);
  metrics.orphaned(appOf('web'), 3);
  expect(await lines('argocd_app_')).toEqual([
    'argocd_app_info{namespace="argocd",name="web",project="shop",autosync_enabled="true",' +
      'repo="https://git.example.com/org/repo",dest_server="https://kubernetes.default.svc",dest_namespace="web",' +
      'sync_status="OutOfSync",health_status="Healthy",operation=""} 1',
    'argocd_app_orphaned_resources_count{namespace="argocd",name="web",project="shop"} 3',
  ]);
  expect(await page.text()).toContain('# TYPE argocd_app_info gauge\n');
  expect(await lines('argocd_info')).toEqual(['argocd_info{version="v1.2.3"} 1']);
});

test('labels, conditions and the old gauges come when they are wanted, from the next scrape on (server §7.1, §7.3)', async () => {
  const { lines, state } = stage([appOf('web')]);
  expect(await lines('argocd_app_labels')).toEqual([]);
  state.wishes = {
    metricsApplicationLabels: ['team.example/name'],
    metricsApplicationConditions: ['SyncError'],
    legacyMetrics: true,
  };
  const identity = 'namespace="argocd",name="web",project="shop"';
  expect(await lines('argocd_app_labels')).toEqual([
    `argocd_app_labels{${identity},label_team_example_name="a \\"b\\""} 1`,
  ]);
  expect(await lines('argocd_app_condition')).toEqual([
    `argocd_app_condition{${identity},condition="SyncError"} 1`,
  ]);
  expect(await lines('argocd_app_sync_status')).toEqual([
    `argocd_app_sync_status{${identity},sync_status="Synced"} 0`,
    `argocd_app_sync_status{${identity},sync_status="OutOfSync"} 1`,
    `argocd_app_sync_status{${identity},sync_status="Unknown"} 0`,
  ]);
  expect((await lines('argocd_app_health_status')).filter((line) => line.endsWith(' 1'))).toHaveLength(1);
});

test('an operation is counted by its outcome, with the time it took, until its application is gone', async () => {
  const app = appOf('web');
  const { metrics, lines } = stage([app]);
  const state: OperationState = {
    operation: { sync: { dryRun: true } },
    phase: 'Succeeded',
    startedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:00:05Z',
  };
  metrics.finished(app, state);
  metrics.finished(app, state);
  const identity = 'namespace="argocd",name="web",project="shop"';
  expect(await lines('argocd_app_sync_total')).toEqual([
    `argocd_app_sync_total{${identity},dest_server="${server}",phase="Succeeded",dry_run="true"} 2`,
  ]);
  expect(await lines('argocd_app_sync_duration_seconds_total')).toEqual([
    `argocd_app_sync_duration_seconds_total{${identity},dest_server="${server}"} 10`,
  ]);
  metrics.gone(app);
  expect(await lines('argocd_app_sync_')).toEqual([]);
});

test('requests count as the application’s, by what came of them, and without end they are counted together', async () => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const app = appOf('web');
  const { metrics, lines } = stage([app]);
  const client = metrics.client(app, kube);
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
  await client.create(ctx, map);
  await expect(client.create(ctx, map)).rejects.toThrow('already exists');
  await client.apply(ctx, map, { fieldManager: 'x', dryRun: true });
  expect(await lines('argocd_app_k8s_request_total')).toEqual([
    expect.stringMatching(
      /response_code="201",verb="Create",resource_kind="configmaps",resource_namespace="default",dry_run="false"} 1$/,
    ),
    expect.stringMatching(/response_code="409",verb="Create".*} 1$/),
    expect.stringMatching(/response_code="200",verb="Patch".*dry_run="true"} 1$/),
  ]);
  expect((await lines('argocd_kubectl_exec_total')).map((line) => line.slice(-20))).toEqual([
    expect.stringContaining('"create"} 2'),
    expect.stringContaining('"apply"} 1'),
  ]);
  expect((await lines('argocd_kubectl_exec_pending')).every((line) => line.endsWith(' 0'))).toBe(true);
  for (let i = 0; i < 400; i++)
    await client.find(ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace: `n${i}`, name: 'a' });
  expect((await lines('argocd_app_k8s_request_total')).length).toBeLessThanOrEqual(301);
  await cluster.close();
});

test('queues tell what waits, what runs and for how long', async () => {
  const { metrics, lines } = stage([]);
  const queue = metrics.queue('app_reconciliation_queue');
  queue.onAdd('a');
  queue.onAdd('b');
  queue.onStart('a', 20);
  queue.onRetry('a', 100);
  expect(await lines('workqueue_depth')).toEqual(['workqueue_depth{name="app_reconciliation_queue"} 1']);
  const [longest = ''] = await lines('workqueue_longest_running_processor_seconds');
  expect(Number(longest.split(' ')[1])).toBeGreaterThanOrEqual(0);
  queue.onDone('a', 30);
  expect(await lines('workqueue_unfinished_work_seconds')).toEqual([
    'workqueue_unfinished_work_seconds{name="app_reconciliation_queue"} 0',
  ]);
  expect(await lines('workqueue_work_duration_seconds_sum')).toEqual([
    'workqueue_work_duration_seconds_sum{name="app_reconciliation_queue"} 0.03',
  ]);
  expect(await lines('workqueue_retries_total')).toEqual([
    'workqueue_retries_total{name="app_reconciliation_queue"} 1',
  ]);
});

test('clusters, passes, changes, leadership and what was left behind are told (A-37)', async () => {
  const cluster: ClusterReading = {
    server,
    name: 'in-cluster',
    version: 'v1.36.3',
    isConnected: false,
    objects: 7,
    kinds: 3,
    readAt: 30_000,
    labels: { env: 'dev' },
  };
  const { metrics, lines } = stage([], plain, [cluster]);
  metrics.reconciled(appOf('web'), 300);
  metrics.changed(server, 'apps', 'Deployment');
  metrics.abandoned(appOf('web'));
  expect(await lines('argocd_cluster_')).toEqual([
    `argocd_cluster_info{server="${server}",k8s_version="v1.36.3",name="in-cluster"} 1`,
    `argocd_cluster_connection_status{server="${server}",k8s_version="v1.36.3"} 0`,
    `argocd_cluster_api_resource_objects{server="${server}"} 7`,
    `argocd_cluster_api_resources{server="${server}"} 3`,
    `argocd_cluster_cache_age_seconds{server="${server}"} 30`,
    `argocd_cluster_labels{name="in-cluster",server="${server}",label_env="dev"} 1`,
    `argocd_cluster_events_total{server="${server}",group="apps",kind="Deployment"} 1`,
  ]);
  expect((await lines('argocd_app_reconcile_bucket')).slice(0, 2)).toEqual([
    `argocd_app_reconcile_bucket{le="0.25",namespace="argocd",dest_server="${server}"} 0`,
    `argocd_app_reconcile_bucket{le="0.5",namespace="argocd",dest_server="${server}"} 1`,
  ]);
  expect(await lines('leader_election_master_status')).toEqual([
    'leader_election_master_status{name="fairlead"} 1',
  ]);
  expect(await lines('fairlead_app_abandoned_total')).toEqual([
    'fairlead_app_abandoned_total{namespace="argocd",project="shop"} 1',
  ]);
});

test('strangers who name repositories make no series without end (server §7.2)', async () => {
  const page = createMetricsPage('1.2.3');
  const metrics = createServerMetrics(page);
  metrics.login('failure');
  for (let i = 0; i < 1100; i++) metrics.webhook(`https://u:p@git.example.com/${i}`);
  const lines = (await page.text()).split('\n');
  expect(lines).toContain('argocd_login_request_total{status="failure"} 1');
  expect(lines).toContain('argocd_webhook_requests_total{repo="https://git.example.com/0"} 1');
  expect(lines).toContain('argocd_webhook_requests_total{repo="other"} 100');
});

test('a scrape of a thousand applications writes only what changed', async () => {
  const apps = Array.from({ length: 1_000 }, (_, i) => appOf(`app-${i}`));
  const { page } = stage(apps, { ...plain, legacyMetrics: true });
  const first = await page.text();
  const again = appOf('app-7', { status: { sync: { status: 'Synced' } } });
  apps[7] = again;
  const second = await page.text();
  const changed = (text: string) => text.split('\n').filter((line) => line.startsWith('argocd_app_info'));
  expect(changed(first)).toHaveLength(1_000);
  expect(changed(second)[7]).toContain('sync_status="Synced"');
});

test('the page has a port of its own, which also tells whether we live', async () => {
  const stop = new AbortController();
  const inner = { ...ctx, signal: stop.signal };
  const { url, run } = await listenMetrics(inner, createMetricsPage('1.2.3'), { host: '127.0.0.1', port: 0 });
  const running = run(inner);
  const answer = await fetch(url);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await answer.text()).toContain('process_resident_memory_bytes');
  expect(await (await fetch(new URL('/healthz', url))).text()).toBe('ok\n');
  expect((await fetch(new URL('/x', url))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  stop.abort();
  await running;
});

test('health on the port of the metrics is that of the process: 503 while nothing can be written', async () => {
  const stop = new AbortController();
  const inner = { ...ctx, signal: stop.signal };
  let failure: FairleadError | undefined;
  const deps = { ...createMetricsPage('1.2.3'), failure: () => failure };
  const { url, run } = await listenMetrics(inner, deps, { host: '127.0.0.1', port: 0 });
  const running = run(inner);
  const health = () =>
    Promise.all(['/healthz', '/readyz'].map(async (path) => (await fetch(new URL(path, url))).status));
  expect(await health()).toEqual([200, 200]);
  failure = new FairleadError('Unavailable', 'the disk is full');
  expect(await health()).toEqual([503, 503]);
  expect((await fetch(url)).status).toBe(200);
  failure = undefined;
  expect(await health()).toEqual([200, 200]);
  stop.abort();
  await running;
});

test('a process that stands by tells nothing of applications and clusters, and that it does not lead (server §7.1)', async () => {
  const { metrics, lines } = stage([appOf('web')]);
  metrics.leading(false);
  metrics.changed('https://kubernetes.default.svc', '', 'Pod');
  expect(await lines('argocd_app_info')).toEqual([]);
  expect(await lines('argocd_cluster_events_total{')).toEqual([]);
  expect(await lines('leader_election_master_status')).toEqual([
    'leader_election_master_status{name="fairlead"} 0',
  ]);
});
