import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, ApplicationSet, Source } from '#base/model';
import { type BareCluster, startCluster } from '../e2e/bare-cluster.ts';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';
import { eventually } from '../eventually.ts';
import { type GitRepositoryFixture, gitRepository } from '../git-repository.ts';

// Attacks 4 and 26 on the started program: `fairlead up --kubeconfig` on a cluster that is another program's. An operator listed
// one folder of repositories, and nothing else of this machine may be reached.

let cluster: BareCluster;
let fairlead: Fairlead;
let listed: string;
let repository: GitRepositoryFixture;
let internal: Server;
const requests: string[] = [];

beforeAll(async () => {
  internal = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('secret: hunter2\n');
  });
  await new Promise<void>((resolve) => internal.listen(0, '127.0.0.1', resolve));
  listed = await mkdtemp(join(tmpdir(), 'fairlead-listed-'));
  repository = await gitRepository(join(listed, 'shop'));
  await repository.commit({
    'plain/cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: plain }\n',
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/templates/cm.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: taken }\ndata: { all: {{ .Values | toJson | quote }} }\n',
  });
  cluster = await startCluster();
  const { kubeconfig } = cluster;
  fairlead = await startFairlead('--kubeconfig', kubeconfig, '--local-repositories', listed, '--rollouts');
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'narrow', namespace: 'argocd' },
    spec: {
      sourceRepos: [repository.dir],
      destinations: [{ server: '*', namespace: '*' }],
      roles: [{ name: 'dev', policies: ['p, proj:narrow:dev, clusters, *, narrow/*, allow'] }],
    },
  });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  await cluster?.stop();
  await rm(listed, { recursive: true, force: true });
  await new Promise((resolve) => internal.close(resolve));
});

const application = (name: string, source: Partial<Source>, project = 'default'): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project,
    source: { repoURL: repository.dir, path: 'chart', targetRevision: 'main', ...source },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    syncPolicy: { automated: {} },
  },
});

/** What an application was refused with. */
async function refusalOf(name: string, source: Partial<Source>, project?: string): Promise<string> {
  expect(await fairlead.apply(application(name, source, project))).toMatchObject({ code: 0 });
  const wrong = ({ status }: Application) =>
    (status?.conditions ?? []).filter(({ type }) => type.endsWith('Error'));
  const refused = await fairlead.until(name, 'refused', (app) => wrong(app).length > 0);
  const { stdout } = await fairlead.kubectl('get', 'configmaps', '-A', '-o', 'json');
  expect(stdout).not.toContain('hunter2');
  expect(requests).toEqual([]);
  return wrong(refused)
    .map(({ message }) => message)
    .join('\n');
}

const internalUrl = (): string => `http://127.0.0.1:${(internal.address() as AddressInfo).port}`;

test('a repository in the folder that was listed is deployed', async () => {
  await fairlead.apply(application('plain', { path: 'plain' }));
  await fairlead.until('plain', 'synced', ({ status }) => status?.sync?.status === 'Synced');
});

test('a value file on loopback is not fetched', async () => {
  const valueFiles = [`${internalUrl()}/values.yaml`];
  expect(await refusalOf('values', { helm: { valueFiles } })).toContain('at a loopback address');
});

test('a value file that the project does not permit is not fetched', async () => {
  const valueFiles = [`${internalUrl()}/values.yaml`];
  expect(await refusalOf('narrow', { helm: { valueFiles } }, 'narrow')).toContain(
    `project 'narrow' does not permit ${internalUrl()}/values.yaml: add it to spec.sourceRepos`,
  );
});

test('a repository on loopback is not asked', async () => {
  expect(await refusalOf('web', { repoURL: `${internalUrl()}/repo` })).toContain('at a loopback address');
});

