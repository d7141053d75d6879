import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Application,
  asKubeObject,
  defaultProjectSpec,
  defaultSettings,
  inCluster,
  inClusterName,
  inClusterServer,
  keyOf,
  type Operation,
  type ProjectSpec,
  type Settings,
} from '#base/model';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { ClusterCache, Clusters, Informer, type LiveCluster } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { eventually } from '../../../../../test/eventually.ts';
import { configMap, manifestsFixture } from '../../../../../test/manifests.ts';
import { type Applications, createApplications } from '../applications.ts';
import { RepositoryGrace } from '../pacing/repository-grace.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import type { EventRecorder } from '../status/event-recorder.ts';
import { operate } from './operate.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'app' };
const nightly = { kind: 'deny' as const, schedule: '0 0 * * *', duration: '1h', applications: ['*'] };
const target = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { a: 'b' },
};

let cluster: EmbeddedCluster;
let kube: KubeClient;
let live: LiveCluster;
let apps: Applications;
let running: Promise<void>;
let stop: AbortController;
let writers: (string | undefined)[];
const clock = virtualClock({ start: new Date('2026-06-01T00:20:00Z') });
let ctx: Ctx;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  writers = [];
  kube = createKubeClient({
    transport: (request) => {
      if (request.path.includes('/configmaps')) writers.push(request.headers['impersonate-user']);
      return cluster.handle(request);
    },
  });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock };
  const patient = { ...ctx, clock: realClock };
  const text = readFileSync('deploy/crds/application.yaml', 'utf8');
  await kube.apply(patient, asKubeObject(parse(text), 'crd'), { fieldManager: 'test', force: true });
  await kube.create(patient, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  const cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
  running = cache.run(patient);
  await cache.whenSynced(patient);
  live = { server: inClusterServer, name: inClusterName, kube, cache, record: inCluster };
  apps = createApplications({ kube, informer: new Informer<Application>(kube, ref) });
  writers = [];
});

afterEach(async () => {
  stop.abort();
  await running;
  await cluster.close();
});

function worldOf(spec: ProjectSpec, settings: Partial<Settings> = {}): ComparisonDeps {
  const project = {
    apiVersion: ref.apiVersion,
    kind: 'AppProject',
    metadata: { name: 'default' },
    spec: { ...defaultProjectSpec, ...spec },
  };
  const generated = { objects: [target], revisions: ['abc'], sourceTypes: [], commands: [], warnings: [] };
  return {
    namespace: 'argocd',
    settings: () => ({ ...defaultSettings, ...settings }),
    clusters: new Clusters({ kube, namespace: 'argocd', open: () => ({ ...live, close: () => {} }) }),
    projects: { get: () => project },
    manifests: { generate: async () => ({ ...generated, cached: false, why: '' }) },
    scripts: { judge: async () => () => undefined, run: async () => undefined },
  } as unknown as ComparisonDeps;
}

async function application(operation?: Operation, syncPolicy = {}): Promise<Application> {
  const app = {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: ref.name, namespace: ref.namespace },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example/a', path: '.' },
      destination: { server: inClusterServer, namespace: 'default' },
      syncPolicy,
    },
    ...(operation && { operation }),
  };
  return (await kube.create(ctx, app)) as Application;
}

const fresh = async () => (await kube.get(ctx, ref)) as Application;
const applied = async () => (await kube.find(ctx, { ...target, ...target.metadata })) !== undefined;
const manual: Operation = { sync: { revision: 'abc' }, initiatedBy: { username: 'jane' } };
const automated: Operation = { sync: { revision: 'abc' }, initiatedBy: { automated: true } };

/** Passes until the operation is over. */
async function finish(context: ComparisonDeps): Promise<Application> {
  for (let pass = 0; pass < 10; pass++) {
    await operate(ctx, { context, apps }, 'argocd/app');
    const app = await fresh();
    if (!app.operation) return app;
  }
  throw new Error('the operation does not end');
}

test('an operation waits, Running, for its window, and goes on when it opens (R-35, S-1, vector 53)', async () => {
  await application(automated);
  const context = worldOf({ syncWindows: [nightly] });
  expect(await operate(ctx, { context, apps }, 'argocd/app')).toEqual({ afterMs: 30_000 });
  const { phase, message } = (await fresh()).status?.operationState ?? {};
  expect(phase).toBe('Running');
  expect(message).toBe(
    'sync is blocked: deny window "0 0 * * *" for 1h is active; it may pass from 2026-06-01T01:00:00Z',
  );
  expect(await applied()).toBe(false);
  await finish(worldOf({ syncWindows: [{ ...nightly, duration: '10m' }] }));
  expect(await applied()).toBe(true);
});

test('a blocked operation can be terminated (R-35)', async () => {
  await application(automated);
  const context = worldOf({ syncWindows: [nightly] });
  await operate(ctx, { context, apps }, 'argocd/app');
  await apps.patch(ctx, await fresh(), { status: { operationState: { phase: 'Terminating' } } });
  const ended = await finish(context);
  expect(ended.status?.operationState?.phase).toBe('Failed');
  expect(await applied()).toBe(false);
});

