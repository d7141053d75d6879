import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from '../e2e/fairlead.ts';
import { startTenants, type Tenants } from '../e2e/tenants.ts';
import { eventually } from '../eventually.ts';

// Attack 21: a role that may do everything with the repositories and clusters of its project reaches for those of another one, moves its own
// out of its scope, and reads what it uses: no credential is in any answer.

const canary = 'canary-credential-0123456789';
let tenants: Tenants;

const secretOf = (name: string, type: string, stringData: Record<string, string>) => ({
  ...{ apiVersion: 'v1', kind: 'Secret' },
  metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
  stringData,
});
const repositoryOf = (project: string) =>
  secretOf(`repository-${project}`, 'repository', {
    ...{ type: 'git', url: `https://git.invalid/${project}`, project, username: 'robot', password: canary },
  });
const clusterOf = (project: string) =>
  secretOf(`cluster-${project}`, 'cluster', {
    ...{ name: project, server: `https://${project}.invalid`, project },
    config: JSON.stringify({ bearerToken: canary }),
  });

beforeAll(async () => {
  tenants = await startTenants();
  const { fairlead } = tenants;
  for (const project of ['shop', 'bank'])
    for (const secret of [repositoryOf(project), clusterOf(project)]) await fairlead.apply(secret);
  const rights = ['repositories', 'clusters', 'applications'].map(
    (resource) => `p, proj:shop:dev, ${resource}, *, shop/*, allow`,
  );
  const patch = JSON.stringify([{ op: 'replace', path: '/spec/roles/0/policies', value: rights }]);
  await fairlead.kubectl('-n', 'argocd', 'patch', 'appproject', 'shop', '--type=json', '-p', patch);
  await eventually(async () => {
    expect((await ask('GET', repository('shop'))).status).toBe(200);
    expect((await ask('GET', cluster('shop'))).status).toBe(200);
  });
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

const repository = (project: string) =>
  `/api/v1/repositories/${encodeURIComponent(`https://git.invalid/${project}`)}`;
const cluster = (project: string) => `/api/v1/clusters/${encodeURIComponent(`https://${project}.invalid`)}`;

async function ask(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const answer = await tenants.ask('dev', method, path, body);
  const text = await answer.text();
  expect(text).not.toContain(canary);
  return { status: answer.status, text };
}

async function scopeOf(name: string): Promise<string> {
  const path = 'jsonpath={.data.project}';
  const { stdout } = await tenants.fairlead.kubectl('-n', 'argocd', 'get', 'secret', name, '-o', path);
  return Buffer.from(stdout, 'base64').toString();
}

test.each([
  ['repositories', repository],
  ['clusters', cluster],
])('of %s the role sees those of its project, without credentials', async (kind, pathOf) => {
  const { status, text } = await ask('GET', `/api/v1/${kind}`);
  expect(status).toBe(200);
  expect([text.includes('shop'), text.includes('bank')]).toEqual([true, false]);
  expect((await ask('GET', pathOf('shop'))).status).toBe(200);
  const [theirs, absent] = [await ask('GET', pathOf('bank')), await ask('GET', pathOf('absent'))];
  expect(theirs).toEqual(absent);
  expect(theirs.status).toBe(403);
});

test('a repository of another project is neither changed nor deleted nor tested', async () => {
  const body = { repo: 'https://git.invalid/bank', project: 'shop', username: 'x', password: 'y' };
  const bodies = [body, { ...body, project: 'bank' }, { ...body, project: '' }];
  for (const one of bodies) expect((await ask('PUT', repository('bank'), one)).status).toBe(403);
  expect((await ask('DELETE', repository('bank'))).status).toBe(403);
  expect((await ask('GET', `${repository('bank')}/refs`)).status).toBe(403);
  expect(await scopeOf('repository-bank')).toBe('bank');
});

test('a repository of the project does not leave it', async () => {
  for (const project of ['bank', '']) {
    const body = { repo: 'https://git.invalid/shop', project };
    const path = `${repository('shop')}?appProject=shop`;
    expect((await ask('PUT', path, body)).status).toBe(403);
    expect((await ask('POST', '/api/v1/repositories', body)).status).toBe(403);
  }
  expect(await scopeOf('repository-shop')).toBe('shop');
});

const elsewhere = [
  { proxy: 'http://evil.invalid:3128' },
  { insecure: true },
  { azureActiveDirectoryEndpoint: 'https://evil.invalid' },
];

test.each(elsewhere)('the stored password of a repository is not sent another way: %o', async (way) => {
  const body = { repo: 'https://git.invalid/shop', project: 'shop', username: 'robot', ...way };
  for (const [method, path] of [
    ['PUT', `${repository('shop')}?appProject=shop`],
    ['POST', '/api/v1/repositories?upsert=true'],
  ] as const) {
    const { status, text } = await ask(method, path, body);
    expect([status, text]).toEqual([400, expect.stringContaining('give it again')]);
  }
});

test('the stored password of a repository is not used for a caller that may not store the change', async () => {
  const sent: (string | undefined)[] = [];
  const host = createServer(({ headers }, response) => {
    sent.push(headers.authorization);
    // git sends a password where it is requested
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/ledger.git`;
  const stored = { type: 'git', url, project: 'bank', username: 'robot', password: canary };
  await tenants.fairlead.apply(secretOf('repository-ledger', 'repository', stored));
  const create = async (query = '') => {
    const body = { repo: url, project: 'bank', username: 'robot', enableLfs: true };
    return (await tenants.ask('other', 'POST', `/api/v1/repositories${query}`, body)).status;
  };
  const permit = async (...actions: string[]) => {
    const rights = actions.map((action) => `p, proj:bank:dev, repositories, ${action}, bank/*, allow`);
    const patch = JSON.stringify([{ op: 'replace', path: '/spec/roles/0/policies', value: rights }]);
    await tenants.fairlead.kubectl('-n', 'argocd', 'patch', 'appproject', 'bank', '--type=json', '-p', patch);
  };
  try {
    await permit('create');
    expect(await create('?upsert=true')).toBe(403);
    await permit('create', 'get');
    await eventually(async () => expect(await create()).toBe(400));
    expect(await create('?upsert=true')).toBe(403);
    expect(sent).toEqual([]);
    await permit('create', 'get', 'update');
    const basic = Buffer.from(`robot:${canary}`).toString('base64');
    await eventually(async () => {
      await create('?upsert=true');
      expect(sent).toContain(`Basic ${basic}`);
    });
  } finally {
    await new Promise((resolve) => host.close(resolve));
  }
});

test.each(elsewhere)('the credentials of a template are not sent another way: %o', async (way) => {
  const template = { url: 'https://borrowed.invalid', username: 'robot', password: canary };
  await tenants.fairlead.apply(secretOf('template', 'repo-creds', template));
  const url = 'https://borrowed.invalid/shop';
  const body = { repo: url, project: 'shop' };
  const validate = `/api/v1/repositories/${encodeURIComponent(url)}/validate`;
  for (const path of ['/api/v1/repositories', validate]) {
    // the host does not exist, which shows that the connection was tried
    expect((await ask('POST', path, body)).text).toContain('error testing repository connectivity');
    expect((await ask('POST', path, { ...body, ...way })).status).toBe(403);
  }
});

test.each([
  { proxyUrl: 'http://evil.invalid:3128' },
  { tlsClientConfig: { insecure: true } },
  { tlsClientConfig: { caData: Buffer.from('another authority').toString('base64') } },
  { tlsClientConfig: { serverName: 'evil.invalid' } },
])('the stored token of a cluster is not sent another way: %o', async (config) => {
  const body = { server: 'https://shop.invalid', name: 'shop', project: 'shop', config };
  const { status, text } = await ask('PUT', cluster('shop'), body);
  expect([status, text]).toEqual([400, expect.stringContaining('would send the stored bearerToken')]);
});

test('a cluster of another project is neither changed nor deleted, and one of ours does not leave the project', async () => {
  const body = (name: string, project: string) => ({
    server: `https://${name}.invalid`,
    name,
    project,
    config: {},
  });
  expect((await ask('PUT', cluster('bank'), body('bank', 'shop'))).status).toBe(403);
  expect((await ask('DELETE', cluster('bank'))).status).toBe(403);
  expect((await ask('POST', `${cluster('bank')}/rotate-auth`, {})).status).toBe(403);
  for (const project of ['bank', ''])
    expect((await ask('PUT', cluster('shop'), body('shop', project))).status).toBe(403);
  expect([await scopeOf('cluster-bank'), await scopeOf('cluster-shop')]).toEqual(['bank', 'shop']);
});
