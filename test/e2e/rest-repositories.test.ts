import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from './fairlead.ts';
import { type RepositoryServers, startRepositoryServers } from './repository-servers.ts';
import { play, type RestCase } from './rest-cases.ts';
import { applicationOf, startTenants, type Tenants } from './tenants.ts';

// Repositories and credential templates through REST (server §2.8), with real servers of Git, charts and artifacts.

const password = 'pass-canary-7310';
let tenants: Tenants;
let servers: RepositoryServers;
let { git, charts, registry } = {} as RepositoryServers;

beforeAll(async () => {
  servers = await startRepositoryServers(password);
  ({ git, charts, registry } = servers);
  tenants = await startTenants();
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
  await servers.close();
});

const at = '/api/v1/repositories';
const one = (url: string) => `${at}/${encodeURIComponent(url)}`;
const login = { username: 'joe', password };
const url = () => `${git.url}/org/repo/.git`;
const helm = () => ({ repo: charts.url, type: 'helm', name: 'charts', ...login });
const oci = () => ({
  repo: `oci://${registry.host}/org/app`,
  type: 'oci',
  insecureOCIForceHttp: true,
  ...login,
});
const source = (path: string) => ({ repoURL: url(), path, targetRevision: 'main' });
const details = (path: string) => ({ source: source(path), appProject: 'shop', appName: 'new' });
const successful = { connectionState: { status: 'Successful', message: '' } };