test('the mirror of another repository is not read', async () => {
  await fairlead.until('plain', 'synced', ({ status }) => status?.sync?.status === 'Synced');
  const mirrors = join(fairlead.dataDir, 'cache/git/git');
  const [mirror = ''] = (await readdir(mirrors)).filter((name) => name.endsWith('.git'));
  const source = { repoURL: `file://${join(mirrors, mirror)}`, path: 'plain', targetRevision: 'refs/kept/x' };
  expect(await refusalOf('mirror', source)).toContain('such repositories are not allowed here');
});

test('a folder that was not listed is not read', async () => {
  const other = await gitRepository(join(fairlead.folder, 'unlisted'));
  await other.commit({ 'cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hunter2 }\n' });
  expect(await refusalOf('unlisted', { repoURL: other.dir, path: '.' })).toContain('--local-repositories');
});

/** Generators that send a request to a URL of their author: those of Git hosts by `api`, a plugin by its ConfigMap. */
const generators: Readonly<Record<string, (api: string) => object>> = {
  'repositories of GitHub': (api) => ({ scmProvider: { github: { organization: 'o', api } } }),
  'repositories of GitLab': (api) => ({ scmProvider: { gitlab: { group: 'g', api } } }),
  'repositories of Gitea': (api) => ({ scmProvider: { gitea: { owner: 'o', api } } }),
  'repositories of Bitbucket Server': (api) => ({ scmProvider: { bitbucketServer: { project: 'p', api } } }),
  'repositories of Azure DevOps': (api) => ({
    scmProvider: {
      azureDevOps: {
        ...{ organization: 'o', teamProject: 'p', api },
        accessTokenRef: { secretName: 'tokens', key: 'token' },
      },
    },
  }),
  'pull requests of GitHub': (api) => ({ pullRequest: { github: { owner: 'o', repo: 'r', api } } }),
  'pull requests of a GitHub App': (api) => ({
    pullRequest: { github: { owner: 'o', repo: 'r', api, appSecretName: 'app' } },
  }),
  'pull requests of GitLab': (api) => ({ pullRequest: { gitlab: { project: '1', api } } }),
  'pull requests of Gitea': (api) => ({ pullRequest: { gitea: { owner: 'o', repo: 'r', api } } }),
  'pull requests of Bitbucket': (api) => ({ pullRequest: { bitbucket: { owner: 'o', repo: 'r', api } } }),
  'pull requests of Bitbucket Server': (api) => ({
    pullRequest: { bitbucketServer: { project: 'p', repo: 'r', api } },
  }),
  'pull requests of Azure DevOps': (api) => ({
    pullRequest: { azuredevops: { organization: 'o', project: 'p', repo: 'r', api } },
  }),
  'a plugin': () => ({ plugin: { configMapRef: { name: 'plugin' } } }),
};

const nameOf = (what: string): string => what.toLowerCase().replaceAll(' ', '-');

const set = (name: string, generator: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name, namespace: 'argocd' },
  spec: {
    generators: [generator],
    template: {
      metadata: { name: `${name}-application` },
      spec: {
        project: 'default',
        source: { repoURL: repository.dir, path: 'plain' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      },
    },
  },
});

/** The token, the GitHub App and the plugin that the generators name. */
function credentials(): object[] {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const labels = { 'argocd.argoproj.io/secret-type': 'repo-creds' };
  const named = (kind: string, name: string) => ({
    ...{ apiVersion: 'v1', kind },
    metadata: { name, namespace: 'argocd', labels },
  });
  const app = { githubAppID: '1', githubAppInstallationID: '2', githubAppPrivateKey: privateKey };
  return [
    { ...named('Secret', 'tokens'), stringData: { token: 'hunter3' } },
    { ...named('Secret', 'app'), stringData: { ...app, githubAppEnterpriseBaseUrl: internalUrl() } },
    { ...named('ConfigMap', 'plugin'), data: { baseUrl: internalUrl(), token: '$tokens:token' } },
  ];
}