test('the first pass judges the operation by its own initiator (R-35)', async () => {
  await application(manual);
  const ended = await finish(worldOf({ syncWindows: [{ ...nightly, manualSync: true }] }));
  expect(ended.status?.operationState?.phase).toBe('Succeeded');
});

const reconciling = async (spec: ProjectSpec, events?: Pick<EventRecorder, 'recordOnce'>) => {
  const app = await application(undefined, { automated: {} });
  const deps = { context: worldOf(spec), apps, grace: new RepositoryGrace(() => 0), events };
  return reconcile(ctx, deps, app, 'resolved');
};

test('automation asks for nothing while a window is closed, and wakes when it opens (R-21, P-44)', async () => {
  expect(await reconciling({ syncWindows: [nightly] })).toEqual({ afterMs: 40 * 60_000 });
  const app = await fresh();
  expect(app.status?.sync?.status).toBe('OutOfSync');
  expect(app.operation).toBeUndefined();
});

test('what automation waits for is told beside the application, and is no condition of it (R-21)', async () => {
  const told: string[] = [];
  const events = {
    recordOnce: (_app: Application, { message }: { message: string }) => told.push(message) > 0,
  };
  await reconciling({ syncWindows: [nightly] }, events);
  expect(told).toEqual([
    'automated sync waits: sync is blocked: deny window "0 0 * * *" for 1h is active; it may pass from 2026-06-01T01:00:00Z',
  ]);
  expect((await fresh()).status?.conditions ?? []).toEqual([]);
});

test('automation goes ahead when no window is in its way (R-21)', async () => {
  await reconciling({ syncWindows: [{ ...nightly, applications: ['other'] }] });
  expect((await fresh()).operation?.initiatedBy?.automated).toBe(true);
});

const impersonation = { impersonation: { enabled: true, enforced: true } };

test('a sync writes as the service account of its destination (P-26, P-27)', async () => {
  await kube.create(ctx, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'deployer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace: 'default' }],
  } as never);
  await application(manual);
  const accounts = [{ server: '*', namespace: '*', defaultServiceAccount: 'deployer' }];
  await finish(worldOf({ destinationServiceAccounts: accounts }, impersonation));
  expect(writers).toContain('system:serviceaccount:default:deployer');
});

test('without an account for its destination a sync ends with an error (P-28)', async () => {
  await application(manual);
  const ended = await finish(worldOf({}, impersonation));
  expect(ended.status?.operationState).toMatchObject({
    phase: 'Error',
    message: expect.stringContaining('no entry in spec.destinationServiceAccounts of project default covers'),
  });
  expect(await applied()).toBe(false);
});

/** A sync that deletes and makes anew, and an object that somebody holds. */
async function remaking(context: ComparisonDeps): Promise<void> {
  const metadata = { ...target.metadata, finalizers: ['example.com/hold'] };
  live.cache.put(await kube.create(ctx, { ...target, metadata, data: { a: 'old' } } as never));
  const sync = { revision: 'abc', syncOptions: ['Replace=true'], syncStrategy: { apply: { force: true } } };
  await application({ sync });
  for (let pass = 0; pass < 4; pass++) await operate(ctx, { context, apps }, 'argocd/app');
  expect((await fresh()).status?.operationState).toMatchObject({
    phase: 'Running',
    message: expect.stringMatching(/^waiting for ConfigMap default\/settings .*held by example.com\/hold/),
  });
}

test('what is deleted to be made anew is awaited by name, and made anew once it is gone (S-30)', async () => {
  const context = worldOf({});
  await remaking(context);
  const held = { ...target, ...target.metadata };
  await kube.patch(ctx, held, { type: 'merge', body: { metadata: { finalizers: null } } });
  await eventually(() => expect(live.cache.get(keyOf(target))).toBeUndefined());
  const ended = await finish(context);
  expect(ended.status?.operationState?.phase).toBe('Succeeded');
  expect(await kube.get(ctx, held)).toMatchObject({ data: target.data });
});

test('a sync that waits for what it deleted can be terminated, and says what it leaves behind (R-41, S-30)', async () => {
  const context = worldOf({});
  await remaking(context);
  await apps.patch(ctx, await fresh(), { status: { operationState: { phase: 'Terminating' } } });
  const { operationState } = (await finish(context)).status ?? {};
  expect(operationState?.phase).toBe('Failed');
  expect(operationState?.syncResult?.resources).toMatchObject([
    { status: 'SyncFailed', message: expect.stringContaining('held by example.com/hold') },
  ]);
});