const cases: (() => RestCase)[] = [
  () => ({ about: 'nothing is registered', ask: `GET ${at}`, status: 200, answer: { items: [] } }),
  () => ({
    about: 'an absent one is refused like a forbidden one',
    ask: `GET ${one('https://absent')}`,
    status: 403,
    answer: 'permission denied',
  }),
  () => ({ about: 'without a URL', ask: `POST ${at}`, body: {}, status: 400, answer: 'url is missing' }),
  () => ({
    about: 'with a field of another type',
    ask: `POST ${at}`,
    body: { repo: 7 },
    status: 400,
    answer: 'repo: ',
  }),
  () => ({
    about: 'with a type that there is not',
    ask: `POST ${at}`,
    body: { repo: 'https://x', type: 'svn' },
    status: 400,
    answer: 'type: ',
  }),
  () => ({
    about: 'a wrong password is found before anything is stored, and is no 401',
    ask: `POST ${at}`,
    body: { repo: url(), username: 'joe', password: 'wrong-canary' },
    status: 400,
    answer: 'error testing repository connectivity: ',
  }),
  () => ({
    about: 'the same by validation',
    ask: `POST ${one(url())}/validate`,
    body: { username: 'joe', password: 'wrong-canary' },
    status: 400,
    answer: 'error testing repository connectivity: ',
  }),
  () => ({ about: 'validation with a body', ask: `POST ${one(url())}/validate`, body: login, status: 200 }),
  () => ({
    about: 'validation as the clients of the peer send it',
    ask: `POST ${one(url())}/validate?username=joe&password=${password}`,
    ...{ body: url(), status: 200 },
  }),
  () => ({ about: 'none of it was stored', ask: `GET ${at}`, status: 200, answer: { items: [] } }),
  () => ({
    about: 'a repository is added',
    ask: `POST ${at}`,
    body: { repo: url(), ...login },
    status: 200,
    answer: { repo: url(), type: 'git', username: 'joe' },
  }),
  () => ({
    about: 'the same again is accepted',
    ask: `POST ${at}`,
    body: { repo: url(), ...login },
    status: 200,
  }),
  () => ({
    about: 'other settings need upsert',
    ask: `POST ${at}`,
    body: { repo: url(), ...login, enableLfs: true },
    status: 400,
    answer: 'existing repository spec is different, use upsert flag to force update',
  }),
  () => ({
    about: 'with upsert they are replaced, and the password that is left out stays',
    ask: `POST ${at}?upsert=true`,
    body: { repo: url(), enableLfs: true },
    status: 200,
    answer: { enableLfs: true, username: 'joe' },
  }),
  () => ({
    about: 'the connection is tested',
    as: 'reader',
    ask: `GET ${one(url())}?forceRefresh=true`,
    status: 200,
    answer: { ...successful, repo: url() },
  }),
  () => ({
    about: 'an update without the password keeps it',
    ask: `PUT ${one(url())}`,
    ...{ body: { repo: url(), username: 'joe' }, status: 200 },
  }),
  () => ({
    about: 'it is still accepted',
    ask: `GET ${one(url())}?forceRefresh=true`,
    status: 200,
    answer: successful,
  }),
  () => ({
    about: 'a password that is kept is not sent to a new proxy',
    ...{ ask: `PUT ${one(url())}`, body: { repo: url(), proxy: 'http://proxy.invalid' }, status: 400 },
    answer: 'proxy would send the stored password another way: give it again, or null to remove it',
  }),
  () => ({
    about: 'given again it may be sent to a host that is not checked',
    ...{ ask: `PUT ${one(url())}`, body: { repo: url(), ...login, insecure: true }, status: 200 },
  }),
  () => ({
    about: 'null removes it',
    ask: `PUT ${one(url())}`,
    ...{ body: { repo: url(), password: null, username: null }, status: 200 },
  }),
  () => ({
    about: 'and the test fails',
    ask: `GET ${one(url())}?forceRefresh=true`,
    status: 200,
    answer: {
      connectionState: { status: 'Failed', message: expect.stringContaining('username and password') },
    },
  }),
  () => ({
    about: 'a template gives it credentials',
    ask: 'POST /api/v1/repocreds',
    body: { url: git.url, ...login },
    status: 200,
    answer: { url: git.url, type: 'git', username: 'joe' },
  }),
  () => ({
    about: 'which are inherited',
    ask: `GET ${at}?forceRefresh=true&repo=${encodeURIComponent(url())}`,
    status: 200,
    answer: { items: [{ ...successful, inheritedCreds: true }] },
  }),
  () => ({
    about: 'another template of the URL needs upsert',
    ask: 'POST /api/v1/repocreds',
    body: { url: git.url, username: 'jane', password },
    status: 400,
    answer: 'existing repository credentials spec is different',
  }),
  () => ({
    about: 'a template is updated',
    ask: `PUT /api/v1/repocreds/${encodeURIComponent(git.url)}`,
    body: { username: 'joe', noProxy: 'x' },
    status: 200,
    answer: { username: 'joe', noProxy: 'x' },
  }),
  () => ({
    about: 'templates are listed',
    as: 'reader',
    ask: 'GET /api/v1/repocreds',
    status: 200,
    answer: { items: [{ url: git.url, username: 'joe' }] },
  }),
  () => ({
    about: 'branches and tags',
    as: 'reader',
    ask: `GET ${one(url())}/refs`,
    status: 200,
    answer: { branches: ['main', 'release'], tags: ['v1'] },
  }),
  () => ({
    about: 'the folders with applications',
    ask: `GET ${one(url())}/apps?appProject=shop&appName=new&revision=v1`,
    status: 200,
    answer: {
      items: [
        { path: 'chart', type: 'Helm' },
        { path: 'kustomized', type: 'Kustomize' },
      ],
    },
  }),
  () => ({
    about: 'folders need a project that permits the repository',
    ask: `GET ${one(url())}/apps?appName=new`,
    status: 400,
    answer: 'set appProject',
  }),
  () => ({
    about: 'the values of a chart',
    ask: `POST ${one(url())}/appdetails`,
    body: details('chart'),
    status: 200,
    answer: {
      type: 'Helm',
      helm: {
        name: 'shop',
        valueFiles: ['values-prod.yaml', 'values.yaml'],
        parameters: [
          { name: 'image.tag', value: 'v1' },
          { name: 'ports[0]', value: '80' },
          { name: 'ports[1]', value: '443' },
        ],
      },
    },
  }),
  () => ({
    about: 'the images of a kustomization',
    ask: `POST ${one(url())}/appdetails`,
    body: details('kustomized'),
    status: 200,
    answer: { type: 'Kustomize', kustomize: { images: ['nginx:9'] } },
  }),
  () => ({
    about: 'plain files',
    ask: `POST ${one(url())}/appdetails`,
    body: details('plain'),
    status: 200,
    answer: { type: 'Directory', directory: {} },
  }),
  () => ({
    about: 'a folder that there is not',
    ask: `POST ${one(url())}/appdetails`,
    body: details('absent'),
    status: 404,
    answer: 'app path does not exist',
  }),
  () => ({
    about: 'details without a source',
    ask: `POST ${one(url())}/appdetails`,
    body: {},
    status: 400,
    answer: 'source',
  }),
  () => ({
    about: 'a reader of an application may not have another source rendered',
    as: 'reader',
    ask: `POST ${one(url())}/appdetails`,
    body: { ...details('plain'), appName: 'web' },
    status: 403,
    answer: 'applications, update, shop/web',
  }),
  () => ({
    about: 'a chart repository needs a name',
    ask: `POST ${at}`,
    body: { ...helm(), name: '' },
    status: 400,
    answer: 'needs a name',
  }),
  () => ({
    about: 'a chart repository',
    ask: `POST ${at}`,
    body: helm(),
    status: 200,
    answer: { type: 'helm' },
  }),
  () => ({
    about: 'its charts',
    as: 'reader',
    ask: `GET ${one(charts.url)}/helmcharts`,
    status: 200,
    answer: {
      items: [
        { name: 'web', versions: ['1.1.0', '1.0.0'] },
        { name: 'db', versions: ['3.0.0'] },
      ],
    },
  }),
  () => ({
    about: 'a registry of charts is asked for admission',
    ask: `POST ${at}`,
    body: {
      repo: registry.host,
      type: 'helm',
      name: 'reg',
      enableOCI: true,
      insecureOCIForceHttp: true,
      ...login,
    },
    status: 200,
    answer: { enableOCI: true },
  }),
  () => ({
    about: 'and refuses a wrong password',
    ask: `POST ${at}?upsert=true`,
    body: {
      repo: registry.host,
      type: 'helm',
      name: 'reg',
      enableOCI: true,
      insecureOCIForceHttp: true,
      password: 'x',
    },
    status: 400,
    answer: 'error testing repository connectivity',
  }),
  () => ({ about: 'an artifact', ask: `POST ${at}`, body: oci(), status: 200, answer: { type: 'oci' } }),
  () => ({
    about: 'its tags',
    ask: `GET ${one(oci().repo)}/oci-tags`,
    ...{ as: 'reader', status: 200, answer: { tags: ['v7'] } },
  }),
  () => ({
    about: 'a repository of one project',
    ask: `POST ${at}`,
    body: { repo: url(), project: 'shop' },
    status: 200,
    answer: { project: 'shop', inheritedCreds: true },
  }),
  () => ({
    about: 'the detailed project has it',
    ask: 'GET /api/v1/projects/shop/detailed',
    status: 200,
    answer: { repositories: [{ repo: url(), project: 'shop', inheritedCreds: true }] },
  }),
  () => ({
    about: 'a URL of several projects needs the project',
    ask: `GET ${one(url())}`,
    status: 400,
    answer: 'name one with appProject',
  }),
  () => ({
    about: 'with it one is found',
    ask: `GET ${one(url())}?appProject=shop`,
    status: 200,
    answer: { project: 'shop' },
  }),
  () => ({ about: 'it is deleted', ask: `DELETE ${one(url())}?appProject=shop`, status: 200 }),
  () => ({
    about: 'the other one stayed',
    ask: `GET ${at}`,
    status: 200,
    answer: { items: expect.arrayContaining([expect.objectContaining({ repo: url() })]) },
  }),
];

