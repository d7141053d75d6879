import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from '#lang/yaml';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';
import { play, type RestCase } from './rest-cases.ts';
import { startTenants, type Tenants } from './tenants.ts';

// Clusters through REST (server §2.8): the second is another program's, registered as `argocd cluster add` would.

let tenants: Tenants;
let other: Fairlead;
let second: { server: string; caData: string; certData: string; keyData: string };

beforeAll(async () => {
  [tenants, other] = await Promise.all([startTenants(), startFairlead('--no-demo')]);
  const text = readFileSync(join(other.dataDir, 'kubeconfig'), 'utf8');
  const { clusters, users } = parse(text) as unknown as Kubeconfig;
  const { server, 'certificate-authority-data': caData } = clusters[0].cluster;
  const { 'client-certificate-data': certData, 'client-key-data': keyData } = users[0].user;
  second = { server, caData, certData, keyData };
});
afterAll(async () => {
  await Promise.allSettled([tenants.fairlead.stop(), other.stop()]);
  forget(tenants.fairlead);
  forget(other);
});

type Kubeconfig = {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
};

const at = '/api/v1/clusters';
const home = 'https://kubernetes.default.svc';
const one = (id: string) => `${at}/${encodeURIComponent(id)}`;
const tls = () => {
  const { caData, certData, keyData } = second;
  return { tlsClientConfig: { caData, certData, keyData } };
};
const body = (more: object = {}) => ({ server: second.server, name: 'second', config: tls(), ...more });
const successful = { connectionState: { status: 'Successful' } };

const cases: (() => RestCase)[] = [
  () => ({
    about: 'the cluster of the program itself',
    as: 'reader',
    ask: `GET ${one(home)}`,
    status: 200,
    answer: {
      server: home,
      name: 'in-cluster',
      ...successful,
      serverVersion: expect.stringMatching(/^v1\./),
      info: {
        ...successful,
        applicationsCount: 2,
        cacheInfo: { resourcesCount: expect.any(Number), apisCount: expect.any(Number) },
        apiVersions: expect.arrayContaining(['apps/v1', 'apps/v1/Deployment']),
      },
    },
  }),
  () => ({
    about: 'by its name',
    ask: `GET ${at}/in-cluster?id.type=name`,
    status: 200,
    answer: { server: home },
  }),
  () => ({
    about: 'by its escaped name',
    ask: `GET ${at}/in%252Dcluster?id.type=name_escaped`,
    status: 200,
    answer: { server: home },
  }),
  () => ({ about: 'a role sees none', as: 'dev', ask: `GET ${at}`, status: 200, answer: { items: [] } }),
  () => ({
    about: 'an absent one is refused like a forbidden one',
    ask: `GET ${one('https://absent')}`,
    status: 403,
    answer: 'permission denied',
  }),
  () => ({
    about: 'a body without an address',
    ask: `POST ${at}`,
    body: {},
    status: 400,
    answer: 'server is missing',
  }),
  () => ({
    about: 'a config of another type',
    ask: `POST ${at}`,
    body: { server: 'https://x', config: 'token' },
    status: 400,
    answer: 'config: ',
  }),
  () => ({
    about: 'a certificate and no check of it',
    ask: `POST ${at}`,
    body: body({ config: { tlsClientConfig: { insecure: true, caData: second.caData } } }),
    status: 400,
    answer: 'both insecure and caData',
  }),
  () => ({
    about: 'credentials are tried before they are stored',
    ask: `POST ${at}`,
    body: body({ config: { bearerToken: 'token-canary', tlsClientConfig: { caData: second.caData } } }),
    status: 400,
    answer: 'cannot connect to cluster',
  }),
  () => ({
    about: 'a cluster is added',
    ask: `POST ${at}`,
    body: body({ labels: { env: 'prod' } }),
    status: 200,
    answer: { name: 'second', labels: { env: 'prod' }, config: { tlsClientConfig: { insecure: false } } },
  }),
  () => ({
    about: 'the same again',
    ask: `POST ${at}`,
    body: body({ labels: { env: 'prod' } }),
    status: 200,
  }),
  () => ({
    about: 'other settings need upsert',
    ask: `POST ${at}`,
    body: body(),
    status: 400,
    answer: 'existing cluster spec is different, use upsert flag to force update',
  }),
  () => ({
    about: 'with it they are replaced, and the keys that are left out stay',
    ask: `POST ${at}?upsert=true`,
    body: { server: second.server, name: 'second', annotations: { note: 'x' } },
    status: 200,
    answer: { annotations: { note: 'x' } },
  }),
  () => ({
    about: 'one field is updated',
    ask: `PUT ${at}/second?id.type=name&updatedFields=labels`,
    body: { name: 'ignored', labels: { env: 'test' } },
    status: 200,
    answer: { name: 'second', labels: { env: 'test' }, annotations: { note: 'x' } },
  }),
  () => ({
    about: 'a field that there is not',
    ask: `PUT ${one(second.server)}?updatedFields=server`,
    body: {},
    status: 400,
    answer: 'updatedFields: server cannot be updated',
  }),
  () => ({
    about: 'the cache is read again',
    ask: `POST ${one(second.server)}/invalidate-cache`,
    body: {},
    status: 200,
    answer: { refreshRequestedAt: expect.stringMatching(/^\d{4}-/) },
  }),
  () => ({
    about: 'a cluster without a token has none to rotate',
    ask: `POST ${one(second.server)}/rotate-auth`,
    body: {},
    status: 400,
    answer: 'it is not managed with the token of a service account',
  }),
  () => ({
    about: 'the list has both, by address, and is limited by name',
    as: 'reader',
    ask: `GET ${at}?name=second`,
    status: 200,
    answer: { items: [{ name: 'second' }] },
  }),
];

