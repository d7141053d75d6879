import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Application,
  asKubeObject,
  defaultProjectSpec,
  defaultSettings,
  finalizer,
  inCluster,
  inClusterName,
  inClusterServer,
  type KubeObject,
} from '#base/model';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import { ClusterCache, Clusters, Informer, type LiveCluster } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient, type DeleteOptions, type KubeClient, type KubeRequest } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { type Applications, createApplications } from '../applications.ts';
import { finalize } from './finalize.ts';
import { HookBackoff } from './hook-backoff.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let live: LiveCluster;
let apps: Applications;
let hookBackoff: HookBackoff;
let running: Promise<void>;
let stop: AbortController;
let ctx: Ctx;
/** What was deleted, and how. */
let deletions: string[];

function policyIn({ path, body }: KubeRequest): string {
  const { propagationPolicy } = JSON.parse(Buffer.from(body ?? []).toString()) as DeleteOptions;
  return `${path.slice(path.lastIndexOf('/') + 1)} ${propagationPolicy}`;
}

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'default', name: 'app' };
const job = (name: string, hook: string): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default', annotations: { 'argocd.argoproj.io/hook': hook } },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
});

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  deletions = [];
  kube = createKubeClient({
    transport: (request) => {
      if (request.method === 'DELETE') deletions.push(policyIn(request));
      return cluster.handle(request);
    },
  });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  const text = readFileSync('deploy/crds/application.yaml', 'utf8');
  await kube.apply(ctx, asKubeObject(parse(text), 'application.yaml'), { fieldManager: 'test', force: true });
  const cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  live = { server: inClusterServer, name: inClusterName, kube, cache, record: inCluster };
  hookBackoff = new HookBackoff();
  apps = createApplications({ kube, informer: new Informer<Application>(kube, ref) });
});

afterEach(async () => {
  stop.abort();
  await running;
  await cluster.close();
});

function worldOf(
  objects: readonly KubeObject[],
  known: readonly string[] = ['default'],
  spec = defaultProjectSpec,
): ComparisonDeps {
  const generated = { objects, revisions: ['abc'], sourceTypes: [], commands: [], warnings: [] };
  const project = { apiVersion: ref.apiVersion, kind: 'AppProject', metadata: { name: 'default' } };
  return {
    namespace: 'default',
    settings: () => defaultSettings,
    clusters: new Clusters({ kube, namespace: 'argocd', open: () => ({ ...live, close: () => {} }) }),
    projects: {
      get: (_namespace: string, name: string) => (known.includes(name) ? { ...project, spec } : undefined),
    },
    manifests: { generate: async () => ({ ...generated, cached: false, why: '' }) },
    scripts: { judge: async () => () => undefined, run: async () => undefined },
  } as unknown as ComparisonDeps;
}

