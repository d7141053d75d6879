import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Endpoint, services } from '#serve/api';
import { type RbacGround, startRbacGround } from './rbac/ground.ts';
import type { Row } from './rbac/row.ts';
import { routeTable } from './rbac/table.ts';
import { type Actor, actors, type Tenants } from './tenants.ts';

// Who may do what, through the started program: every route of the API as every kind of caller, and what each of them sees.

let tenants: RbacGround;
beforeAll(async () => {
  tenants = await startRbacGround();
});
afterAll(() => tenants.close());

const web = '/api/v1/applications/web';

const endpoints = Object.values(services).flatMap(
  (one) => Object.values(one) as Endpoint<unknown, unknown>[],
);
const nameOf = ({ method, path }: Endpoint<unknown, unknown>): string => `${method} ${path}`;

test('every route stands in the routeTable, and nothing else does', () => {
  expect(Object.keys(routeTable).sort()).toEqual(endpoints.map(nameOf).sort());
});

async function outcomeOf(actor: Actor, row: Row, method: string): Promise<string> {
  const { path, body } = await tenants.prepare(row);
  const answer = await tenants.ask(row.withoutToken ? 'anonymous' : actor, method, path, body);
  await answer.body?.cancel();
  return String(answer.status);
}

test.each(Object.entries(routeTable))('%s', async (name, row) => {
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

test('server §7.5: a change of an account or a repository is an Event with the user', async () => {
  expect((await tenants.ask('admin', 'POST', '/api/v1/account/jane/token', {})).status).toBe(200);
  const template = { url: 'https://joe:canary@git.invalid/' };
  expect((await tenants.ask('admin', 'POST', '/api/v1/repocreds', template)).status).toBe(200);
  const events = async () =>
    (await tenants.fairlead.kubectl('-n', 'argocd', 'get', 'events', '-o', 'json')).stdout;
  await expect.poll(events).toContain('admin created a token of account jane');
  await expect.poll(events).toContain('admin created credentials for https://git.invalid/');
  expect(await events()).not.toContain('canary');
});

test('server §7.4: an upsert that changes an application is an Event with the user', async () => {
  const path = '/api/v1/applications?upsert=true&validate=false';
  const stored = (await (await tenants.ask('admin', 'GET', web)).json()) as Application;
  const wanted = { metadata: { name: 'web' }, spec: { ...stored.spec, info: [{ name: 'a', value: 'b' }] } };
  expect((await tenants.ask('admin', 'POST', path, wanted)).status).toBe(200);
  const events = async () =>
    (await tenants.fairlead.kubectl('-n', 'argocd', 'get', 'events', '-o', 'json')).stdout;
  await expect.poll(events).toContain('admin updated application');
});

test.each([
  ['/download/argocd-linux-amd64', 'install fairlead'],
  ['/extensions.js', 'application.links'],
  ['/api/dex/auth', 'oidc.config'],
])('server §2.9: %s says what takes its place', async (path, instead) => {
  const answer = await tenants.ask('anonymous', 'GET', path);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(instead)]);
});

test('server §1.4: with server.disable.auth every request may do everything, and without it none without a token', async () => {
  const status = async () => (await tenants.ask('anonymous', 'GET', web)).status;
  expect(await status()).toBe(401);
  const metadata = { name: 'argocd-cmd-params-cm', namespace: 'argocd' };
  const data = { 'server.disable.auth': 'true' };
  await tenants.fairlead.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  await expect.poll(status).toBe(200);
  expect((await tenants.ask('anonymous', 'POST', `${web}/sync`, { dryRun: true })).status).toBeLessThan(403);
  await tenants.configure('argocd-cmd-params-cm', { 'server.disable.auth': null });
  await expect.poll(status).toBe(401);
});

test('server §7.5: with a sink the audit log tells who changed what from where, also what was refused', async () => {
  await tenants.configure('argocd-cm', { 'fairlead.audit.sink': 'file' });
  const folder = join(tenants.fairlead.folder, 'data/audit');
  const records = async (): Promise<Record<string, unknown>[]> => {
    const files = await readdir(folder).catch(() => []);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
  };
  const afterRefusal = async () => {
    await tenants.ask('reader', 'POST', `${web}/sync`, { revision: 'main' });
    return records();
  };
  await expect.poll(afterRefusal).toContainEqual({
    stage: 'ResponseComplete',
    id: expect.any(String),
    time: expect.any(String),
    user: 'reader',
    issuer: 'argocd',
    address: '127.0.0.1',
    method: 'POST',
    route: '/api/v1/applications/:name/sync',
    params: { name: 'web' },
    content: { revision: 'main' },
    status: 403,
    ms: expect.any(Number),
  });
  const login = { username: 'jane', password: 'second-password' };
  await tenants.ask('anonymous', 'POST', '/api/v1/session', login);
  await expect
    .poll(records)
    .toContainEqual(expect.objectContaining({ route: '/api/v1/session', content: { username: 'jane' } }));
  expect(JSON.stringify(await records())).not.toContain('second-password');
  await tenants.configure('argocd-cm', { 'fairlead.audit.sink': null });
});
