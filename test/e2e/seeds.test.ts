import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import type { GitRepositoryFixture } from '../git-repository.ts';
import { isSettled } from './fairlead.ts';
import { namespace, type Seeds, startSeeds } from './seeds.ts';

// "GitOps with ArgoCD" and the reference of its terms, typed in as they stand, on the embedded cluster or on that of
// FAIRLEAD_TEST_KUBECONFIG: every Application and project that they print, and what they promise will happen.
let seeds: Seeds;
let manifests: GitRepositoryFixture;
let live: GitRepositoryFixture;

const kustomization = (fields: object): string => JSON.stringify(fields);
const until = (name: string, what: string, isSo: (app: Application) => boolean) =>
  seeds.fairlead.until(name, what, isSo);
const settled = (name: string) => until(name, 'settled', isSettled);
const conditionsOf = ({ status }: Application) => (status?.conditions ?? []).map((one) => one.message).join();
const rowsOf = ({ status }: Application): string[] =>
  (status?.operationState?.syncResult?.resources ?? []).map(
    ({ kind, name, hookPhase, syncPhase }) => `${syncPhase} ${kind} ${name} ${hookPhase}`,
  );

beforeAll(async () => {
  seeds = await startSeeds();
  manifests = await seeds.repository('your-org/my-app-manifests');
  const base = ['hello-world', 'hook-migrate', 'hook-smoke-test', 'hook-notify'];
  await manifests.commit({
    ...Object.fromEntries(base.map((name) => [`k8s/base/${name}.yaml`, seeds.text(`002/${name}.yaml`)])),
    'k8s/base/kustomization.yaml': kustomization({ resources: base.map((name) => `${name}.yaml`) }),
    ...Object.fromEntries(
      ['dev', 'staging', 'prod'].map((name) => [
        `k8s/overlays/${name}/kustomization.yaml`,
        kustomization({ resources: ['../../base'] }),
      ]),
    ),
  });
  live = await seeds.repository('example/platform-live.git');
  for (const name of ['my-app-dev', 'my-app-staging', 'my-app-prod']) await seeds.apply(...furnished(name));
});
afterAll(() => seeds?.stop());

/** A namespace with the secrets that the hooks of the document ask for. */
const furnished = (name: string): object[] => [
  namespace(name),
  secret(name, 'app-secrets', { 'database-url': 'postgres://db' }),
  secret(name, 'notification-secrets', { 'slack-webhook-url': 'https://hooks.example.com' }),
];
const secret = (inside: string, name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: inside },
  stringData,
});

test('002: an Application with its whole hook lifecycle: migration, rollout, smoke test (X-35, S-9)', async () => {
  await seeds.apply(seeds.text('002/app-basic.yaml'));
  const app = await settled('my-app');
  expect(rowsOf(app)).toEqual([
    'PreSync Job db-migrate Succeeded',
    expect.stringMatching(/^Sync Service hello-world-service /),
    expect.stringMatching(/^Sync Deployment hello-world /),
    'PostSync Job smoke-test Succeeded',
  ]);
  // BeforeHookCreation leaves the one, HookSucceeded takes the other, and nobody called for help
  expect(await seeds.kubectl('get', 'jobs', '-n', 'my-app-prod', '-o', 'name')).toBe(
    'job.batch/db-migrate\n',
  );
});

test('002: drift that an HPA makes is ignored where the Application says so, and healed where not', async () => {
  const scale = (to: number) =>
    seeds.kubectl('scale', 'deployment/hello-world', '-n', 'my-app-prod', `--replicas=${to}`);
  const replicas = (count: number) =>
    seeds.kubectl(
      ...['wait', 'deployment/hello-world', '-n', 'my-app-prod', '--timeout=30s'],
      `--for=jsonpath={.spec.replicas}=${count}`,
    );
  await scale(3);
  await replicas(1);
  await seeds.kubectl(
    ...['patch', 'application/my-app', '-n', 'argocd', '--type=merge', '-p'],
    JSON.stringify({
      spec: {
        ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }],
      },
    }),
  );
  await scale(3);
  await manifests.commit({ 'README.md': 'nothing that is deployed' });
  await seeds.cli('app', 'get', 'my-app', '--refresh');
  const app = await settled('my-app');
  expect(app.status?.resources?.flatMap(({ hook, status }) => (hook ? [] : status))).toEqual([
    'Synced',
    'Synced',
  ]);
  await replicas(3);
});

test('002: deleted with --cascade, it leaves nothing behind', async () => {
  await seeds.cli('app', 'delete', 'my-app', '--cascade', '--yes');
  await seeds.kubectl('wait', '--for=delete', 'application/my-app', '-n', 'argocd', '--timeout=60s');
  expect(await seeds.kubectl('get', 'deployment,service', '-n', 'my-app-prod', '-o', 'name')).toBe('');
});