const answers: string[] = [];

test.each(cases.map((make, at) => [at, make] as const))('case %i of the table', async (_at, make) => {
  const { about, ...rest } = make();
  const answer = await play(tenants, { about, ...rest }).catch((error: Error) => {
    throw new Error(`${about}: ${error.message}`, { cause: error });
  });
  answers.push(JSON.stringify(answer));
});

test('no answer, and no log line, has a secret', () => {
  expect(answers.filter((text) => /canary/.test(text))).toEqual([]);
  expect(tenants.fairlead.log()).not.toMatch(/canary/);
});

test('a repository that was added is used by an application at once', async () => {
  const { fairlead } = tenants;
  const app = applicationOf('private', 'shop', url());
  await fairlead.apply({ ...app, spec: { ...app.spec, source: source('plain') } });
  await fairlead.until('private', 'a revision of its repository', ({ status }) =>
    Boolean(status?.sync?.revision),
  );
});

test('without a hydrator write credentials are stored, apart from those for reading', async () => {
  const list = '/api/v1/write-repositories';
  const body = { repo: url(), ...login };
  await play(tenants, { about: '', ask: `POST ${list}`, body, status: 200, answer: { username: 'joe' } });
  await play(tenants, { about: '', as: 'reader', ask: `POST ${list}`, body, status: 403 });
  const found = await play(tenants, { about: '', as: 'reader', ask: `GET ${list}`, status: 200 });
  expect(found).toEqual({ items: [{ repo: url(), type: 'git', username: 'joe' }] });
  await play(tenants, { about: '', ask: `DELETE ${list}/${encodeURIComponent(url())}`, status: 200 });
});

test('server §1.6: a Secret that a user wrote loses its label and stays', async () => {
  const labels = { 'argocd.argoproj.io/secret-type': 'repository' };
  const metadata = { name: 'by-hand', namespace: 'argocd', labels };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { url: 'https://by-hand/x' } };
  await tenants.fairlead.apply(secret);
  await play(tenants, { about: '', ask: `DELETE ${one('https://by-hand/x')}`, status: 200 });
  const { stdout } = await tenants.fairlead.kubectl('-n', 'argocd', 'get', 'secret', 'by-hand', '-o', 'json');
  const left = JSON.parse(stdout) as { metadata: { labels?: object }; data: object };
  expect([left.metadata.labels ?? {}, Object.keys(left.data)]).toEqual([{}, ['url']]);
});
