import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from '../e2e/fairlead.ts';
import { applicationOf, startTenants, type Tenants } from '../e2e/tenants.ts';

// Attack 19: finding out what exists. A caller without rights gets the same response, byte for byte, for what exists and for what
// does not. Clusters and repositories are tried in 21-scoped-secrets.test.ts.

let tenants: Tenants;
beforeAll(async () => {
  tenants = await startTenants();
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

/** Everything of a response but the time, and the names that the caller has sent itself. */
async function answer(method: string, path: string, body: unknown, names: readonly string[]) {
  const response = await tenants.ask('dev', method, path, body);
  const text = names.reduce((all, name) => all.replaceAll(name, 'NAME'), await response.text());
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !['date', 'content-length'].includes(name)),
  );
  return { status: response.status, headers, text };
}

const at = 'kind=ConfigMap&namespace=vault&resourceName=settings';
const onApplication: [string, string, string, unknown?][] = [
  ['get', 'GET', ''],
  ['refresh', 'GET', '?refresh=hard'],
  ['delete', 'DELETE', ''],
  ['sync', 'POST', '/sync', {}],
  ['sync with local manifests', 'POST', '/sync', { manifests: ['{}'] }],
  ['sync of a named project', 'POST', '/sync', { project: 'bank' }],
  ['rollback', 'POST', '/rollback', { id: 1 }],
  ['terminate', 'DELETE', '/operation'],
  ['windows', 'GET', '/syncwindows'],
  ['tree', 'GET', '/resource-tree'],
  ['managed resources', 'GET', '/managed-resources'],
  ['revision', 'GET', '/revisions/HEAD/metadata'],
  ['actions', 'GET', `/resource/actions?${at}`],
  ['action', 'POST', `/resource/actions?${at}`, 'none'],
  ['resource', 'GET', `/resource?${at}`],
];

test.each(onApplication)('%s of an application', async (_what, method, rest, body) => {
  for (const query of ['', 'project=bank', 'project=shop', 'project=none', 'appNamespace=kube-system']) {
    const path = (name: string) =>
      `/api/v1/applications/${name}${rest}${query && `${rest.includes('?') ? '&' : '?'}${query}`}`;
    const [hidden, absent] = await Promise.all(
      ['vault', 'nothing'].map((name) => answer(method, path(name), body, [name])),
    );
    expect(hidden).toEqual(absent);
    expect([403, 404]).toContain(hidden?.status);
    if (query === '') expect(JSON.parse(hidden?.text ?? '')).toMatchObject({ message: 'permission denied' });
  }
});

test('the stream of a resource tree', async () => {
  const [hidden, absent] = await Promise.all(
    ['vault', 'nothing'].map((name) =>
      answer('GET', `/api/v1/stream/applications/${name}/resource-tree`, undefined, [name]),
    ),
  );
  expect(hidden).toEqual(absent);
  expect(hidden?.status).toBe(403);
});

test('a new application in a project that the caller may not use', async () => {
  const create = (project: string) =>
    answer('POST', '/api/v1/applications', applicationOf('new', project, 'https://git.example/x'), [project]);
  const [hidden, absent] = [await create('bank'), await create('nothing')];
  expect(hidden).toEqual(absent);
  expect(hidden.status).toBe(403);
});

test('filters of the list find nothing of others', async () => {
  for (const query of ['name=vault', 'projects=bank', 'project=bank', 'selector=', 'appNamespace=argocd']) {
    const response = await tenants.ask('dev', 'GET', `/api/v1/applications?${query}`);
    expect(await response.text()).not.toContain('vault');
  }
});

test.each([
  ['account', 'GET', (name: string) => `/api/v1/account/${name}`, ['reader', 'nothing']],
  ['tokens of an account', 'POST', (name: string) => `/api/v1/account/${name}/token`, ['jane', 'nothing']],
  [
    'token of an account',
    'DELETE',
    (name: string) => `/api/v1/account/${name}/token/test`,
    ['reader', 'nothing'],
  ],
  [
    'tokens of a project',
    'POST',
    (name: string) => `/api/v1/projects/${name}/roles/dev/token`,
    ['bank', 'nothing'],
  ],
  [
    'tokens of a role',
    'POST',
    (name: string) => `/api/v1/projects/bank/roles/${name}/token`,
    ['dev', 'nothing'],
  ],
  [
    'token of a role',
    'DELETE',
    (name: string) => `/api/v1/projects/${name}/roles/dev/token/1`,
    ['bank', 'nothing'],
  ],
])('%s', async (_what, method, path, names) => {
  const body = method === 'POST' ? {} : undefined;
  const answers = await Promise.all(
    names.map(async (name) => {
      const { text, ...rest } = await answer(method, path(name), body, []);
      // the caller's own name has words in common with the names that are tried
      return {
        ...rest,
        text: text.replace(path(name), 'PATH').replace(new RegExp(`, ${name},`, 'g'), ', NAME,'),
      };
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.status).toBe(403);
});
