import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Application, defaultSettings, type KubeObject, keyOf } from '#base/model';
import { type Ctx, FairleadError, realClock, silent } from '#base/std';
import { ClusterCache } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking, diff, fieldManager, ignoreRules } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { customTypesIn } from './custom-types.ts';
import { runDryRuns } from './dry-runs.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
});

afterEach(async () => {
  stop.abort();
  await cluster.close();
});

const configMap = (name: string, data: unknown): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data }) as KubeObject;
const asked = (target: KubeObject) => ({ key: keyOf(target), target });
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { destination: { name: 'c' } },
};

test('the server tells what it would store and stores nothing, and one refusal does not spoil the rest (D-23, D-25)', async () => {
  const live = await kube.apply(ctx, configMap('a', { x: '1', y: '1' }), { fieldManager, force: true });
  const [good, bad] = [configMap('a', { x: '2' }), configMap('b', { x: ['no text'] })];
  const answers = await runDryRuns(ctx, { kube }, [asked(good), asked(bad)]);
  const answer = answers.get(keyOf(good));
  expect(answers.get(keyOf(bad))).toBeInstanceOf(FairleadError);
  expect(answer).toMatchObject({ data: { x: '2' } });
  expect(
    await kube.get(ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' }),
  ).toEqual(live);

  const options = {
    tracking: defaultTracking,
    rules: ignoreRules(app, defaultSettings.resources),
    ignoreAggregatedRoles: false,
    sensitiveAnnotations: [],
    serverSideApply: true,
  };
  const { fields } = diff({ target: good, live, dryRun: answer }, options);
  expect(fields.map(({ path }) => path)).toEqual(['/data/x', '/data/y']);
});

test('whoever is told to stop does not take that for an answer (D-23)', async () => {
  stop.abort();
  await expect(runDryRuns(ctx, { kube }, [asked(configMap('a', {}))])).rejects.toThrow();
});

test('custom kinds are described by their definitions, and kinds that are not served by nobody (D-22)', async () => {
  await kube.create(ctx, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
  const cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
  const running = cache.run(ctx);
  await cache.whenSynced(ctx);
  const typeOf = customTypesIn({ cache });
  expect(typeOf({ group: 'example.com', version: 'v1', kind: 'Widget' })).toMatchObject({ kind: 'struct' });
  expect(typeOf({ group: 'example.com', version: 'v2', kind: 'Widget' })).toBeUndefined();
  expect(typeOf({ group: 'example.com', version: 'v1', kind: 'Gadget' })).toBeUndefined();
  expect(typeOf({ group: '', version: 'v1', kind: 'ConfigMap' })).toMatchObject({ kind: 'any' });
  stop.abort();
  await running;
});