/** An application that is being deleted, held by these finalizers. */
async function going(finalizers: readonly string[], server = inClusterServer): Promise<Application> {
  const app: Application = {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: 'app', namespace: 'default', finalizers: [...finalizers] },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example/a', path: '.' },
      destination: { server, namespace: 'default' },
    },
  };
  await kube.create(ctx, app);
  await kube.delete(ctx, ref);
  return (await kube.get(ctx, ref)) as Application;
}
const fresh = async () => (await kube.find(ctx, ref)) as Application | undefined;
const tracked = (wave: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: `w${wave}`,
    namespace: 'default',
    annotations: {
      'argocd.argoproj.io/tracking-id': `app:/ConfigMap:default/w${wave}`,
      'argocd.argoproj.io/sync-wave': String(wave),
    },
  },
});
const names = async () =>
  (await kube.list(ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' })).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('w'))
    .sort();

/** Lets the watches catch up with what the last pass did. */
async function settled(isIt: () => boolean): Promise<void> {
  while (!isIt()) await realClock.sleep(5, ctx.signal);
}
const held = (name: string) =>
  [...live.cache.trackedBy('app')].some(({ metadata }) => metadata.name === name);

test('a cascade goes wave by wave, and then the application goes (A-30, A-32)', async () => {
  for (const wave of [0, 5]) live.cache.put(await kube.create(ctx, tracked(wave)));
  await settled(() => held('w0') && held('w5'));
  const app = await going([finalizer.resources]);
  const context = worldOf([]);
  expect(await finalize(ctx, { context, apps, hookBackoff }, app)).toBeGreaterThan(0);
  expect(await names()).toEqual(['w0']);
  await settled(() => !held('w5'));
  await finalize(ctx, { context, apps, hookBackoff }, app);
  expect(await names()).toEqual([]);
  await settled(() => !held('w0'));
  expect(await finalize(ctx, { context, apps, hookBackoff }, app)).toBeUndefined();
  expect(await fresh()).toBeUndefined();
});

test('a PreDelete hook runs first; when it fails it is told of and run again (A-30, A-35)', async () => {
  const context = worldOf([job('hook', 'PreDelete')]);
  const app = await going([finalizer.preDelete, finalizer.preDeleteCleanup]);
  await finalize(ctx, { context, apps, hookBackoff }, app);
  const jobRef = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'hook' };
  const made = await kube.get(ctx, jobRef);
  expect(made.metadata.annotations).toMatchObject({
    'argocd.argoproj.io/tracking-id': 'app:batch/Job:default/hook',
  });
  expect(await finalize(ctx, { context, apps, hookBackoff }, app)).toBeGreaterThan(0);

  const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'Boom', message: 'no' }] };
  const patched = await kube.patch(
    ctx,
    { ...jobRef, subresource: 'status' },
    { type: 'merge', body: { status: failed } },
  );
  live.cache.put(patched);
  await expect(finalize(ctx, { context, apps, hookBackoff }, app)).rejects.toThrow('PreDelete hook failed');
  const told = await fresh();
  expect(told?.status?.conditions).toMatchObject([{ type: 'DeletionError' }]);
  await settled(() => !held('hook'));
  // a hook that fails is not run without a pause, and stays told of until it got somewhere
  expect(await finalize(ctx, { context, apps, hookBackoff }, told ?? app)).toBeGreaterThan(1_000);
  expect(await kube.find(ctx, jobRef)).toBeUndefined();
  hookBackoff.retryNow('default/app');
  await finalize(ctx, { context, apps, hookBackoff }, told ?? app);
  expect((await kube.get(ctx, jobRef)).metadata.uid).not.toBe(made.metadata.uid);
  expect((await fresh())?.status?.conditions).toMatchObject([{ type: 'DeletionError' }]);
});

test('who waits for a consent reads which, and is told nothing more once it is given (A-33)', async () => {
  const object = tracked(0);
  const annotations = { ...object.metadata.annotations, 'argocd.argoproj.io/sync-options': 'Delete=confirm' };
  const wary = { ...object, metadata: { ...object.metadata, annotations } };
  live.cache.put(await kube.create(ctx, wary));
  await settled(() => held('w0'));
  const app = await going([finalizer.resources]);
  const deps = { context: worldOf([]), apps, hookBackoff };
  await finalize(ctx, deps, app);
  const [told] = (await fresh())?.status?.conditions ?? [];
  expect(told?.type).toBe('DeletionError');
  expect(told?.message).toMatch(/ConfigMap default\/w0 .* argocd.argoproj.io\/deletion-approved/);
  const approved = { 'argocd.argoproj.io/deletion-approved': new Date().toISOString() };
  const next = await kube.patch(ctx, ref, { type: 'merge', body: { metadata: { annotations: approved } } });
  await finalize(ctx, deps, next as Application);
  expect(await names()).toEqual([]);
  expect((await fresh())?.status?.conditions).toEqual([]);
});

test('who holds what should be gone is named after a minute, and no more once it let go (A-32)', async () => {
  const object = tracked(0);
  const guarded = { ...object, metadata: { ...object.metadata, finalizers: ['example.com/guard'] } };
  live.cache.put(await kube.create(ctx, guarded));
  await settled(() => held('w0'));
  const app = await going([finalizer.resources]);
  const deps = { context: worldOf([]), apps, hookBackoff };
  await finalize(ctx, deps, app);
  const later = (seconds: number): Ctx => ({
    ...ctx,
    clock: virtualClock({ start: new Date(Date.now() + seconds * 1000) }),
  });
  const told = async (seconds: number) => {
    await finalize(later(seconds), deps, (await fresh()) ?? app);
    return (await fresh())?.status?.conditions ?? [];
  };
  expect(await told(30)).toEqual([]);
  const [first] = await told(70);
  expect(first).toMatchObject({ type: 'DeletionError' });
  expect(first?.message).toMatch(
    /^deletion is held up: ConfigMap default\/w0 since \S+ by example.com\/guard; /,
  );
  expect(await told(600)).toEqual([first]);

  const body = { metadata: { finalizers: [] } };
  await kube.patch(ctx, { ...ref, apiVersion: 'v1', kind: 'ConfigMap', name: 'w0' }, { type: 'merge', body });
  await settled(() => !held('w0'));
  expect(await told(660)).toEqual([]);
  expect(await fresh()).toBeUndefined();
});

