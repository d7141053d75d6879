import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Application, ApplicationSet } from '#base/model';
import { parse } from '#lang/yaml';
import type { GitRepositoryFixture } from '../git-repository.ts';
import { namespace, type Seeds, startSeeds } from './seeds.ts';

// Every ApplicationSet of the users' documents, as printed but for the URLs of repositories, on the embedded cluster or on
// that of FAIRLEAD_TEST_KUBECONFIG: it generates what the text around it promises.
let seeds: Seeds;
let manifests: GitRepositoryFixture;

const local = 'https://kubernetes.default.svc';

beforeAll(async () => {
  seeds = await startSeeds();
  manifests = await seeds.repository('your-org/my-app-manifests');
  await manifests.commit({
    ...Object.fromEntries(
      ['dev', 'staging', 'prod'].map((name) => [`k8s/overlays/${name}/config.yaml`, configMap(name)]),
    ),
    'k8s/base/config.yaml': configMap('base'),
  });
  await seeds.apply(
    seeds.text('002/cluster-secrets.yaml').replaceAll('{ "bearerToken": "..." }', '{}'),
    ...['production', 'payments'].map(project),
    ...['eu-west', 'ap-south'].map((region) =>
      cluster(`prod-${region}`, { env: 'production', region, tier: 'prod' }),
    ),
    cluster('prod-cluster', {}, 'https://prod-cluster.example.com'),
    ...['us', 'eu'].map((region) => cluster(`payments-${region}`, {}, `https://prod-${region}.example`)),
    namespace('my-app-dev'),
  );
});
afterAll(() => seeds?.stop());

/** Sets of different documents generate the same names: each is deleted with its applications before the next. */
afterEach(async () => {
  await seeds.kubectl('delete', 'applicationsets', '-n', 'argocd', '--all', '--timeout=60s');
  const strip = JSON.stringify({ metadata: { finalizers: null } });
  for (const { metadata } of await applications())
    await seeds.fairlead.kubectl(
      'patch',
      'application',
      metadata.name,
      '-n',
      'argocd',
      '--type=merge',
      '-p',
      strip,
    );
  await until('no application is left', applications, (all) => all.length === 0);
});

const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `my-app-${name}` } });

const project = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace: 'argocd' },
  spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
});

const cluster = (
  name: string,
  labels: Record<string, string>,
  server = `https://${name}.example.com:6443`,
) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'argocd', labels: { ...labels, 'argocd.argoproj.io/secret-type': 'cluster' } },
  stringData: { name, server, config: '{}' },
});

/** Those of sets: on a real cluster the documents before this one have left applications of their own. */
const applications = async (): Promise<Application[]> => {
  const list = await seeds.kubectl('get', 'applications', '-n', 'argocd', '-o', 'json');
  const { items } = JSON.parse(list) as { items: Application[] };
  return items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'ApplicationSet'),
  );
};

async function until<T>(what: string, find: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await find();
    if (isSo(found)) return found;
    if (tries > 100) throw new Error(`it was never so that ${what}: ${JSON.stringify(found, null, 1)}`);
    await sleep(200);
  }
}

/** Applies a set and returns its applications by name, when its status reports that they are up to date. */
async function generated(text: string): Promise<Map<string, Application>> {
  const { metadata } = parse(text, { name: 'set' }) as ApplicationSet;
  await seeds.apply(text);
  const find = async () =>
    JSON.parse(
      await seeds.kubectl('get', 'applicationset', metadata.name, '-n', 'argocd', '-o', 'json'),
    ) as ApplicationSet;
  const isDone = ({ status }: ApplicationSet): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'ResourcesUpToDate' && is === 'True') ===
    true;
  const set = await until(`${metadata.name} is up to date`, find, isDone);
  const all = new Map((await applications()).map((app) => [app.metadata.name, app]));
  expect(set.status?.resources?.map(({ name }) => name)).toEqual([...all.keys()].sort());
  return all;
}

const sourceOf = (app: Application | undefined) => app?.spec.source;

test('002: a list of environments, each with its folder, cluster and namespace', async () => {
  const apps = await generated(seeds.text('002/appset-list.yaml'));
  expect([...apps.keys()]).toEqual(['my-app-dev', 'my-app-prod', 'my-app-staging']);
  expect(apps.get('my-app-prod')?.spec).toMatchObject({
    source: { path: 'k8s/overlays/prod' },
    destination: { server: 'https://prod-cluster.example.com', namespace: 'my-app-prod' },
  });
  expect(apps.get('my-app-dev')?.spec.destination).toEqual({ server: local, namespace: 'my-app-dev' });
});

test('002: one application for each folder; a new folder is a new application, a removed one takes it away', async () => {
  const apps = await generated(seeds.text('002/appset-git.yaml'));
  expect([...apps.keys()]).toEqual(['my-app-dev', 'my-app-prod', 'my-app-staging']);
  await manifests.commit({ 'k8s/overlays/qa/config.yaml': configMap('qa') });
  await until('there is an application for qa', applications, (all) =>
    all.some(({ metadata }) => metadata.name === 'my-app-qa'),
  );
  await manifests.commit({ 'k8s/overlays/qa/config.yaml': undefined });
  await until('the application for qa is deleted', applications, (all) =>
    all.every(({ metadata }) => metadata.name !== 'my-app-qa'),
  );
});

test('002: one application for each cluster with a label', async () => {
  const apps = await generated(seeds.text('002/appset-clusters.yaml'));
  expect([...apps.keys()]).toEqual(['my-app-prod-ap-south', 'my-app-prod-eu-west', 'my-app-prod-us-east']);
  expect(apps.get('my-app-prod-eu-west')?.spec.destination.server).toBe(
    'https://prod-eu-west.example.com:6443',
  );
});