const answers: string[] = [];

test.each(cases.map((make, index) => [index, make] as const))('case %i of the table', async (_at, make) => {
  const { about, ...rest } = make();
  const answer = await play(tenants, { about, ...rest }).catch((error: Error) => {
    throw new Error(`${about}: ${error.message}`, { cause: error });
  });
  answers.push(JSON.stringify(answer));
});

test('no answer, and no log line, has a key or a token', () => {
  const shown = [...answers, tenants.fairlead.log()].join('\n');
  expect(
    [second.keyData, second.certData, 'token-canary'].filter((secret) => shown.includes(secret)),
  ).toEqual([]);
});

const destined = (name: string, destination: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project: 'default',
    source: {
      repoURL: `file://${join(tenants.fairlead.folder, 'repository')}`,
      path: '.',
      targetRevision: 'HEAD',
    },
    destination: { ...destination, namespace: 'default' },
    syncPolicy: { automated: {} },
  },
});

test('a cluster that was added is synced to, and counts its applications', async () => {
  await tenants.fairlead.apply(destined('abroad', { name: 'second' }));
  await tenants.fairlead.until('abroad', 'synced', isSettled);
  expect((await other.kubectl('get', 'configmap', 'settings', '-o', 'name')).stdout).toContain('settings');
  const ask = `GET ${one(second.server)}`;
  await play(tenants, {
    about: '',
    ask,
    status: 200,
    answer: { info: { applicationsCount: 1 }, ...successful },
  });
});

test('who may register clusters of one project neither takes over an address nor names a program', async () => {
  const policy = ['p, jane, clusters, *, shop/*, allow', 'p, jane, clusters, get, *, allow'].join('\n');
  await tenants.configure('argocd-rbac-cm', { 'policy.csv': policy });
  const { token } = (await play(tenants, {
    about: '',
    ask: 'POST /api/v1/account/jane/token',
    body: {},
    status: 200,
  })) as { token?: string };
  const post = async (cluster: object) => {
    const answer = await tenants.ask({ token: token ?? '' }, 'POST', `${at}?upsert=true`, cluster);
    return `${answer.status} ${((await answer.json()) as { message?: string }).message}`;
  };
  const config = { execProviderConfig: { command: 'sh', args: ['-c', 'touch /tmp/canary'] } };
  await expect
    .poll(() => post({ server: 'https://mine.invalid', project: 'shop', config }))
    .toContain('403 permission denied: clusters, create, https://mine.invalid');
  expect(await post({ server: home, project: 'shop' })).toContain(
    `403 permission denied: clusters, update, ${home}`,
  );
  expect(await post({ ...body(), project: 'shop' })).toContain('403 permission denied: clusters, update, ');
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (secretName: string): string => {
  const claim = 'kubernetes.io/serviceaccount';
  const names = {
    namespace: 'kube-system',
    'service-account.name': 'argocd-manager',
    'secret.name': secretName,
  };
  const claims = Object.entries(names).map(([name, value]) => [`${claim}/${name}`, value]);
  return `${part({ alg: 'RS256' })}.${part(Object.fromEntries(claims))}.signature`;
};

test('the token of a service account is rotated: the new one is stored, then the old one is deleted', async () => {
  const old = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'old-token', namespace: 'kube-system' } };
  await other.apply(old);
  await other.kubectl('-n', 'kube-system', 'create', 'serviceaccount', 'argocd-manager');
  const config = { ...tls(), bearerToken: tokenOf('old-token') };
  await play(tenants, { about: '', ask: `POST ${at}?upsert=true`, body: body({ config }), status: 200 });
  await play(tenants, { about: '', ask: `POST ${one(second.server)}/rotate-auth`, body: {}, status: 200 });
  const { stdout: left } = await other.kubectl('-n', 'kube-system', 'get', 'secrets', '-o', 'name');
  expect(left).toMatch(/^secret\/argocd-manager-token-\w+\n$/);
  const made = left.trim().replace('secret/', '');
  const stored = ['-l', 'argocd.argoproj.io/secret-type=cluster', '-o', 'jsonpath={.items[0].data.config}'];
  const { stdout } = await tenants.fairlead.kubectl('-n', 'argocd', 'get', 'secrets', ...stored);
  const { bearerToken } = JSON.parse(Buffer.from(stdout, 'base64').toString()) as { bearerToken: string };
  const claims = Buffer.from(bearerToken.split('.')[1] ?? '', 'base64url').toString();
  expect(JSON.parse(claims)).toMatchObject({ 'kubernetes.io/serviceaccount/secret.name': made });
});

test('it is deleted, and its Secret with it', async () => {
  await play(tenants, { about: '', ask: `DELETE ${one(second.server)}`, status: 200 });
  await play(tenants, { about: '', ask: `GET ${one(second.server)}`, status: 403 });
  const labelled = 'argocd.argoproj.io/secret-type=cluster';
  const { stdout } = await tenants.fairlead.kubectl(
    '-n',
    'argocd',
    'get',
    'secrets',
    '-l',
    labelled,
    '-o',
    'name',
  );
  expect(stdout).toBe('');
});
