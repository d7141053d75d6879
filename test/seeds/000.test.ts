import { expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { targetWarnings } from '#engine/doctor';
import { fragment, manifest } from './documents.ts';
import { application, Installation } from './installation.ts';

// "Making Argo CD and Knative Services Play Nicely": what Git owns is compared, what Knative owns is left alone
const { ignoreDifferences } = fragment<Pick<Application['spec'], 'ignoreDifferences'>>(
  '000/ignore-differences.yaml',
);
const { syncPolicy } = fragment<Pick<Application['spec'], 'syncPolicy'>>('000/sync-policy.yaml');
const probes = fragment<Record<string, unknown>>('000/probes.yaml');
const quiet = application({
  ...(ignoreDifferences && { ignoreDifferences }),
  ...(syncPolicy && { syncPolicy }),
});

type Service = KubeObject<{
  template: { spec: { containers: Record<string, unknown>[] } };
  traffic?: Record<string, unknown>[];
}>;

const service = (container: Record<string, unknown> = {}): Service => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'agent', namespace: 'd' },
  spec: { template: { spec: { containers: [{ image: 'registry.example.com/agent:v1', ...container }] } } },
});

const traffic = [
  { revisionName: 'agent-00001', percent: 80 },
  { revisionName: 'agent-00002', percent: 20 },
];

/** As Knative keeps it: the first sync of `git`, then everything that only the cluster knows. */
function rolledOut(app: Application, git: Service): Installation {
  const first = new Installation(app, [git]);
  first.take(first.next());
  const [live] = [...first.live.values()] as Service[];
  if (!live?.spec) throw new Error('nothing was applied');
  const annotations = {
    ...live.metadata.annotations,
    'serving.knative.dev/creator': 'system:serviceaccount:argocd:controller',
    'serving.knative.dev/lastModifier': 'system:serviceaccount:knative:autoscaler',
  };
  return first.put({
    ...live,
    metadata: { ...live.metadata, annotations },
    spec: { ...live.spec, traffic },
    status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'RolloutInProgress' }] },
  } as KubeObject);
}

const paths = (installation: Installation) =>
  installation.compare().resources.flatMap(({ diff }) => diff.fields.map(({ path }) => path));

test('what only Knative writes is no drift, with the rules or without them (X-6, X-42)', () => {
  for (const app of [quiet, application()]) expect(rolledOut(app, service()).compare().status).toBe('Synced');
});

test('traffic that Git declares is drift, unless the rules of the document leave it to Knative (X-6)', () => {
  const spec = { ...service().spec, traffic: [{ latestRevision: true, percent: 100 }] } as Service['spec'];
  const declared = { ...service(), spec } as Service;
  expect(rolledOut(application(), declared).compare().status).toBe('OutOfSync');
  expect(rolledOut(quiet, declared).compare().status).toBe('Synced');
});

test('a sync brings the new image and keeps the traffic and the annotations of the cluster (X-7, D-30)', () => {
  const world = rolledOut(quiet, service());
  const next = new Installation(quiet, [service({ image: 'registry.example.com/agent:v2' })]);
  next.put(...world.live.values());
  expect(next.compare().status).toBe('OutOfSync');
  const step = next.next();
  const [task] = step.do === 'apply' ? step.groups.flat() : [];
  expect(task?.mode.verb).toBe('server-side-apply');
  expect(task?.target).toMatchObject({
    metadata: {
      annotations: { 'serving.knative.dev/lastModifier': 'system:serviceaccount:knative:autoscaler' },
    },
    spec: { template: { spec: { containers: [{ image: 'registry.example.com/agent:v2' }] } }, traffic },
  });
  expect(task?.target).not.toHaveProperty('status');
});

test('real drift is still told: somebody else’s image', () => {
  const world = rolledOut(quiet, service());
  for (const live of [...world.live.values()]) {
    world.put({
      ...live,
      spec: service({ image: 'registry.example.com/agent:handmade' }).spec,
    } as KubeObject);
  }
  expect(paths(world)).toEqual(['/spec/template/spec/containers/0/image']);
});

test('the probes of the document are fine; a startup probe without a port is warned of (X-9)', () => {
  const warningsOn = (target: KubeObject) => targetWarnings([target]);
  expect(warningsOn(service(probes))).toEqual([]);
  const portless = Object.fromEntries(
    Object.entries(probes).map(([name, probe]) => [
      name,
      { ...Object(probe), httpGet: { path: '/healthz' } },
    ]),
  );
  const warnings = warningsOn(service(portless));
  expect(warnings).toEqual([expect.stringMatching(/startupProbe.*set startupProbe\.httpGet\.port to \d+/)]);
});

test('1000m in Git and 1 in the cluster are the same (X-8)', () => {
  const resources = (cpu: string) => ({ resources: { limits: { cpu } } });
  const world = rolledOut(quiet, service(resources('1000m')));
  for (const live of [...world.live.values()]) {
    world.put({ ...live, spec: service(resources('1')).spec } as KubeObject);
  }
  expect(world.compare().status).toBe('Synced');
});

test('a duration of its own for one service is an annotation like any other', () => {
  const { metadata } = fragment<Pick<KubeObject, 'metadata'>>('000/rollout-duration.yaml');
  const slow = { ...service(), metadata: { ...service().metadata, ...metadata } };
  const world = rolledOut(quiet, service());
  const next = new Installation(quiet, [slow]).put(...world.live.values());
  expect(paths(next)).toEqual(['/metadata/annotations/serving.knative.dev~1rollout-duration']);
});

test('whoever ignores traffic and declares it all the same is told (X-43)', () => {
  const blueGreen = new Installation(quiet, [manifest('001/blue-green.yaml')]);
  expect(blueGreen.compare().hints.join()).toContain(
    'declares spec.traffic, which an ignore rule leaves out',
  );
});
