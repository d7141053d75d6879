import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppProject, asKubeObject, type KubeObject } from '#base/model';
import { type Ctx, realClock, runAll, silent, virtualClock } from '#base/std';
import { Informer, SecretValues, SettingsWatch } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { permissionsOf } from '../../../../test/policy.ts';
import { createRoleToken, deleteRoleToken } from '../methods/projects/project-tokens.ts';
import type { MethodCall } from '../rest/request.ts';
import { AccountStore } from './account-store.ts';
import { LiveCredentials } from './live-credentials.ts';
import { Revocations } from './revocations.ts';
import { Sessions } from './sessions.ts';
import { signToken } from './tokens.ts';

const namespace = 'default';
const project = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject' };
const revoked = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'fairlead-revoked-tokens' };
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<void>[];
let clock: ReturnType<typeof virtualClock>;
let close: () => Promise<void>;

beforeEach(async () => {
  stop = new AbortController();
  running = [];
  clock = virtualClock({ start: new Date('2026-01-01T12:00:00Z') });
  ctx = { signal: stop.signal, log: silent, clock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  close = () => cluster.close();
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  await kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace },
  });
  const definition = asKubeObject(parse(readFileSync('deploy/crds/app-project.yaml', 'utf8')), 'crd');
  await kube.apply(ctx, definition, { fieldManager: 'test', force: true });
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await close();
});

/** One of several servers, each with watches of its own, as `openAuth` joins them. */
async function server(isRunning = true): Promise<Sessions> {
  return (await open(isRunning)).sessions;
}

async function open(isRunning = true) {
  const secret = new SecretValues({ kube, namespace });
  const settings = new SettingsWatch({ kube, namespace });
  const credentials = await LiveCredentials.open(ctx, { kube, namespace, secret, settings });
  const revocations = await Revocations.open(ctx, { kube, namespace });
  const projects = new Informer<AppProject>(kube, { ...project, namespace });
  const sessions = new Sessions({ credentials, revocations, settings, projects, namespace });
  const store = new AccountStore({ kube, namespace, credentials, settings });
  if (isRunning)
    running.push(
      runAll(ctx, [
        (inner) => secret.run(inner),
        (inner) => settings.run(inner),
        (inner) => projects.run(inner),
        (inner) => sessions.run(inner),
      ]),
    );
  const ready = isRunning ? Promise.all([settings.whenSynced(ctx), projects.whenSynced(ctx)]) : undefined;
  await ready;
  return { sessions, store, credentials, projects };
}

const configure = (data: Record<string, string | null>) => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cm' };
  return kube.patch(ctx, ref, { type: 'merge', body: { data } });
};
const refusal = (sessions: Sessions, token: string): Promise<string> =>
  sessions.verify(ctx, token).then(
    () => 'admitted',
    (error: Error) => error.message,
  );
/** The issue time of a token is whole seconds, and the password is as old as the first start. */
const login = async (sessions: Sessions): Promise<string> => {
  await clock.advance(1000);
  return sessions.issue(ctx, 'admin');
};

test('server §4.6: a sign-out counts on every replica, after a restart, and ends streams at once', async () => {
  const [one, two] = [await server(), await server()];
  const [token, other] = [await login(one), await login(one)];
  const user = await two.verify(ctx, token);
  const stream = two.untilEnd(ctx, user);
  await one.revoke(ctx, await one.verify(ctx, token));
  expect(await refusal(one, token)).toBe('the session was signed out: log in again');
  await expect.poll(() => refusal(two, token)).toContain('signed out');
  await stream;
  const restarted = await server();
  expect(await refusal(restarted, token)).toContain('signed out');
  expect(await refusal(restarted, other)).toBe('admitted');
  const { data = {} } = (await kube.get(ctx, revoked)) as { data?: Record<string, string> };
  expect(Object.keys(data)).toHaveLength(1);
  expect(JSON.stringify(data)).not.toContain(user.token?.id);
});

