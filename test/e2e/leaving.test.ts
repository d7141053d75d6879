import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { appOf, configMap, isSettled, type Plane, startPlane } from './in-process.ts';

// How applications go, and what is around them: orphans, projects, windows, settings and other namespaces.
let plane: Plane;
beforeAll(async () => {
  plane = await startPlane({ start: new Date('2026-06-03T10:00:00Z') });
});
afterAll(() => plane?.stop());

const text = (object: object): string => JSON.stringify(object);
const automated = {
  automated: { prune: true, selfHeal: true },
  syncOptions: ['CreateNamespace=true'],
};
const finalizers = ['resources-finalizer.argocd.argoproj.io'];
const held = (app: Application): Application => ({ ...app, metadata: { ...app.metadata, finalizers } });
const project = (name: string, spec: object): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace: 'argocd' },
  spec: {
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    ...spec,
  },
});
const refOf = (name: string, namespace = 'argocd') => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  namespace,
  name,
});
const settled = (name: string) => plane.untilApp(name, 'settled', isSettled);
const gone = (name: string) =>
  plane.until(
    `${name} is gone`,
    () => plane.find(refOf(name)),
    (found) => found === undefined,
  );
const condition = (type: string) => (app: Application) =>
  app.status?.conditions?.some((one) => one.type === type) === true;

async function namesIn(namespace: string): Promise<string[]> {
  const { items } = await plane.kube.list(plane.ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
}

test('deleted, an application takes along what it deployed, its hooks around, and leaves what is to be kept (A-30, A-31)', async () => {
  const hook = (name: string, type: string) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations: { 'argocd.argoproj.io/hook': type } },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/job:1.0' }] },
      },
    },
  });
  const kept = { annotations: { 'argocd.argoproj.io/sync-options': 'Delete=false' } };
  await plane.repository.commit({
    'leaves/gone.yaml': text(configMap('gone', { a: 'b' })),
    'leaves/kept.yaml': text(configMap('kept', { a: 'b' }, kept)),
    'leaves/helm.yaml': text(
      configMap('helm', { a: 'b' }, { annotations: { 'helm.sh/resource-policy': 'keep' } }),
    ),
    'leaves/before.yaml': text(hook('before', 'PreDelete')),
    'leaves/after.yaml': text(hook('after', 'PostDelete')),
  });
  await plane.apply(held(appOf(plane, 'leaves', { syncPolicy: automated })));
  const app = await settled('leaves');
  expect(app.metadata.finalizers?.toSorted()).toEqual([
    'post-delete-finalizer.argocd.argoproj.io',
    'post-delete-finalizer.argocd.argoproj.io/cleanup',
    'pre-delete-finalizer.argocd.argoproj.io',
    'pre-delete-finalizer.argocd.argoproj.io/cleanup',
    ...finalizers,
  ]);
  await plane.kube.delete(plane.ctx, refOf('leaves'));
  await gone('leaves');
  expect(await namesIn('leaves')).toEqual(['helm', 'kept']);
  const jobs = await plane.kube.list(plane.ctx, { apiVersion: 'batch/v1', kind: 'Job', namespace: 'leaves' });
  expect(jobs.items).toEqual([]);
});

test('without the finalizer only the application goes (A-29)', async () => {
  await plane.repository.commit({ 'alone/cm.yaml': text(configMap('cm', { a: 'b' })) });
  await plane.apply(appOf(plane, 'alone', { syncPolicy: automated }));
  await settled('alone');
  await plane.kube.delete(plane.ctx, refOf('alone'));
  await gone('alone');
  expect(await namesIn('alone')).toEqual(['cm']);
});

test('one whose cluster is not known any more goes, and says what it leaves behind (A-34, A-37)', async () => {
  await plane.apply(
    held(appOf(plane, 'lost', { destination: { server: 'https://gone.example', namespace: 'lost' } })),
  );
  await plane.untilApp('lost', 'invalid', condition('InvalidSpecError'));
  await plane.kube.delete(plane.ctx, refOf('lost'));
  await gone('lost');
  const { items } = await plane.kube.list(plane.ctx, {
    apiVersion: 'v1',
    kind: 'Event',
    namespace: 'argocd',
  });
  const told = items.filter((event) => JSON.stringify(event).includes('what it deployed there stays'));
  expect(told).toHaveLength(1);
});

