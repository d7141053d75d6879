import { expect, test } from 'vitest';
import {
  type Application,
  type AppProject,
  destinationProblem,
  type KubeObject,
  type OperationState,
  type ProjectSpec,
  sourceProblems,
  syncWaveOf,
} from '#base/model';
import {
  denyDestination,
  denyKind,
  denySource,
  Enforcer,
  finish,
  health,
  historyAfter,
  operationOptions,
  projectProblems,
  readRbacConfig,
} from '#engine';
import { fragment, manifest, manifests } from './documents.ts';
import { application, done, Installation, run, told } from './installation.ts';

// "Argo CD Core Model": the two questions it keeps apart, and the boundaries it draws
const web = (image = 'web:1'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'd', generation: 1 },
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'web', image }] } } },
});
const stuck = {
  observedGeneration: 1,
  conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
};

test.each([
  ['Synced', 'Healthy', 'web:1', undefined],
  ['Synced', 'Degraded', 'web:1', stuck],
  ['OutOfSync', 'Healthy', 'web:hotfix', undefined],
  ['OutOfSync', 'Degraded', 'web:hotfix', stuck],
])('%s and %s are answers to two questions', (sync, code, image, status) => {
  const world = new Installation(application(), [web()]);
  run(world);
  for (const live of [...world.live.values()]) world.put({ ...live, spec: web(image).spec } as KubeObject);
  if (status) world.report('web', status);
  const compared = world.compare();
  expect([compared.status, compared.health.status]).toEqual([sync, code]);
});

test('what cannot be compared is Unknown', () => {
  const broken = [{ group: 'apps', kind: 'Deployment', jqPathExpressions: ['.spec['] }];
  const world = new Installation(application({ ignoreDifferences: broken }), [web()]).put(web());
  const { status, conditions } = world.compare();
  expect(status).toBe('Unknown');
  expect(conditions.map(({ type }) => type)).toEqual(['ComparisonError']);
});

test.each(['004/source-git.yaml', '004/source-helm.yaml', '004/source-oci.yaml'])(
  '%s is a source',
  (file) => {
    const { source } = fragment<Pick<Application['spec'], 'source'>>(file);
    expect(sourceProblems({ ...application().spec, ...(source && { source }) })).toEqual([]);
  },
);

test.each(['004/destination-server.yaml', '004/destination-name.yaml'])('%s is a destination', (file) => {
  const { destination } = fragment<Pick<Application['spec'], 'destination'>>(file);
  expect(destinationProblem(destination)).toBeUndefined();
});

const payments = manifest<AppProject>('004/project-payments.yaml');
const here = 'https://kubernetes.default.svc';

test.each([
  ['https://github.com/example/platform-live.git', true],
  ['https://github.com/example/platform-live', true],
  ['https://github.com/example/payments-api.git', true],
  ['https://github.com/example/unreviewed.git', false],
])('payments reads %s: %s', (url, wanted) => {
  expect(denySource(payments, url) === undefined).toBe(wanted);
});

test.each([
  [here, 'payments-prod', true],
  [here, 'payments-', true],
  [here, 'risk-prod', false],
  ['https://other.example', 'payments-prod', false],
])('payments deploys to %s %s: %s', (server, namespace, wanted) => {
  expect(denyDestination(payments, { server, name: '', namespace }) === undefined).toBe(wanted);
});

test.each([
  ['apps', 'Deployment', true, true],
  ['', 'Service', true, true],
  ['networking.k8s.io', 'Ingress', true, true],
  ['apps', 'StatefulSet', true, false],
  ['', 'Secret', true, false],
  ['', 'Namespace', false, true],
  ['rbac.authorization.k8s.io', 'ClusterRole', false, false],
  ['rbac.authorization.k8s.io', 'ClusterRoleBinding', false, false],
  ['apiextensions.k8s.io', 'CustomResourceDefinition', false, false],
  ['admissionregistration.k8s.io', 'ValidatingWebhookConfiguration', false, false],
  ['storage.k8s.io', 'StorageClass', false, false],
])('payments deploys %s/%s, namespaced %s: %s (P-14)', (group, kind, namespaced, wanted) => {
  expect(denyKind(payments, { group, kind, name: 'x' }, namespaced) === undefined).toBe(wanted);
});

