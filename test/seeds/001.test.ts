import { afterAll, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { createScripts } from '#control/scripts';
import { health } from '#engine';
import { applyMergePatch } from '#kubernetes/patch';
import { dataOf, fragment, manifest, settingsOf } from './documents.ts';
import { application, Installation } from './installation.ts';
import { ctx, judged, spelled } from './scripts.ts';

// "Knative in the GitOps Loop": the health scripts, the overlay and the blue-green traffic of the document
const scripts = createScripts({ size: 1 });
afterAll(() => scripts.close());

const settings = settingsOf(dataOf('001/argocd-cm.yaml'));

const knative = (kind: string, ...conditions: Record<string, string>[]): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind,
  metadata: { name: 'product-import', namespace: 'd' },
  ...(conditions.length > 0 && { status: { conditions } }),
});
const ready = (status: string, message?: string) => ({ type: 'Ready', status, ...(message && { message }) });

test('the scripts of the document are read without complaint', () => {
  expect(settings.problems).toEqual([]);
  expect(Object.keys(settings.resources.overrides)).toEqual(
    expect.arrayContaining(['serving.knative.dev/Service', 'serving.knative.dev/Revision']),
  );
});

test.each([
  [knative('Service', ready('True')), 'Healthy: Service is ready'],
  [knative('Service', ready('False', 'the image cannot be pulled')), 'Degraded: the image cannot be pulled'],
  [knative('Service', ready('False')), 'Degraded: Service is not ready'],
  [knative('Service', ready('Unknown')), 'Progressing: Service is progressing'],
  [knative('Service', ready('Unknown', 'deploying')), 'Progressing: deploying'],
  [knative('Service', { type: 'RoutesReady', status: 'True' }), 'Progressing: Waiting for conditions'],
  [knative('Service'), 'Progressing: Waiting for conditions'],
  [knative('Revision', ready('True')), 'Healthy'],
  [knative('Revision', ready('False', 'it exits with 1')), 'Degraded: it exits with 1'],
  [knative('Revision', ready('Unknown')), 'Progressing'],
  [knative('Revision'), 'Progressing'],
])('its Lua says what it promises: $kind $status (X-41)', async (object, wanted) => {
  expect(spelled(await judged(scripts, object, settings))).toBe(wanted);
});

test('without the script a Service has health as well, and wants all three of its conditions (X-41)', () => {
  expect(health(knative('Service', ready('True')))?.status).toBe('Progressing');
  const all = ['Ready', 'ConfigurationsReady', 'RoutesReady'].map((type) => ({ type, status: 'True' }));
  expect(health(knative('Service', ...all))?.status).toBe('Healthy');
});

test('the gate: a Service that does not get ready makes the application Degraded', async () => {
  const service = manifest('001/knative-service.yaml');
  const world = new Installation(application(), [service], settings);
  world.take(world.next());
  world.report('product-import', { conditions: [ready('False', 'revision failed')] });
  world.health = { scripted: await scripts.judge(ctx, world.live.values(), settings.resources.overrides) };
  expect(world.compare()).toMatchObject({ status: 'Synced', health: { status: 'Degraded' } });
});

test('the overlay of production changes what it names and keeps the rest', () => {
  const merged = applyMergePatch(
    manifest('001/knative-service.yaml'),
    manifest('001/scale-patch.yaml'),
  ) as KubeObject;
  const world = new Installation(application(), [manifest('001/knative-service.yaml')]);
  world.take(world.next());
  const next = new Installation(application(), [merged]).put(...world.live.values());
  expect(next.compare().resources[0]?.diff.fields.map(({ path }) => path)).toEqual([
    '/spec/template/metadata/annotations/autoscaling.knative.dev~1max-scale',
    '/spec/template/metadata/annotations/autoscaling.knative.dev~1scale-to-zero-pod-retention-period',
  ]);
});

test('traffic is Git’s: a patch by hand is drift, and the next commit moves it (X-6)', () => {
  type Service = KubeObject<{ traffic: unknown[] }>;
  const git = manifest<Service>('001/blue-green.yaml');
  const world = new Installation(application(), [git]);
  world.take(world.next());
  expect(world.compare().status).toBe('Synced');
  const [live] = [...world.live.values()] as Service[];
  if (!live?.spec || !git.spec) throw new Error('nothing was applied');
  const { traffic } = fragment<{ traffic: unknown[] }>('001/traffic-validated.yaml');

  const byHand = new Installation(application(), [git]).put({ ...live, spec: { ...live.spec, traffic } });
  expect(byHand.compare().status).toBe('OutOfSync');
  const step = byHand.next();
  expect(step.do === 'apply' && step.groups.flat()[0]?.target?.spec).toEqual(git.spec);

  const validated = new Installation(application(), [{ ...git, spec: { ...git.spec, traffic } }]).put(live);
  validated.take(validated.next());
  expect([...validated.live.values()][0]).toMatchObject({ spec: { traffic } });
});

test('old Revisions are Knative’s own and never pruned; IgnoreExtraneous keeps nothing, Prune=false does (X-40)', () => {
  const world = new Installation(application(), [manifest('001/knative-service.yaml')]);
  world.take(world.next());
  const revision = (name: string, annotations: Record<string, string> = {}): KubeObject => ({
    ...knative('Revision'),
    metadata: {
      name,
      namespace: 'd',
      annotations: {
        'argocd.argoproj.io/tracking-id': `app:serving.knative.dev/Revision:d/${name}`,
        ...annotations,
      },
    },
  });
  const old = revision('product-import-00001');
  const owner = {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Configuration',
    name: 'product-import',
    uid: 'u',
  };
  const pruned = (handmade: KubeObject): unknown => {
    world.put({ ...old, metadata: { ...old.metadata, ownerReferences: [owner] } }, handmade);
    const step = world.begin({ sync: { prune: true } }).next();
    return step.do === 'apply' && step.prune.flatMap(({ live, prune }) => [live?.metadata.name, prune.do]);
  };
  expect(pruned(revision('handmade'))).toEqual(['handmade', 'delete']);
  expect(world.compare().status).toBe('OutOfSync');
  const extraneous = { 'argocd.argoproj.io/compare-options': 'IgnoreExtraneous' };
  expect(pruned(revision('handmade', extraneous))).toEqual(['handmade', 'delete']);
  expect(world.compare().status).toBe('Synced');
  const kept = { 'argocd.argoproj.io/sync-options': 'Prune=false' };
  expect(pruned(revision('handmade', kept))).toEqual([]);
});