test('002: the wrong group is answered with the right one, and with it all three environments come up (X-21)', async () => {
  const wrong = seeds.text('002/apps-by-environment.yaml');
  const answer = await seeds.fairlead.apply(wrong);
  expect(answer.stderr).toContain('no matches for kind "Application" in version "argocd.io/v1alpha1"');
  await seeds.apply(wrong.replaceAll('argocd.io/', 'argoproj.io/'));
  await Promise.all(['my-app-dev', 'my-app-staging', 'my-app-prod'].map(settled));
  const deployments = await seeds.kubectl(
    'get',
    'deployments',
    '-A',
    '-o',
    'jsonpath={..metadata.namespace}',
  );
  expect(deployments).toContain('my-app-dev my-app-prod my-app-staging');
});

test('002: an Application with two destinations is refused with what to write instead (X-20)', async () => {
  const { code, stderr } = await seeds.fairlead.apply(seeds.text('002/app-many-destinations.yaml'));
  expect(code).toBe(1);
  expect(stderr).toContain('an ApplicationSet with a list generator');
});

test('002: a chart with a value file and parameters (X-35)', async () => {
  const chart = await seeds.repository('your-org/my-app-chart');
  const deployment = seeds
    .text('002/hello-world.yaml')
    .replace('replicas: 1', 'replicas: {{ .Values.replicaCount }}')
    .replace('nginx:latest', 'nginx:{{ .Values.image.tag }}')
    .replaceAll('hello-world', 'from-chart');
  await chart.commit({
    'k8s/base/Chart.yaml': 'apiVersion: v2\nname: my-app\nversion: 1.0.0\n',
    'k8s/base/values.yaml': 'replicaCount: 1\nimage: { tag: latest }\n',
    'k8s/base/values-prod.yaml': 'replicaCount: 2\n',
    'k8s/base/templates/all.yaml': deployment,
  });
  const text = seeds.text('002/app-parameterized.yaml').replace('argocd.io/', 'argoproj.io/');
  await seeds.apply(text.replace('my-app-manifests', 'my-app-chart'));
  await settled('my-app-parameterized');
  const path = '{.spec.replicas} {..image}';
  expect(
    await seeds.kubectl('get', 'deployment/from-chart', '-n', 'my-app-prod', '-o', `jsonpath=${path}`),
  ).toBe('3 nginx:v1.2.3');
});

const ofTeam = (name: string, destination: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'team-payments',
    source: {
      repoURL: 'https://github.com/your-org/payments-manifests',
      path: 'api',
      targetRevision: 'HEAD',
    },
    destination: { server: 'https://kubernetes.default.svc', namespace: destination },
    syncPolicy: { automated: {} },
  },
});

test('002: a project keeps its team where it belongs, and names what it refuses (X-24, P-8, P-10, P-12)', async () => {
  const repository = await seeds.repository('your-org/payments-manifests');
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'all' },
    spec: { hard: { pods: '9' } },
  };
  await repository.commit({ 'api/web.yaml': seeds.text('002/hello-world.yaml') });
  await seeds.apply(seeds.text('002/project-payments.yaml'), namespace('payments-dev'));
  const here = (app: object) => JSON.stringify(app).replaceAll('https://github.com/', repositories());
  await seeds.apply(here(ofTeam('payments', 'payments-dev')), here(ofTeam('payments-out', 'kube-system')));
  await settled('payments');
  const out = await until('payments-out', 'refused', (app) => conditionsOf(app) !== '');
  expect(conditionsOf(out)).toContain(
    'project team-payments does not permit namespace "kube-system" on in-cluster; add it to spec.destinations',
  );
  await repository.commit({ 'api/quota.yaml': JSON.stringify(quota) });
  await until('payments', 'told why not', ({ status }) =>
    JSON.stringify(status ?? {}).includes(
      'project team-payments denies core/ResourceQuota by spec.namespaceResourceBlacklist',
    ),
  );
});

const repositories = () => `file://${manifests.dir.replace(/your-org\/.*/, '')}`;