test('the API of a generator on loopback is not requested', async () => {
  const sets = Object.entries(generators).map(([what, generator]) =>
    set(nameOf(what), generator(internalUrl())),
  );
  const items = [...credentials(), ...sets];
  expect(await fairlead.apply({ apiVersion: 'v1', kind: 'List', items })).toMatchObject({ code: 0 });
  const messages = await eventually(async () => {
    const { stdout } = await fairlead.kubectl('get', 'applicationsets', '-n', 'argocd', '-o', 'json');
    const found = JSON.parse(stdout) as { items: ApplicationSet[] };
    const failed = found.items.flatMap(({ metadata, status }) => {
      const error = status?.conditions?.find(({ type }) => type === 'ErrorOccurred');
      return error?.status === 'True' ? [[metadata.name, error.message]] : [];
    });
    expect(failed).toHaveLength(sets.length);
    return failed;
  }, 60_000);
  const refused = expect.stringContaining('at a loopback address');
  expect(Object.fromEntries(messages)).toEqual(
    Object.fromEntries(Object.keys(generators).map((what) => [nameOf(what), refused])),
  );
  expect(requests).toEqual([]);
});

/** Settings that replace those of the same name. */
async function configure(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const metadata = { name, namespace: 'argocd', labels };
  const { code, stderr } = await fairlead.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  expect(code, stderr).toBe(0);
}

/** An object that kubectl prints. */
async function readObject<T>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await fairlead.kubectl('get', ...words, '-o', 'json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

test('an identity provider on loopback is not requested', async () => {
  const oidc = { name: 'Example', issuer: internalUrl(), clientID: 'fairlead', clientSecret: 'x' };
  await configure('argocd-cm', { url: fairlead.url, 'oidc.config': JSON.stringify(oidc) });
  await eventually(async () => {
    const { headers } = await fetch(`${fairlead.url}/auth/login`, { redirect: 'manual' });
    expect(headers.get('location')).toContain('sso_error=unavailable');
  }, 30_000);
  const warnings = fairlead.log().split('\n');
  const refused = warnings.filter((line) => line.includes('identity provider unavailable'));
  expect(refused.at(-1)).toContain('at a loopback address');
  expect(requests).toEqual([]);
});

test('a metric of an analysis on loopback is not requested', async () => {
  const metrics = [
    { name: 'web', provider: { web: { url: internalUrl(), jsonPath: '{$.value}' } } },
    { name: 'prometheus', provider: { prometheus: { address: internalUrl(), query: 'up' } } },
  ];
  const run = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisRun',
    metadata: { name: 'internal', namespace: 'default' },
    spec: { metrics: metrics.map((metric) => ({ ...metric, consecutiveErrorLimit: 0 })) },
  };
  expect(await fairlead.apply(run)).toMatchObject({ code: 0 });
  type Results = { metricResults?: { name: string; measurements?: { message?: string }[] }[] };
  const messages = await eventually(async () => {
    const { status } = await readObject<{ status?: Results }>('analysisrun', 'internal', '-n', 'default');
    const found = (status?.metricResults ?? []).map(({ name, measurements }) => [
      name,
      measurements?.at(-1)?.message,
    ]);
    expect(found).toHaveLength(metrics.length);
    return Object.fromEntries(found);
  }, 60_000);
  const refused = expect.stringContaining('at a loopback address');
  expect(messages).toEqual({ web: refused, prometheus: refused });
  expect(requests).toEqual([]);
});

test('a service of notifications on loopback is not requested', async () => {
  await configure('argocd-notifications-cm', {
    'service.webhook.internal': `url: ${internalUrl()}`,
    'template.deployed': 'webhook:\n  internal:\n    method: POST\n    body: deployed\n',
    'trigger.on-deployed': '- when: "true"\n  send: [deployed]\n',
  });
  const annotations = { 'notifications.argoproj.io/subscribe.on-deployed.internal': '' };
  const subscribed = application('subscribed', { path: 'plain' }) as { metadata: object };
  const metadata = { ...subscribed.metadata, annotations };
  expect(await fairlead.apply({ ...subscribed, metadata })).toMatchObject({ code: 0 });
  await eventually(async () => {
    const about = ['events', '-n', 'argocd', '--field-selector', 'involvedObject.name=subscribed'];
    const { items } = await readObject<{ items: { reason: string; message: string }[] }>(...about);
    const failed = items.filter(({ reason }) => reason === 'NotificationFailed');
    expect(failed.map(({ message }) => message)).toEqual([expect.stringContaining('at a loopback address')]);
  }, 60_000);
  expect(requests).toEqual([]);
});

