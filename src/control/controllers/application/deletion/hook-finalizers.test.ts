import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Application,
  asKubeObject,
  finalizer,
  inCluster,
  inClusterName,
  inClusterServer,
  type KubeObject,
} from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { ClusterCache, Informer, type LiveCluster } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient, type KubeClient, refOf } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { eventually } from '../../../../../test/eventually.ts';
import { createApplications } from '../applications.ts';
import { HookFinalizers } from './hook-finalizers.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'default', name: 'app' };
const running = { operation: { sync: {} } };

let cluster: EmbeddedCluster;
let kube: KubeClient;
let live: LiveCluster;
let informer: Informer<Application>;
let strays: HookFinalizers;
let stop: AbortController;
let ctx: Ctx;
let standing: Promise<void>;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  const text = readFileSync('deploy/crds/application.yaml', 'utf8');
  await kube.apply(ctx, asKubeObject(parse(text), 'application.yaml'), { fieldManager: 'test', force: true });
  const cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
  live = { server: inClusterServer, name: inClusterName, kube, cache, record: inCluster };
  informer = new Informer<Application>(kube, ref);
  const apps = createApplications({ kube, informer });
  const context = { namespace: 'default' };
  const clusters = { all: () => [live] };
  strays = new HookFinalizers({
    clock: realClock,
    context,
    clusters,
    informer,
    apps,
    isLeft: () => false,
  });
  standing = runAll(ctx, [(inner) => cache.run(inner), (inner) => informer.run(inner)]).catch(() => {});
  await cache.whenSynced(ctx);
  await informer.whenSynced(ctx);
});

afterEach(async () => {
  stop.abort();
  await standing;
  await cluster.close();
});

/** A hook as an operation leaves it while it runs, held by us and by somebody else. */
async function hook(name: string, annotations: object = { 'fairlead.io/hook-run': 'PreSync-1-0' }) {
  return kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'default',
      finalizers: [finalizer.hook, 'example.com/other'],
      annotations: {
        ...annotations,
        'argocd.argoproj.io/hook': 'PreSync',
        'argocd.argoproj.io/tracking-id': `app:/ConfigMap:default/${name}`,
      },
    },
  });
}

async function application(more: object): Promise<Application> {
  const spec = {
    source: { repoURL: 'https://git.example/a', path: '.' },
    destination: { server: inClusterServer },
  };
  const metadata = { name: ref.name, namespace: ref.namespace };
  const app = (await kube.create(ctx, { ...ref, metadata, spec, ...more } as KubeObject)) as Application;
  informer.put(app);
  return app;
}

/** What the controller does, for as long as the test lasts. */
function listen(): void {
  const both = [
    (inner: Ctx) => strays.run(inner),
    async (inner: Ctx) => {
      for await (const change of informer.changes(inner)) strays.onApplicationChange(change);
    },
    async (inner: Ctx) => {
      for await (const { after } of live.cache.changes(inner)) if (after) strays.onObjectChange('app', after);
    },
  ];
  standing = Promise.all([standing, runAll(ctx, both).catch(() => {})]).then(() => {});
}

const seen = (name: string) =>
  eventually(() => expect(live.cache.trackedBy('app').some(isNamed(name)), name).toBe(true));
const isNamed =
  (name: string) =>
  ({ metadata }: KubeObject) =>
    metadata.name === name;
const heldBy = async (object: KubeObject) => (await kube.get(ctx, refOf(object))).metadata.finalizers;

test('hooks of an application that goes in the middle of a sync stay, without our finalizer (S-10)', async () => {
  await application(running);
  const one = await hook('one');
  listen();
  await seen('one');
  await strays.release(ctx, 'app');
  expect(await heldBy(one), 'while it runs').toContain(finalizer.hook);
  await kube.delete(ctx, ref);
  await eventually(async () => expect(await heldBy(one)).toEqual(['example.com/other']));
  const late = await hook('late'); // by a pass that was under way when the application went
  await eventually(async () => expect(await heldBy(late)).toEqual(['example.com/other']));
  expect((await kube.get(ctx, refOf(one))).metadata.deletionTimestamp).toBeUndefined();
});

test('hooks of an application that went while nobody listened are found at the start (S-10)', async () => {
  const one = await hook('one');
  await seen('one');
  listen();
  await eventually(async () => expect(await heldBy(one)).toEqual(['example.com/other']));
});

test('an operation that was taken away by hand leaves no hook held (R-32)', async () => {
  await application(running);
  const one = await hook('one');
  listen();
  await seen('one');
  await kube.patch(ctx, ref, { type: 'merge', body: { operation: null } });
  await eventually(async () => expect(await heldBy(one)).toEqual(['example.com/other']));
});

test('a hook of another program, and one whose operation began since, are left as they are (S-10)', async () => {
  const foreign = await hook('foreign', {});
  const own = await hook('own');
  await seen('foreign');
  await seen('own');
  await application({});
  await kube.patch(ctx, ref, { type: 'merge', body: running }); // which memory does not know yet
  await strays.release(ctx, 'app');
  expect(await heldBy(own)).toContain(finalizer.hook);
  await kube.delete(ctx, ref);
  await eventually(() => expect(informer.get('default', 'app')).toBeUndefined());
  await strays.release(ctx, 'app');
  expect(await heldBy(own)).toEqual(['example.com/other']);
  expect(await heldBy(foreign)).toContain(finalizer.hook);
});