test('004: the first Application makes its namespace, and heals what somebody changes by hand', async () => {
  const names = ['deployment', 'service'];
  const [deployment, service] = seeds.text('002/hello-world.yaml').split('---\n');
  await live.commit({
    'apps/payments-api/overlays/prod/deployment.yaml': deployment ?? '',
    'apps/payments-api/overlays/prod/service.yaml': service ?? '',
    'apps/payments-api/overlays/prod/kustomization.yaml': kustomization({
      resources: names.map((name) => `${name}.yaml`),
    }),
  });
  await seeds.apply(seeds.text('004/project-payments.yaml'), seeds.text('004/app-payments-api.yaml'));
  await settled('payments-api-prod');
  await seeds.kubectl('delete', 'deployment/hello-world', '-n', 'payments-prod');
  await seeds.kubectl(
    'wait',
    '--for=create',
    'deployment/hello-world',
    '-n',
    'payments-prod',
    '--timeout=30s',
  );
  await settled('payments-api-prod');
});

test('004: a rollback is refused while syncs are automatic, and goes back to what history says when not', async () => {
  const image = '{.spec.template.spec.containers[0].image}';
  const imageOf = () =>
    seeds.kubectl('get', 'deployment/hello-world', '-n', 'payments-prod', '-o', `jsonpath=${image}`);
  const [deployment = ''] = seeds.text('002/hello-world.yaml').split('---\n');
  const next = deployment.replace('nginx:latest', 'nginx:1.29');
  const commit = await live.commit({ 'apps/payments-api/overlays/prod/deployment.yaml': next });
  await until(
    'payments-api-prod',
    'at the new commit',
    (app) => isSettled(app) && app.status?.sync?.revision === commit,
  );
  expect(await imageOf()).toBe('nginx:1.29');
  const refused = await seeds.fairlead.cli('app', 'rollback', 'payments-api-prod', '0');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/auto-sync is enabled/i);
  const manual = JSON.stringify({ spec: { syncPolicy: { automated: null } } });
  await seeds.kubectl(
    ...['patch', 'application/payments-api-prod', '-n', 'argocd', '--type=merge', '-p', manual],
  );
  await seeds.cli('app', 'rollback', 'payments-api-prod', '0');
  expect(await imageOf()).toBe('nginx:latest');
  await until('payments-api-prod', 'behind', ({ status }) => status?.sync?.status === 'OutOfSync');
});

test('004: kinds that the project does not list are refused by name, a migration hook too', async () => {
  await live.commit({
    'apps/payments-api/overlays/prod/migration.yaml': seeds.text('004/hook-migration.yaml'),
    'apps/payments-api/overlays/prod/kustomization.yaml': kustomization({
      resources: ['deployment.yaml', 'service.yaml', 'migration.yaml'],
    }),
  });
  const { code, stdout, stderr } = await seeds.fairlead.cli('app', 'sync', 'payments-api-prod');
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain(
    'project payments does not permit batch/Job; add it to spec.namespaceResourceWhitelist',
  );
  await seeds.cli('app', 'delete', 'payments-api-prod', '--cascade', '--yes');
  await seeds.kubectl(
    'wait',
    '--for=delete',
    'application/payments-api-prod',
    '-n',
    'argocd',
    '--timeout=60s',
  );
});

test('004: an app of apps makes its children, and each is synced by itself', async () => {
  const child = seeds.text('004/app-of-apps-child.yaml');
  await live.commit({
    'clusters/prod/apps/payments.yaml': child,
    'clusters/prod/payments/api/web.yaml': seeds.text('002/hello-world.yaml'),
  });
  const platform = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };
  const project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'platform', namespace: 'argocd' },
    spec: platform,
  };
  await seeds.apply(project, seeds.text('004/app-of-apps-root.yaml'));
  await seeds.cli('app', 'sync', 'cluster-prod-root');
  await until('payments-api-prod', 'seen', ({ status }) => status?.sync?.status === 'OutOfSync');
  await seeds.cli('app', 'sync', 'payments-api-prod');
  await seeds.cli('app', 'wait', 'payments-api-prod', '--sync', '--health', '--timeout', '60');
  await settled('cluster-prod-root');
});

test('003: one manifest brings up the platform of examples/bootstrap, wave after wave (X-1, X-5)', async () => {
  const platform = await seeds.repository('your-org/platform');
  const folder = join(import.meta.dirname, '../../examples/bootstrap');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.yaml'),
  );
  const text = (path: string) =>
    readFileSync(join(folder, path), 'utf8').replaceAll(
      'https://git.example/platform.git',
      `file://${platform.dir}`,
    );
  await platform.commit(Object.fromEntries(paths.map((path) => [path, text(path)])));
  await seeds.apply(text('apps/root.yaml'));
  const root = await settled('root');
  const kinds = root.status?.resources?.map(({ kind }) => kind) ?? [];
  expect(kinds.filter((kind) => kind === 'Application').length).toBeGreaterThan(10);
  expect(root.status?.resources?.filter(({ status }) => status !== 'Synced')).toEqual([]);
});