test('002: the labels of a cluster choose its value files and parameters', async () => {
  const apps = await generated(seeds.text('002/appset-cluster-values.yaml'));
  const app = apps.get('my-app-prod-us-east');
  expect(app?.metadata.labels).toEqual({ env: 'production', region: 'us-east' });
  expect(sourceOf(app)?.helm).toEqual({
    valueFiles: ['values.yaml', 'values-production.yaml', 'values-us-east.yaml', 'values-prod-us-east.yaml'],
    parameters: [
      { name: 'cluster.name', value: 'prod-us-east' },
      { name: 'cluster.region', value: 'us-east' },
    ],
  });
});

test('002: the environment of a cluster chooses its overlay', async () => {
  const apps = await generated(seeds.text('002/appset-cluster-overlays.yaml'));
  expect(sourceOf(apps.get('my-app-staging-us-east'))?.path).toBe('k8s/overlays/staging');
  expect(sourceOf(apps.get('my-app-prod-us-east'))?.path).toBe('k8s/overlays/production');
});

test('002: three clusters and three components are nine applications, a fourth cluster adds three', async () => {
  const apps = await generated(seeds.text('002/appset-matrix.yaml'));
  expect(apps.size).toBe(9);
  expect(apps.get('backend-prod-eu-west')?.spec).toMatchObject({
    source: { path: 'k8s/overlays/prod/backend' },
    destination: { server: 'https://prod-eu-west.example.com:6443', namespace: 'backend' },
  });
  await seeds.apply(cluster('prod-sa-east', { env: 'production', region: 'sa-east', tier: 'prod' }));
  await until('there are twelve applications', applications, (all) => all.length === 12);
  await seeds.kubectl('delete', 'secret', 'prod-sa-east', '-n', 'argocd');
  await until('there are nine applications again', applications, (all) => all.length === 9);
});

/** A part of a set that a document prints, in a set of its own. */
function complete(file: string, name: string, template: object): string {
  const { spec } = parse(seeds.text(file), { name: file }) as ApplicationSet;
  return JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name, namespace: 'argocd' },
    spec: { ...spec, template: spec.template ?? template },
  });
}

test('002: folders and clusters: the label of a cluster names the folder', async () => {
  const template = {
    metadata: { name: 'my-app-{{path.basename}}-{{name}}' },
    spec: {
      project: 'default',
      source: { repoURL: `file://${manifests.dir}`, targetRevision: 'HEAD', path: '{{path}}' },
      destination: { server: '{{server}}', namespace: 'my-app' },
    },
  };
  const apps = await generated(complete('002/appset-matrix-folders.yaml', 'folders', template));
  expect([...apps.keys()]).toEqual([
    'my-app-prod-prod-ap-south',
    'my-app-prod-prod-eu-west',
    'my-app-prod-prod-us-east',
  ]);
});

test('002: defaults and overrides, merged by environment', async () => {
  const apps = await generated(complete('002/appset-merge.yaml', 'merged', {}));
  expect([...apps.keys()]).toEqual(['my-app-dev', 'my-app-prod', 'my-app-staging']);
  expect(apps.get('my-app-prod')?.spec.destination.server).toBe('https://prod-cluster.example.com');
});

test('002: with preserveResourcesOnDeletion no application takes its resources with it', async () => {
  const { spec } = parse(seeds.text('002/appset-preserve.yaml'), { name: 'preserve' }) as ApplicationSet;
  const list = parse(seeds.text('002/appset-list.yaml'), { name: 'list' }) as ApplicationSet;
  const apps = await generated(
    JSON.stringify({ ...list, spec: { ...list.spec, syncPolicy: spec.syncPolicy } }),
  );
  expect([...apps.values()].map(({ metadata }) => metadata.finalizers)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('003: applications discovered by folder pattern, without self-healing', async () => {
  const infra = await seeds.repository('home/cluster');
  await infra.commit({
    'infrastructure/database/cloudnative-pg/immich/c.yaml': configMap('immich'),
    'infrastructure/database/redis/cache/c.yaml': configMap('cache'),
    'infrastructure/controllers/argocd/c.yaml': configMap('argocd'),
  });
  const set = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'database', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [
        {
          git: {
            repoURL: `file://${infra.dir}`,
            revision: 'HEAD',
            directories: [{ path: 'infrastructure/database/*/*' }],
          },
        },
      ],
      template: {
        metadata: { name: '{{ index .path.segments 2 }}-{{ .path.basenameNormalized }}' },
        spec: {
          project: 'default',
          source: { repoURL: `file://${infra.dir}`, targetRevision: 'HEAD', path: '{{ .path.path }}' },
          destination: { server: local, namespace: '{{ .path.basename }}' },
          syncPolicy: { automated: { prune: true, selfHeal: false } },
        },
      },
    },
  };
  const apps = await generated(JSON.stringify(set));
  expect([...apps.keys()]).toEqual(['cloudnative-pg-immich', 'redis-cache']);
  expect(apps.get('redis-cache')?.spec.syncPolicy?.automated?.selfHeal).toBe(false);
});

test('004: one application for each production cluster', async () => {
  const apps = await generated(seeds.text('004/appset-list.yaml'));
  expect([...apps.keys()]).toEqual(['payments-api-prod-eu', 'payments-api-prod-us']);
  expect(apps.get('payments-api-prod-us')?.spec).toMatchObject({
    project: 'payments',
    source: { path: 'apps/payments-api/overlays/prod-us', targetRevision: 'main' },
    destination: { server: 'https://prod-us.example', namespace: 'payments-prod' },
  });
});