test('dev A-31: what the project does not permit any more stays, and not in silence', async () => {
  live.cache.put(await kube.create(ctx, tracked(0)));
  await settled(() => held('w0'));
  const app = await going([finalizer.resources]);
  const elsewhere = [{ server: '*', namespace: 'elsewhere' }];
  const context = worldOf([], ['default'], { ...defaultProjectSpec, destinations: elsewhere });
  const told: string[] = [];
  const write = async (_ctx: Ctx, _app: Application, event: { type: string; message: string }) => {
    told.push(`${event.type} ${event.message}`);
  };
  const abandoned: string[] = [];
  const observe = { abandoned: ({ metadata }: Application) => abandoned.push(metadata.name) };
  await finalize(ctx, { context, apps, hookBackoff, events: { write }, observe }, app);
  expect(await fresh()).toBeUndefined();
  expect(await names()).toEqual(['w0']);
  expect([told, abandoned]).toEqual([
    [expect.stringMatching(/^Warning .*ConfigMap default\/w0 stays/)],
    ['app'],
  ]);
});

test('without its cluster an application goes as it is, and without its project it stays (A-34)', async () => {
  const lost = await going([finalizer.resources, finalizer.postDelete], 'https://gone.example');
  expect(await finalize(ctx, { context: worldOf([]), apps, hookBackoff }, lost)).toBeUndefined();
  expect(await fresh()).toBeUndefined();

  const orphan = await going([finalizer.resources]);
  await expect(finalize(ctx, { context: worldOf([], []), apps, hookBackoff }, orphan)).rejects.toThrow(
    'does not exist',
  );
  expect((await fresh())?.status?.conditions).toMatchObject([{ type: 'DeletionError' }]);
});

test('A-37: an application that leaves its resources behind says so first, while it is still there', async () => {
  const lost = await going([finalizer.resources], 'https://gone.example');
  const told: string[] = [];
  const write = async (
    _ctx: Ctx,
    _app: Application,
    { type, message }: { type: string; message: string },
  ) => {
    told.push(`${type} ${message} ${(await fresh()) ? 'present' : 'gone'}`);
  };
  await finalize(ctx, { context: worldOf([]), apps, hookBackoff, events: { write } }, lost);
  expect(told).toEqual([expect.stringMatching(/^Warning the cluster https:\/\/gone.example .* present$/)]);
});

test('a source that cannot stand keeps nobody from going (A-34)', async () => {
  const app = await going([finalizer.resources]);
  const odd = { ...app, spec: { ...app.spec, source: { repoURL: '', path: '' } } };
  expect(await finalize(ctx, { context: worldOf([]), apps, hookBackoff }, odd)).toBeUndefined();
  expect(await fresh()).toBeUndefined();
});

test('nothing is deleted while an operation is under way, whose hooks hold what they have begun (dev A-30)', async () => {
  live.cache.put(await kube.create(ctx, tracked(0)));
  await settled(() => held('w0'));
  const app = await going([finalizer.resources]);
  const context = worldOf([]);
  expect(
    await finalize(ctx, { context, apps, hookBackoff }, { ...app, operation: { sync: {} } }),
  ).toBeGreaterThan(0);
  expect(await names()).toEqual(['w0']);
  await finalize(ctx, { context, apps, hookBackoff }, (await fresh()) ?? app);
  expect(await names()).toEqual([]);
});

test('dev A-28: nothing waits in the foreground for what a plain object does not own', async () => {
  const ownerOfOne = await kube.create(ctx, tracked(0));
  const { uid = '', name } = ownerOfOne.metadata;
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { ...tracked(2).metadata, name: 's2' } };
  const owned: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'owned',
      namespace: 'default',
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }],
    },
  };
  for (const object of [tracked(1), { ...service, spec: { ports: [{ port: 80 }] } }, owned]) {
    await kube.create(ctx, object);
  }
  await settled(() => ['w0', 'w1', 's2'].every(held) && live.cache.ownedBy(uid).length > 0);
  const app = await going([finalizer.resources]);
  for (const gone of ['s2', 'w1', 'w0']) {
    await finalize(ctx, { context: worldOf([]), apps, hookBackoff }, (await fresh()) ?? app);
    await settled(() => deletions.some((one) => one.startsWith(gone)));
    if (gone !== 'w0') await settled(() => !held(gone));
  }
  expect(deletions.filter((one) => !one.startsWith('app'))).toEqual([
    's2 Foreground',
    'w1 Background',
    'w0 Foreground',
  ]);
});
