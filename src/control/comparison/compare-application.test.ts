import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Application,
  defaultProjectSpec,
  defaultSettings,
  inCluster,
  type KubeObject,
} from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { ClusterCache } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking, effectiveProject, fieldManager } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { compareApplication } from './compare-application.ts';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let cache: ClusterCache;
let stop: AbortController;
let running: Promise<void>;
let ctx: Ctx;
let dryRuns: number;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  dryRuns = 0;
  kube = createKubeClient({
    transport: (request) => {
      if (request.path.includes('dryRun=All')) dryRuns += 1;
      return cluster.handle(request);
    },
  });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
});

afterEach(async () => {
  stop.abort();
  await running;
  await cluster.close();
});

const source = { repoURL: 'https://git.example/apps', path: 'a' };
const destination = { name: 'c', namespace: 'default' };
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: { project: 'default', source, destination },
  status: {
    reconciledAt: '2026-01-01T00:00:00Z',
    sync: { status: 'Synced', revision: 'abc', comparedTo: { source, destination } },
  },
};
const configMap = (data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'default',
    annotations: { 'argocd.argoproj.io/tracking-id': 'app:/ConfigMap:default/a' },
  },
  ...{ data },
});

function worldOf(objects: readonly KubeObject[]): ComparisonDeps {
  const controller = { ...defaultSettings.controller, serverSideDiff: true };
  const settings = { ...defaultSettings, controller };
  const rest = { commands: [], cached: true, why: '', warnings: [], inputs: [], mayHaveChanges: true };
  return {
    manifests: {
      generate: async () => ({ objects, revisions: ['abc'], sourceTypes: ['Directory'], ...rest }),
    },
    clusters: { resolve: () => destinationOfTest().cluster },
    projects: { get: () => undefined },
    scripts: { judge: async () => () => undefined, run: async () => undefined },
    settings: () => settings,
    namespace: 'argocd',
  };
}

const destinationOfTest = (): AppDestination => ({
  cluster: { server: 'https://cluster.example', name: 'c', kube, cache, record: inCluster },
  project: effectiveProject({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default' },
    spec: defaultProjectSpec,
  }),
  denies: () => undefined,
  writer: () => kube,
});

test('a look that is to ask the server asks once about what has not changed since (D-23, D-31)', async () => {
  await kube.apply(ctx, configMap({ x: '1', y: '1' }), { fieldManager, force: true });
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  const context = worldOf([configMap({ x: '1' })]);
  const seen = { app, destination: destinationOfTest() };
  const first = await compareApplication(ctx, context, seen, { resolve: 'cached', hard: false });
  expect(first.comparison.resources[0]?.diff.fields.map(({ path }) => path)).toEqual(['/data/y']);
  expect(dryRuns).toBe(1);
  const second = await compareApplication(ctx, context, seen, { resolve: 'cached', hard: false });
  expect(second.comparison.resources[0]?.diff).toBe(first.comparison.resources[0]?.diff);
  expect(dryRuns).toBe(1);
  await compareApplication(ctx, context, seen, { resolve: 'cached', hard: true });
  expect(dryRuns).toBe(2);
});