test('sign-outs are dropped when their tokens have expired', async () => {
  const one = await server();
  for (let i = 0; i < 3; i++) await one.revoke(ctx, await one.verify(ctx, await login(one)));
  await clock.advance(25 * 3600_000);
  await one.revoke(ctx, await one.verify(ctx, await login(one)));
  const { data = {} } = (await kube.get(ctx, revoked)) as { data?: Record<string, string> };
  expect(Object.keys(data)).toHaveLength(1);
});

test('a Secret full of sign-outs stays bounded, and no signed-out token comes back', async () => {
  const end = Buffer.from(String(clock.now().getTime() / 1000 + 86_400)).toString('base64');
  const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, end]));
  const { name, ...rest } = revoked;
  const full = { ...rest, metadata: { name, namespace }, data };
  await kube.create(ctx, full as Parameters<KubeClient['create']>[1]);
  const one = await server();
  const [token, other] = [await login(one), await login(one)];
  await one.revoke(ctx, await one.verify(ctx, token));
  await expect.poll(() => refusal(one, other)).toContain('signed out');
  expect(await refusal(one, token)).toContain('signed out');
  expect(await refusal(one, await login(one))).toBe('admitted');
  const held = (await kube.get(ctx, revoked)) as { data?: Record<string, string> };
  expect(Object.keys(held.data ?? {})).toEqual(['all-issued-up-to']);
});

test('server §1.3: admin.enabled ends sessions and streams when it becomes false, and counts from the start', async () => {
  const one = await server();
  const token = await login(one);
  const stream = one.untilEnd(ctx, await one.verify(ctx, token));
  expect(await one.lookup(ctx, 'admin')).toMatchObject({ mayLogin: true });
  await configure({ 'admin.enabled': 'false' });
  await stream;
  expect(await refusal(one, token)).toBe('account admin is disabled');
  expect(await one.lookup(ctx, 'admin')).toMatchObject({ mayLogin: false });
  expect(one.hasLocalLogins).toBe(false);
  const restarted = await server();
  expect(await refusal(restarted, token)).toBe('account admin is disabled');
  await configure({ 'admin.enabled': null });
  await expect.poll(() => refusal(one, token)).toBe('admitted');
});

test('server §1.3: users.session.duration counts for new tokens and, when shortened, for old ones', async () => {
  const one = await server();
  const day = await login(one);
  await one.verify(ctx, day);
  await configure({ 'users.session.duration': '1h' });
  await expect
    .poll(async () => (await one.verify(ctx, await one.issue(ctx, 'admin'))).token)
    .toMatchObject({ expires: clock.now().getTime() / 1000 + 3600 });
  expect(await refusal(one, day)).toBe('admitted');
  await clock.advance(3600_000);
  expect(await refusal(one, day)).toBe('the session has expired: log in again');
  await configure({ 'users.session.duration': '0' });
  const endless = async () => (await one.verify(ctx, await one.issue(ctx, 'admin'))).token;
  await expect.poll(endless).toMatchObject({ expires: undefined });
});

test('a stream ends in the moment its token expires', async () => {
  const one = await server();
  const user = await one.verify(ctx, await login(one));
  let isOver = false;
  const stream = one.untilEnd(ctx, user).then(() => {
    isOver = true;
  });
  await clock.advance(86_399_000);
  expect(isOver).toBe(false);
  await clock.advance(1000);
  await stream;
});

test('nothing is decided before the settings were read', async () => {
  const token = await login(await server());
  await configure({ 'admin.enabled': 'false' });
  const early = await server(false);
  const gone = new AbortController();
  const asked = early.verify({ ...ctx, signal: gone.signal }, token);
  gone.abort(new Error('client left'));
  await expect(asked).rejects.toThrow('client left');
});