test('a SyncError stays while a window is closed, and goes with the next evaluation (R-21, §1.11)', async () => {
  const { metadata } = await application(undefined, { automated: {} });
  const conditions = [
    { type: 'SyncError', message: 'tried before', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];
  await kube.patch(ctx, { ...ref, ...metadata }, { type: 'merge', body: { status: { conditions } } });
  const grace = new RepositoryGrace(() => 0);
  const types = async (spec: ProjectSpec) => {
    await reconcile(ctx, { context: worldOf(spec), apps, grace }, await fresh(), 'resolved');
    return (await fresh()).status?.conditions?.map(({ type }) => type);
  };
  expect(await types({ syncWindows: [nightly] })).toEqual(['SyncError']);
  expect(await types({})).toEqual([]);
});

test('a newer revision ends an automated sync that waits between attempts, where that is asked for', async () => {
  const operation: Operation = {
    sync: { revision: 'old' },
    initiatedBy: { automated: true },
    retry: { limit: 5 },
  };
  await application(operation, { automated: {} });
  const operationState = {
    operation,
    phase: 'Running',
    startedAt: '2026-06-01T00:00:00Z',
    finishedAt: '2026-06-01T00:19:59Z',
    retryCount: 1,
  };
  await kube.patch(ctx, ref, { type: 'merge', body: { status: { operationState } } });
  const grace = new RepositoryGrace(() => 0);
  const look = async (supersede: Settings['application']['supersede']) => {
    const application: Settings['application'] = { ...defaultSettings.application, supersede };
    await reconcile(ctx, { context: worldOf({}, { application }), apps, grace }, await fresh(), 'resolved');
    return (await fresh()).status?.operationState;
  };
  expect((await look('off'))?.phase).toBe('Running');
  expect(await look('retrying')).toMatchObject({ phase: 'Terminating', message: 'superseded by abc' });
  const ended = await finish(worldOf({}));
  expect(ended.status?.operationState?.phase).toBe('Failed');
});

test('R-7, T-8: a look at the tree alone renders nothing, and tells images and orphans anew', async () => {
  await application();
  const containers = [{ name: 'a', image: 'web:2' }];
  const podOf = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers },
  });
  for (const name of ['ours', 'stray']) live.cache.put(await kube.create(ctx, podOf(name)));
  const resources = [{ version: 'v1', kind: 'Pod', namespace: 'default', name: 'ours', status: 'Synced' }];
  const reconciledAt = '2026-06-01T00:19:00Z';
  const comparedTo = {
    source: { repoURL: 'https://git.example/a', path: '.' },
    destination: (await fresh()).spec.destination,
  };
  const sync = { status: 'Synced', revision: 'abc', comparedTo };
  const summary = { images: ['web:1'] };
  await kube.patch(ctx, ref, { type: 'merge', body: { status: { resources, reconciledAt, sync, summary } } });
  const manifests = {
    generate: () => {
      throw new Error('rendered');
    },
  };
  const redrawn = async (spec: ProjectSpec) => {
    const deps = { context: { ...worldOf(spec), manifests }, apps, grace: new RepositoryGrace(() => 0) };
    await reconcile(ctx, deps, await fresh(), 'tree');
    return (await fresh()).status;
  };
  const status = await redrawn({ orphanedResources: { warn: true } });
  expect(status).toMatchObject({ sync, reconciledAt, resources, summary: { images: ['web:2'] } });
  expect(status?.conditions).toMatchObject([
    { type: 'OrphanedResourceWarning', message: expect.stringContaining('Pod stray') },
  ]);
  expect((await redrawn({}))?.conditions).toEqual([]);
});

test('R-12, R-24, vector 15: a commit beside manifest-generate-paths moves the revision and starts nothing', async () => {
  const git = await manifestsFixture();
  const source = { repoURL: git.repo.dir, path: 'web', targetRevision: 'main' };
  const files = (data: string) => ({ 'web/cm.yaml': configMap('settings', data) });
  const first = await git.repo.commit(files('a: "1"'));
  await application(undefined, { automated: {} });
  const annotations = { 'argocd.argoproj.io/manifest-generate-paths': '.' };
  await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { annotations }, spec: { source } } });
  const context = { ...worldOf({}), manifests: git.manifests };
  const grace = new RepositoryGrace(() => 0);
  const look = async (): Promise<Application> => {
    await reconcile(ctx, { context, apps, grace }, await fresh(), 'resolved');
    return fresh();
  };
  expect((await look()).operation?.sync).toMatchObject({ revision: first });
  expect((await finish(context)).status?.operationState).toMatchObject({ phase: 'Succeeded' });

  // somebody changes the object, and nobody heals it: a revision that matters would be synced, this one is not
  const drifted = { type: 'merge' as const, body: { data: { a: 'drift' } } };
  await kube.patch(ctx, { ...target, ...target.metadata }, drifted);
  await eventually(() => expect(live.cache.get(keyOf(target))).toMatchObject(drifted.body));
  expect((await look()).status?.sync?.status).toBe('OutOfSync');
  const beside = await git.repo.commit({ 'docs/readme.md': 'words\n' });
  const passed = await look();
  expect(passed.status?.sync).toMatchObject({ revision: beside, status: 'OutOfSync' });
  expect(passed.operation).toBeUndefined();

  const wanted = await git.repo.commit(files('a: "2"'));
  expect((await look()).operation?.sync).toMatchObject({ revision: wanted });
  await git.close();
});