test('its deployers sync what is theirs, and do nothing else', () => {
  expect(projectProblems(payments)).toEqual([]);
  const judge = new Enforcer({
    ...readRbacConfig({}),
    projectNamed: (name) => (name === 'payments' ? payments : undefined),
  });
  const who = { user: 'jane', groups: ['payments-platform-deployers'], isLocal: false };
  const may = (action: string, object: string) =>
    judge.judge(who, { resource: 'applications', action, object }).allowed;
  expect(may('sync', 'payments/payments-api-prod')).toBe(true);
  expect(may('delete', 'payments/payments-api-prod')).toBe(false);
  expect(may('sync', 'risk/api')).toBe(false);
});

const withSpec = (file: string): AppProject => ({ ...payments, spec: fragment<ProjectSpec>(file) });

test.each([
  ['good', false, 'payments-prod'],
  ['bounded', false, 'payments-prod payments-dev'],
  ['risky', true, 'payments-prod payments-dev kube-system'],
])('destinations that are %s reach another cluster: %s; namespaces: %s', (name, elsewhere, namespaces) => {
  const project = withSpec(`004/destinations-${name}.yaml`);
  const reaches = (server: string, namespace: string) =>
    denyDestination(project, { server, name: '', namespace }) === undefined;
  expect(reaches('https://other.example', 'payments-prod')).toBe(elsewhere);
  const all = ['payments-prod', 'payments-dev', 'kube-system'];
  expect(all.filter((namespace) => reaches(here, namespace)).join(' ')).toBe(namespaces);
});

test('a list of repositories keeps others out, the wildcard nobody', () => {
  const url = 'https://github.com/example/unreviewed.git';
  expect(denySource(withSpec('004/source-repos-good.yaml'), url)).toContain('add it to spec.sourceRepos');
  expect(denySource(withSpec('004/source-repos-risky.yaml'), url)).toBeUndefined();
});

const appWith = (file: string): Application => {
  const { syncPolicy } = fragment<Pick<Application['spec'], 'syncPolicy'>>(file);
  return application(syncPolicy && { syncPolicy });
};

test('sync options are semantics: each of the document’s is known, and read', () => {
  expect(operationOptions(appWith('004/sync-options.yaml'))).toMatchObject({
    createNamespace: true,
    propagation: 'foreground',
    pruneLast: true,
    applyOutOfSyncOnly: true,
    unknown: [],
  });
  expect(operationOptions(appWith('004/sync-policy.yaml')).unknown).toEqual([]);
});

test('PruneLast: the new object is there before the old one goes', () => {
  const old: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'old',
      namespace: 'd',
      annotations: { 'argocd.argoproj.io/tracking-id': 'app:/Service:d/old' },
    },
  };
  const { metadata } = fragment<Pick<KubeObject, 'metadata'>>('004/sync-wave.yaml');
  const late = { ...web(), metadata: { ...web().metadata, ...metadata } };
  expect(syncWaveOf(late)).toBe(10);
  const world = new Installation(appWith('004/sync-options.yaml'), [late]).put(old);
  const steps = run(world.begin({ sync: { prune: true } }));
  expect(steps.slice(-3)).toEqual(['Sync 10: web', 'Sync 11: , prune old', 'Succeeded']);
});

test('the migration runs before the Deployment, and is deleted after the sync', () => {
  const world = new Installation(application(), [web(), ...manifests('004/hook-migration.yaml')]);
  expect(run(world)).toEqual([
    'PreSync 0: payments-db-migration',
    'release payments-db-migration',
    'Sync 0: web',
    'delete payments-db-migration',
    'Succeeded',
  ]);
});

