import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, runAll, silent, virtualClock } from '#base/std';
import { SecretValues, SettingsWatch } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { LiveCredentials } from './live-credentials.ts';
import { Revocations } from './revocations.ts';
import { Sessions } from './sessions.ts';

const namespace = 'default';
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
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await close();
});

/** One of several servers, each with watches of its own, as `openAuth` joins them. */
async function server(isRunning = true): Promise<Sessions> {
  const secret = new SecretValues({ kube, namespace });
  const settings = new SettingsWatch({ kube, namespace });
  const credentials = await LiveCredentials.open(ctx, { kube, namespace, secret });
  const revocations = await Revocations.open(ctx, { kube, namespace });
  const sessions = new Sessions({ credentials, revocations, settings });
  if (isRunning)
    running.push(
      runAll(ctx, [
        (inner) => secret.run(inner),
        (inner) => settings.run(inner),
        (inner) => sessions.run(inner),
      ]),
    );
  return sessions;
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