test('server §4.2: an API key is valid while its account lists it, is enabled and has the capability', async () => {
  const { sessions, store } = await open();
  await expect(store.addToken(ctx, 'ci', { id: 'x', expiresIn: 0 })).rejects.toMatchObject({
    code: 'NotFound',
  });
  await configure({ 'accounts.ci': 'apiKey', 'accounts.jane': 'login' });
  await expect.poll(() => store.list().map(({ name }) => name)).toContain('ci');
  await clock.advance(1000);
  await expect(store.addToken(ctx, 'jane', { id: 'x', expiresIn: 0 })).rejects.toThrow('apiKey capability');
  const [first, second] = [
    await store.addToken(ctx, 'ci', { id: 'first', expiresIn: 0 }),
    await store.addToken(ctx, 'ci', { id: '', expiresIn: 60 }),
  ];
  await expect(store.addToken(ctx, 'ci', { id: 'first', expiresIn: 0 })).rejects.toThrow('already has token');
  expect(await sessions.verify(ctx, first)).toMatchObject({ username: 'ci', kind: 'apiKey' });
  const listed = store.get('ci').tokens;
  expect(listed).toHaveLength(2);
  expect(JSON.stringify(listed)).not.toContain(first);
  const stream = sessions.untilEnd(ctx, await sessions.verify(ctx, first));
  await store.removeToken(ctx, 'ci', 'first');
  await stream;
  expect(await refusal(sessions, first)).toContain('the token was deleted');
  expect(await refusal(sessions, second)).toBe('admitted');
  await configure({ 'accounts.ci': 'login' });
  await expect.poll(() => refusal(sessions, second)).toContain('does not have the capability apiKey');
  await configure({ 'accounts.ci': 'apiKey', 'accounts.ci.enabled': 'false' });
  await expect.poll(() => refusal(sessions, second)).toBe('account ci is disabled');
  await configure({ 'accounts.ci.enabled': null });
  await expect.poll(() => refusal(sessions, second)).toBe('admitted');
  await clock.advance(60_000);
  expect(await refusal(sessions, second)).toBe('invalid session: log in again');
  await configure({ 'accounts.ci': null });
  await expect.poll(() => refusal(sessions, first)).toBe('invalid session: log in again');
});

test('server §4.6: a new password ends all tokens of its account, those of the same second too, and no others', async () => {
  const { sessions, store } = await open();
  await configure({ 'accounts.jane': 'login, apiKey' });
  await expect.poll(() => store.list().map(({ name }) => name)).toContain('jane');
  const own = await login(sessions);
  const theirs = [
    await sessions.issue(ctx, 'jane'),
    await store.addToken(ctx, 'jane', { id: '', expiresIn: 0 }),
  ];
  expect(await Promise.all(theirs.map((token) => refusal(sessions, token)))).toEqual([
    'admitted',
    'admitted',
  ]);
  const streams = await Promise.all(theirs.map(async (token) => sessions.verify(ctx, token)));
  await store.setPassword(ctx, 'jane', '$2b$10$new');
  await Promise.all(streams.map((user) => sessions.untilEnd(ctx, user)));
  for (const token of theirs)
    expect(await refusal(sessions, token)).toContain('the password has changed since');
  expect(await refusal(sessions, own)).toBe('admitted');
  expect(await refusal(sessions, await sessions.issue(ctx, 'jane'))).toBe('admitted');
});

test('server §4.6: a session between two new passwords of one second ends with the second of them', async () => {
  const { sessions, store } = await open();
  await configure({ 'accounts.jane': 'login' });
  await expect.poll(() => store.list().map(({ name }) => name)).toContain('jane');
  await store.setPassword(ctx, 'jane', '$2b$10$first');
  const between = await sessions.issue(ctx, 'jane');
  expect(await refusal(sessions, between)).toBe('admitted');
  await store.setPassword(ctx, 'jane', '$2b$10$second');
  expect(await refusal(sessions, between)).toContain('the password has changed since');
  const later = await sessions.issue(ctx, 'jane');
  expect(await refusal(sessions, later)).toBe('admitted');
  const third = store.setPassword(ctx, 'jane', '$2b$10$third');
  await clock.advance(1000);
  await third;
  expect(await refusal(sessions, later)).toContain('the password has changed since');
  expect(await refusal(sessions, await sessions.issue(ctx, 'jane'))).toBe('admitted');
});