/** A request to the API, and what it was answered. */
async function post<T>(token: string, path: string, body: object): Promise<T & { message?: string }> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(fairlead.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as T & { message?: string };
}

async function tokens(): Promise<{ admin: string; dev: string }> {
  const login = { username: 'admin', password: fairlead.password };
  const { token: admin } = await post<{ token: string }>('', '/api/v1/session', login);
  const path = '/api/v1/projects/narrow/roles/dev/token';
  const { token: dev } = await post<{ token: string }>(admin, path, {});
  return { admin, dev };
}

const insecure = { tlsClientConfig: { insecure: true } };
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

test.each<[string, (port: number) => object]>([
  ['at a loopback address', (port) => ({ server: `http://127.0.0.1:${port}` })],
  ['at a loopback address', (port) => ({ server: `http://localhost:${port}` })],
  ['at a loopback address', (port) => ({ server: `http://[::ffff:127.0.0.1]:${port}` })],
  ['at an unspecified address', (port) => ({ server: `http://0.0.0.0:${port}` })],
  ['at a link-local address', () => ({ server: 'http://169.254.169.254' })],
  ['at a metadata address', () => ({ server: 'https://168.63.129.16' })],
  [
    'at a loopback address',
    (port) => ({
      server: 'http://192.0.2.1',
      config: { ...insecure, proxyUrl: `http://127.0.0.1:${port}` },
    }),
  ],
])('what a role of a project registers as a cluster %s is not requested: %#', async (refused, clusterAt) => {
  const { dev } = await tokens();
  const body = { name: 'internal', project: 'narrow', config: insecure, ...clusterAt(portOf(internal)) };
  expect((await post(dev, '/api/v1/clusters', body)).message).toContain(refused);
  expect(requests).toEqual([]);
});

test('a Secret of a cluster at a forbidden address is not connected to by the controller', async () => {
  const data = {
    name: 'by-hand',
    server: internalUrl(),
    project: 'narrow',
    config: JSON.stringify(insecure),
  };
  const labels = { 'argocd.argoproj.io/secret-type': 'cluster' };
  const metadata = { name: 'by-hand', namespace: 'argocd', labels };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data };
  expect(await fairlead.apply(secret)).toMatchObject({ code: 0 });
  const app = application('elsewhere', { path: 'plain' }, 'narrow') as { spec: object };
  const destination = { name: 'by-hand', namespace: 'default' };
  await fairlead.apply({ ...app, spec: { ...app.spec, destination } });
  const hasCondition = ({ status }: Application) =>
    (status?.conditions ?? []).some(({ message }) => message.includes('at a loopback address'));
  await fairlead.until('elsewhere', 'refused', hasCondition);
  expect(requests).toEqual([]);
});

test('a cluster of no project may be on loopback, as those of kind and k3d are, and not at a metadata address', async () => {
  const { admin } = await tokens();
  let seen = 0;
  const local = createServer((_request, response) => {
    seen += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve));
  await post(admin, '/api/v1/clusters', {
    server: `http://127.0.0.1:${portOf(local)}`,
    name: 'kind',
    config: insecure,
  });
  expect(seen).toBeGreaterThan(0);
  const metadata = { server: 'http://169.254.169.254', name: 'metadata', config: insecure };
  expect((await post(admin, '/api/v1/clusters', metadata)).message).toContain('at a link-local address');
  await new Promise((resolve) => local.close(resolve));
});
