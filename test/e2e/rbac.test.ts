import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { accounts, applicationSets, applications, type Endpoint, projects, session } from '#serve/api';
import { forget } from './fairlead.ts';
import {
  type Actor,
  actors,
  applicationOf,
  applicationSetOf,
  startTenants,
  type Tenants,
} from './tenants.ts';

// Who may do what, through the started program: every route of the API as every kind of caller, and what each of them sees.

let tenants: Tenants;
beforeAll(async () => {
  tenants = await startTenants();
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

/** How a route is called, and what each actor gets, in the order of `actors`: a refusal, or `ok` for anything that passed. */
type Row = {
  readonly path: string;
  readonly body?: unknown;
  readonly outcome: string;
  /** Called without a token by everybody: it would end the caller's session. */
  readonly withoutToken?: true;
};
const everybody = 'ok ok ok ok ok';
const signedIn = '401 ok ok ok ok';
const readers = '401 ok ok 403 ok';
const syncers = '401 403 ok 403 ok';
const adminOnly = '401 403 403 403 ok';
const web = '/api/v1/applications/web';
const at = 'group=&kind=ConfigMap&namespace=web&resourceName=settings';
const fleet = '/api/v1/applicationsets/fleet';
const set = applicationSetOf('fleet', 'shop', 'https://git.example/x');
const action = { kind: 'ConfigMap', namespace: 'web', resourceName: 'settings', action: 'none' };

const table: Readonly<Record<string, Row>> = {
  'POST /api/v1/session': {
    path: '/api/v1/session',
    body: { username: '', password: '' },
    outcome: '401 401 401 401 401',
  },
  'DELETE /api/v1/session': { path: '/api/v1/session', outcome: everybody, withoutToken: true },
  'GET /api/v1/session/userinfo': { path: '/api/v1/session/userinfo', outcome: everybody },
  'GET /api/version': { path: '/api/version', outcome: everybody },
  'GET /api/v1/settings': { path: '/api/v1/settings', outcome: everybody },
  'GET /api/v1/account': { path: '/api/v1/account', outcome: signedIn },
  'PUT /api/v1/account/password': {
    path: '/api/v1/account/password',
    body: { name: 'jane', currentPassword: 'x', newPassword: 'a-long-password' },
    outcome: adminOnly,
  },
  'GET /api/v1/account/can-i/:resource/:action/*object': {
    path: '/api/v1/account/can-i/applications/get/shop/web',
    outcome: signedIn,
  },
  'GET /api/v1/account/:name': { path: '/api/v1/account/jane', outcome: '401 ok 403 403 ok' },
  'POST /api/v1/account/:name/token': { path: '/api/v1/account/jane/token', body: {}, outcome: adminOnly },
  'DELETE /api/v1/account/:name/token/:id': { path: '/api/v1/account/jane/token/x', outcome: adminOnly },
  'POST /api/v1/projects/:project/roles/:role/token': {
    path: '/api/v1/projects/shop/roles/dev/token',
    body: {},
    outcome: adminOnly,
  },
  'DELETE /api/v1/projects/:project/roles/:role/token/:iat': {
    path: '/api/v1/projects/shop/roles/dev/token/1',
    outcome: adminOnly,
  },
  'GET /api/v1/applications': { path: '/api/v1/applications', outcome: signedIn },
  'POST /api/v1/applications': {
    path: '/api/v1/applications',
    body: applicationOf('new', 'shop', 'https://git.example/x'),
    outcome: syncers,
  },
  'GET /api/v1/applications/:name': { path: web, outcome: readers },
  'DELETE /api/v1/applications/:name': { path: '/api/v1/applications/new', outcome: adminOnly },
  'POST /api/v1/applications/:name/sync': { path: `${web}/sync`, body: { dryRun: true }, outcome: syncers },
  'POST /api/v1/applications/:name/rollback': { path: `${web}/rollback`, body: { id: 99 }, outcome: syncers },
  'DELETE /api/v1/applications/:name/operation': { path: `${web}/operation`, outcome: syncers },
  'GET /api/v1/applications/:name/syncwindows': { path: `${web}/syncwindows`, outcome: readers },
  'GET /api/v1/applications/:name/resource-tree': { path: `${web}/resource-tree`, outcome: readers },
  'GET /api/v1/applications/:name/managed-resources': { path: `${web}/managed-resources`, outcome: readers },
  'GET /api/v1/applications/:name/revisions/:revision/metadata': {
    path: `${web}/revisions/HEAD/metadata`,
    outcome: readers,
  },
  'GET /api/v1/applications/:name/resource/actions': {
    path: `${web}/resource/actions?${at}`,
    outcome: readers,
  },
  'POST /api/v1/applications/:name/resource/actions': {
    path: `${web}/resource/actions?${at}`,
    body: 'none',
    outcome: syncers,
  },
  'POST /api/v1/applications/:name/resource/actions/v2': {
    path: `${web}/resource/actions/v2`,
    body: action,
    outcome: syncers,
  },
  'GET /api/v1/applications/:name/resource': { path: `${web}/resource?${at}`, outcome: readers },
  'GET /api/v1/stream/applications': { path: '/api/v1/stream/applications', outcome: signedIn },
  'GET /api/v1/stream/applications/:name/resource-tree': {
    path: '/api/v1/stream/applications/web/resource-tree',
    outcome: readers,
  },
  'GET /api/v1/applicationsets': { path: '/api/v1/applicationsets', outcome: signedIn },
  'POST /api/v1/applicationsets': { path: '/api/v1/applicationsets', body: set, outcome: syncers },
  'POST /api/v1/applicationsets/generate': {
    path: '/api/v1/applicationsets/generate',
    body: { applicationSet: set },
    outcome: syncers,
  },
  'POST /api/v1/applicationsets/preview': {
    path: '/api/v1/applicationsets/preview',
    body: { applicationSet: set },
    outcome: syncers,
  },
  'GET /api/v1/applicationsets/:name': { path: fleet, outcome: readers },
  'GET /api/v1/applicationsets/:name/resource-tree': { path: `${fleet}/resource-tree`, outcome: readers },
  'GET /api/v1/applicationsets/:name/events': { path: `${fleet}/events`, outcome: readers },
  'GET /api/v1/stream/applicationsets': { path: '/api/v1/stream/applicationsets', outcome: signedIn },
  'DELETE /api/v1/applicationsets/:name': { path: fleet, outcome: adminOnly },
};

const endpoints: readonly Endpoint<unknown, unknown>[] = [
  session,
  accounts,
  projects,
  applications,
  applicationSets,
].flatMap((one) => Object.values(one) as Endpoint<unknown, unknown>[]);
const nameOf = ({ method, path }: Endpoint<unknown, unknown>): string => `${method} ${path}`;

test('every route stands in the table, and nothing else does', () => {
  expect(Object.keys(table).sort()).toEqual(endpoints.map(nameOf).sort());
});

async function outcomeOf(actor: Actor, { path, body, withoutToken }: Row, method: string): Promise<string> {
  const answer = await tenants.ask(withoutToken ? 'anonymous' : actor, method, path, body);
  await answer.body?.cancel();
  if (answer.status === 401 || answer.status === 403) return String(answer.status);
  return answer.status < 500 ? 'ok' : `${answer.status}`;
}

test.each(Object.entries(table))('%s', async (name, row) => {
  const [method = ''] = name.split(' ');
  const outcomes: string[] = [];
  for (const actor of actors) outcomes.push(await outcomeOf(actor, row, method));
  expect(outcomes.join(' ')).toBe(row.outcome);
});

const seen = async (who: Parameters<Tenants['ask']>[0]): Promise<string[]> => {
  const { items } = (await (await tenants.ask(who, 'GET', '/api/v1/applications')).json()) as {
    items: Application[];
  };
  return items.map(({ metadata }) => metadata.name);
};

test('each sees its own applications in the list', async () => {
  expect([await seen('reader'), await seen('dev'), await seen('other')]).toEqual([
    expect.arrayContaining(['vault', 'web']),
    expect.not.arrayContaining(['vault']),
    ['vault'],
  ]);
});

const messageOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { message: string }).message;

test('a reader learns which permission is missing', async () => {
  const answer = await tenants.ask('reader', 'POST', `${web}/sync`, {});
  expect([answer.status, await messageOf(answer)]).toEqual([
    403,
    expect.stringMatching(/^permission denied: applications, sync, shop\/web, sub: reader, iat: \d{4}-.*Z$/),
  ]);
});

test('server §4.6: a person changes the password, and every session of before has ended', async () => {
  const path = '/api/v1/account/password';
  const login = (password: string) =>
    tenants.ask('anonymous', 'POST', '/api/v1/session', { username: 'jane', password });
  const set = { name: 'jane', currentPassword: tenants.fairlead.password, newPassword: 'first-password' };
  expect((await tenants.ask('admin', 'PUT', path, { ...set, newPassword: 'short' })).status).toBe(400);
  expect((await tenants.ask('admin', 'PUT', path, { ...set, currentPassword: 'wrong' })).status).toBe(400);
  expect((await tenants.ask('admin', 'PUT', path, set)).status).toBe(200);
  const { token } = (await (await login('first-password')).json()) as { token: string };
  const jane = { token };
  expect(await seen(jane)).toContain('web');
  expect((await tenants.ask(jane, 'PUT', path, { ...set, newPassword: 'stolen-account' })).status).toBe(400);
  const own = { currentPassword: 'first-password', newPassword: 'second-password' };
  expect((await tenants.ask(jane, 'PUT', path, { ...own, name: 'reader' })).status).toBe(403);
  expect((await tenants.ask(jane, 'PUT', path, own)).status).toBe(200);
  expect((await tenants.ask(jane, 'GET', '/api/v1/applications')).status).toBe(401);
  expect([(await login('first-password')).status, (await login('second-password')).status]).toEqual([
    401, 200,
  ]);
});

test('server §5.7: can-i answers for the token of the caller', async () => {
  const can = async (who: Actor, asked: string) => {
    const answer = await tenants.ask(who, 'GET', `/api/v1/account/can-i/${asked}`);
    return answer.status === 200 ? ((await answer.json()) as { value: string }).value : answer.status;
  };
  expect([
    await can('dev', 'applications/sync/shop/web'),
    await can('dev', 'applications/rollback/shop/argocd/web'),
    await can('dev', 'applications/sync/bank/vault'),
    await can('dev', 'applications/action%2F%2FConfigMap%2Fx/shop/web'),
    await can('reader', 'certificates/get/'),
    await can('admin', 'applications/*/x'),
    await can('admin', 'nothing/get/x'),
  ]).toEqual(['yes', 'yes', 'no', 'yes', 'yes', 400, 400]);
});

test('server §4.6: with anonymous access a request without a valid token has the rights of policy.default alone', async () => {
  await tenants.configure('argocd-cm', { 'users.anonymous.enabled': 'true' });
  const status = async (token: string, path = web) => (await tenants.ask({ token }, 'GET', path)).status;
  await expect.poll(() => status('')).toBe(403);
  expect(await seen('anonymous')).toEqual([]);
  await tenants.configure('argocd-rbac-cm', { 'policy.default': 'role:readonly' });
  await expect.poll(() => status('')).toBe(200);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${part({ alg: 'none' })}.${part({ iss: 'argocd', sub: 'admin:login', iat: 1, jti: 'x' })}.`;
  for (const token of ['', 'a.b.c', unsigned]) {
    expect(await status(token)).toBe(200);
    expect((await tenants.ask({ token }, 'POST', `${web}/sync`, {})).status).toBe(403);
    expect((await tenants.ask({ token }, 'POST', '/api/v1/account/admin/token', {})).status).toBe(403);
  }
  await tenants.configure('argocd-cm', { 'users.anonymous.enabled': null });
  await expect.poll(() => status('')).toBe(401);
  await tenants.configure('argocd-rbac-cm', { 'policy.default': null });
});

test('server §5.3: a policy that cannot be read is an Event on its ConfigMap, and the last one stays in force', async () => {
  await tenants.configure('argocd-rbac-cm', { 'policy.extra.csv': 'p, jane, applications' });
  const events = async () =>
    (await tenants.fairlead.kubectl('-n', 'argocd', 'get', 'events', '-o', 'json')).stdout;
  await expect.poll(events).toContain('PolicyNotUsable');
  expect(await events()).toContain('policy.extra.csv, line 1: a p line has 3 fields');
  expect(await seen('reader')).toContain('web');
  await tenants.configure('argocd-rbac-cm', { 'policy.extra.csv': null });
});