const names = (world: Installation) => [...world.live.values()].map(({ metadata }) => metadata.name);

test('one owner: an object of another application is told, and moves when its new one syncs it (X-16)', () => {
  const source = new Installation(application({}, 'source'), [web()]);
  run(source);
  const destination = new Installation(application({}, 'destination'), [web()]).put(...source.live.values());
  expect(destination.compare().conditions.map(({ type }) => type)).toEqual(['SharedResourceWarning']);

  // taken out of the source too early, it would be pruned there
  const early = new Installation(source.app, []).put(...source.live.values());
  expect(told(early.begin({ sync: { prune: true } }).next())).toContain('prune web');

  run(destination);
  expect(destination.compare().conditions).toEqual([]);
  const late = new Installation(source.app, []).put(...destination.live.values());
  expect(late.compare().resources).toEqual([]);
  run(late.begin({ sync: { prune: true } }));
  expect(names(late)).toEqual(['web']);
});

test('the root of the document declares its child, and does not wait for it by itself (X-1)', () => {
  const root = manifest<Application>('004/app-of-apps-root.yaml');
  const world = new Installation(root, manifests('004/app-of-apps-child.yaml'));
  expect(run(world)).toEqual(['Sync 0: payments-api-prod', 'Succeeded']);
  expect(world.compare()).toMatchObject({ status: 'Synced', health: { status: 'Healthy' } });
});

const endpoint = (apiVersion: string, kind: string, spec: object, status?: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', namespace: 'd' },
  spec: { ...spec },
  ...(status && { status: { ...status } }),
});

test.each([
  ['an Ingress without an address', endpoint('networking.k8s.io/v1', 'Ingress', {}), 'Progressing'],
  [
    'an Ingress with one',
    endpoint('networking.k8s.io/v1', 'Ingress', {}, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }),
    'Healthy',
  ],
  ['a Service, endpoints or not', endpoint('v1', 'Service', { type: 'ClusterIP' }), 'Healthy'],
  ['a LoadBalancer without an address', endpoint('v1', 'Service', { type: 'LoadBalancer' }), 'Progressing'],
])('%s is judged: %# (X-51)', (_, object, wanted) => {
  expect(health(object)?.status).toBe(wanted);
});

test.each([
  ['a default of Kubernetes', { protocol: 'TCP', containerPort: 80 }, 'web:1', 'Synced'],
  ['an unauthorized image', { containerPort: 80 }, 'web:handmade', 'OutOfSync'],
])('noise is told from drift: %s', (_, port, image, wanted) => {
  const withPort = (object: KubeObject, ports: object[], of: string) => ({
    ...object,
    spec: { replicas: 1, template: { spec: { containers: [{ name: 'web', image: of, ports }] } } },
  });
  const world = new Installation(application(), [withPort(web(), [{ containerPort: 80 }], 'web:1')]);
  world.take(world.next());
  done(world);
  for (const live of [...world.live.values()]) world.put(withPort(live, [port], image));
  expect(world.compare().status).toBe(wanted);
});

test('evidence: history keeps the revision, the time and who began it (X-18)', () => {
  const app = manifest<Application>('004/app-payments-api.yaml');
  const state: OperationState = {
    operation: { sync: { revision: 'abc' }, initiatedBy: { username: 'jane' } },
    phase: 'Running',
    startedAt: '2026-06-03T10:00:00Z',
    syncResult: { revision: 'abc', ...(app.spec.source && { source: app.spec.source }), resources: [] },
  };
  const ended = finish(
    state,
    { phase: 'Succeeded', message: 'all tasks run' },
    new Date('2026-06-03T10:00:09Z'),
  );
  expect(ended).toMatchObject({
    phase: 'Succeeded',
    finishedAt: '2026-06-03T10:00:09Z',
    message: 'all tasks run',
  });
  expect(historyAfter({ ...app, status: { operationState: ended } }, ended)?.at(-1)).toMatchObject({
    revision: 'abc',
    initiatedBy: { username: 'jane' },
  });
});