test('server §4.3: a name without an account or a password is checked against some hash, and refused', async () => {
  const { sessions } = await open();
  await configure({ 'accounts.jane': 'login', 'accounts.ci': 'apiKey' });
  await expect.poll(() => sessions.hasLocalLogins).toBe(true);
  for (const name of ['jane', 'ci', 'mallory', '__proto__'])
    expect(await sessions.lookup(ctx, name)).toEqual({
      hash: expect.stringMatching(/^\$2/),
      mayLogin: false,
    });
});

test('server §4.2: a login in its last five minutes is renewed with the same lifetime, other tokens are not', async () => {
  const { sessions, store } = await open();
  await configure({ 'accounts.ci': 'apiKey' });
  await expect.poll(() => store.list().map(({ name }) => name)).toContain('ci');
  const user = await sessions.verify(ctx, await login(sessions));
  expect(await sessions.renewed(ctx, user)).toBeUndefined();
  const key = await sessions.verify(ctx, await store.addToken(ctx, 'ci', { id: '', expiresIn: 86_400 }));
  await clock.advance(86_400_000 - 299_000);
  const { token } = await sessions.verify(ctx, (await sessions.renewed(ctx, user))?.token ?? '');
  expect((token.expires ?? 0) - token.issued).toBe(86_400);
  expect(await sessions.renewed(ctx, key)).toBeUndefined();
});

test('server §4.2: a token of a project role ends with its entry, its role and its project', async () => {
  const made = {
    ...project,
    metadata: { name: 'shop', namespace },
    spec: { roles: [{ name: 'ci' }, { name: 'dev' }] },
  };
  await kube.create(ctx, made as KubeObject);
  const { sessions, credentials, projects } = await open();
  const deps = {
    ...{ kube, namespace, projects },
    signToken: (token: Parameters<typeof signToken>[1]) => signToken(credentials.current().signingKey, token),
  };
  const call = <Body>(params: Record<string, string>, body: Body): MethodCall<Body> => ({
    ...{ params: { project: 'shop', ...params }, query: new URLSearchParams(), body, user: undefined },
    ...{ permissions: permissionsOf(), client: { address: '', isSecure: true } },
  });
  const create = async (role: string, id: string, expiresIn = 0) =>
    (await createRoleToken(ctx, deps, call({ role }, { id, expiresIn }))).token;
  const [one, two, other] = [
    await create('ci', 'one'),
    await create('ci', 'two', 60),
    await create('dev', 'one'),
  ];
  await expect(create('ci', 'one')).rejects.toThrow("token id 'one' has been used");
  await expect(create('none', 'x')).rejects.toMatchObject({ code: 'NotFound' });
  for (const token of [one, two, other]) expect(await refusal(sessions, token)).toBe('admitted');
  expect(await sessions.verify(ctx, one)).toMatchObject({ username: 'proj:shop:ci', kind: 'role' });
  const issued = (await sessions.verify(ctx, one)).token.issued;
  const query = new URLSearchParams({ id: 'one' });
  const stream = sessions.untilEnd(ctx, await sessions.verify(ctx, one));
  // the other token of the role was issued in the same second: it is the id that counts
  await deleteRoleToken(ctx, deps, { ...call({ role: 'ci', iat: String(issued) }, undefined), query });
  await stream;
  expect(await refusal(sessions, one)).toContain('was deleted');
  expect([await refusal(sessions, two), await refusal(sessions, other)]).toEqual(['admitted', 'admitted']);
  await clock.advance(61_000);
  expect(await refusal(sessions, two)).toContain('invalid session');
  const ref = { ...project, namespace, name: 'shop' };
  await kube.patch(ctx, ref, { type: 'merge', body: { spec: { roles: [{ name: 'ci' }] } } });
  await expect.poll(() => refusal(sessions, other)).toContain('was deleted'); // although the status still lists it
});

test('server §4.6: a stream without a session ends when anonymous access does', async () => {
  await configure({ 'users.anonymous.enabled': 'true' });
  const { sessions } = await open();
  await expect.poll(() => sessions.isAnonymousAllowed).toBe(true);
  const stream = sessions.untilEnd(ctx, undefined);
  await configure({ 'users.anonymous.enabled': null });
  await stream;
  expect(sessions.isAnonymousAllowed).toBe(false);
});