test('one whose project is gone stays and says why, until there is one again (A-34)', async () => {
  await plane.repository.commit({ 'stuck/cm.yaml': text(configMap('cm', { a: 'b' })) });
  await plane.apply(
    project('passing', {}),
    held(appOf(plane, 'stuck', { project: 'passing', syncPolicy: automated })),
  );
  await settled('stuck');
  await plane.kube.delete(plane.ctx, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    namespace: 'argocd',
    name: 'passing',
  });
  await plane.kube.delete(plane.ctx, refOf('stuck'));
  const app = await plane.untilApp('stuck', 'told', condition('DeletionError'));
  expect(app.status?.conditions?.find(({ type }) => type === 'DeletionError')?.message).toContain('passing');
  await plane.apply(project('passing', {}));
  await gone('stuck');
  expect(await namesIn('stuck')).toEqual([]);
});

test('an orphan is told of when it comes, and no longer when it has gone (T-8)', async () => {
  await plane.repository.commit({ 'orphans/cm.yaml': text(configMap('cm', { a: 'b' })) });
  await plane.apply(
    project('watchful', { orphanedResources: { warn: true } }),
    appOf(plane, 'orphans', { project: 'watchful', syncPolicy: automated }),
  );
  await settled('orphans');
  const left = configMap('left', { by: 'hand' }, { namespace: 'orphans' });
  await plane.apply(left);
  await plane.untilApp('orphans', 'warned', condition('OrphanedResourceWarning'));
  await plane.kube.delete(plane.ctx, { ...left, ...left.metadata });
  await plane.untilApp('orphans', 'clear', (app) => !condition('OrphanedResourceWarning')(app));
});

test('a project that forbids from now on what was permitted is obeyed at once, and says what to change (P-9)', async () => {
  await plane.repository.commit({ 'fenced/cm.yaml': text(configMap('cm', { a: 'b' })) });
  await plane.apply(
    project('fence', {}),
    appOf(plane, 'fenced', { project: 'fence', syncPolicy: automated }),
  );
  await settled('fenced');
  await plane.apply(project('fence', { destinations: [{ server: '*', namespace: 'elsewhere' }] }));
  const app = await plane.untilApp('fenced', 'refused', condition('InvalidSpecError'));
  expect(app.status?.conditions?.[0]?.message).toMatch(/fence.*spec\.destinations/s);
  await plane.apply(project('fence', {}));
  await settled('fenced');
});

test('an automated sync waits for its window and begins when it opens (R-21, seed 002)', async () => {
  await plane.repository.commit({ 'office/cm.yaml': text(configMap('cm', { a: 'b' })) });
  const now = plane.ctx.clock.now();
  const opens = new Date(Math.ceil((now.getTime() + 60_000) / 60_000) * 60_000);
  const schedule = `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`;
  const window = { kind: 'allow', schedule, duration: '1h', applications: ['office'], manualSync: false };
  await plane.apply(
    project('hours', { syncWindows: [window] }),
    appOf(plane, 'office', { project: 'hours', syncPolicy: automated }),
  );
  await plane.untilApp('office', 'compared', ({ status }) => status?.sync?.status === 'OutOfSync');
  expect(plane.ctx.clock.now() < opens).toBe(true);
  const app = await settled('office');
  expect(Date.parse(app.status?.operationState?.startedAt ?? '')).toBeGreaterThanOrEqual(opens.getTime());
});

test('an application of another namespace is looked at when the settings and its project say so, and goes by both names (A-3, P-23)', async () => {
  await plane.repository.commit({ 'team/cm.yaml': text(configMap('cm', { a: 'b' })) });
  const app = appOf(plane, 'team', { project: 'guests', syncPolicy: automated });
  const there = { ...app, metadata: { ...app.metadata, namespace: 'team-a' } };
  await plane.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } },
    project('guests', {}),
    there,
  );
  await plane.pass(5000);
  expect((await plane.app('team', 'team-a')).status).toBeUndefined();
  const params = configMap(
    'argocd-cmd-params-cm',
    { 'application.namespaces': 'team-*' },
    { namespace: 'argocd' },
  );
  await plane.apply(params);
  const seen = () => plane.app('team', 'team-a');
  const refused = await plane.until('it is refused', seen, condition('UnknownError'));
  expect(refused.status?.conditions?.[0]?.message).toContain('sourceNamespaces');
  await plane.apply(project('guests', { sourceNamespaces: ['team-a'] }));
  await plane.until('it is settled', seen, isSettled);
  const [cm] = (
    await plane.kube.list(plane.ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team' })
  ).items.filter(({ metadata }) => metadata.name === 'cm');
  expect(cm?.metadata.annotations?.['argocd.argoproj.io/tracking-id']).toBe('team-a_team:/ConfigMap:team/cm');
});
