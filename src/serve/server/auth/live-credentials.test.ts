import { hash, verify } from '@node-rs/bcrypt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { SecretValues, SettingsWatch } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { LiveCredentials } from './live-credentials.ts';
import { Logins } from './login.ts';
import { Revocations } from './revocations.ts';
import { Sessions } from './sessions.ts';

/** Tokens of project roles are tested with the sessions. */
const noProjects = {
  get: () => undefined,
  changes: async function* () {},
  whenSynced: async () => {},
};
const ref = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name });
let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let said: string[];
let isRefusing: boolean;
let running: Promise<void>[];

beforeEach(async () => {
  stop = new AbortController();
  said = [];
  running = [];
  isRefusing = false;
  const say = (text: string): void => void said.push(text);
  const log = { ...silent, info: say, warn: say, error: say };
  // nobody waits longer than everything else takes
  const clock = { ...realClock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  ctx = { signal: stop.signal, log, clock };
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const refused = '{"kind":"Status","code":403,"reason":"Forbidden","message":"not you"}';
  kube = createKubeClient({
    transport: async (request) =>
      isRefusing && request.method === 'POST'
        ? { status: 403, headers: {}, body: refused }
        : cluster.handle(request),
  });
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster.close();
});

/** One of several servers, each with a watch of its own. */
async function server() {
  const secret = new SecretValues({ kube, namespace: 'default' });
  const settings = new SettingsWatch({ kube, namespace: 'default' });
  const revocations = await Revocations.open(ctx, { kube, namespace: 'default' });
  const made: string[] = [];
  const onMade = async () => void made.push('again');
  const credentials = await LiveCredentials.open(ctx, {
    kube,
    namespace: 'default',
    secret,
    settings,
    onMade,
  });
  const namespace = 'default';
  const sessions = new Sessions({ credentials, revocations, settings, projects: noProjects, namespace });
  const logins = new Logins({ accounts: sessions, check: (_ctx, given, hash) => verify(given, hash) });
  running.push(
    runAll(ctx, [
      (inner) => secret.run(inner),
      (inner) => settings.run(inner),
      (inner) => sessions.run(inner),
    ]),
  );
  await secret.whenSynced(ctx);
  return {
    credentials,
    sessions,
    made,
    login: (password: string) => logins.login(ctx, { username: 'admin', password, address: '192.0.2.1' }),
    admits: (token: string) =>
      Promise.resolve()
        .then(() => sessions.verify(ctx, token))
        .then(
          () => true,
          () => false,
        ),
  };
}

async function initialPassword(): Promise<string> {
  const { data } = (await kube.get(ctx, ref('argocd-initial-admin-secret'))) as {
    data?: Record<string, string>;
  };
  return Buffer.from(data?.password ?? '', 'base64').toString();
}
const put = (values: Record<string, string>) =>
  kube.patch(ctx, ref('argocd-secret'), { type: 'merge', body: { stringData: values } });

test('server §4.2: a new key ends the sessions of the old one on every server, and the streams opened with it', async () => {
  const [one, two] = [await server(), await server()];
  const password = await initialPassword();
  const token = await one.login(password);
  expect(await two.admits(token)).toBe(true);
  const eras = [one, two].map(({ credentials }) => credentials.ends('admin'));
  await put({ 'server.secretkey': 'a key of thirty-two bytes or more' });
  for (const each of [one, two]) await expect.poll(() => each.admits(token)).toBe(false);
  expect(eras.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(await two.admits(await one.login(password))).toBe(true);
});

test('server §4.1: a new password counts at once and the old one does not; what else changes ends nothing', async () => {
  const one = await server();
  const old = await initialPassword();
  const token = await one.login(old);
  const era = one.credentials.ends('admin');
  const other = one.credentials.ends('jane');
  await put({ 'webhook.github.secret': 'x' });
  const later = new Date(Date.now() + 60_000).toISOString();
  await put({ 'admin.password': await hash('another-one', { cost: 4 }), 'admin.passwordMtime': later });
  await expect.poll(() => one.admits(token)).toBe(false);
  expect(said.filter((text) => text.includes('admin password changed'))).toHaveLength(1);
  expect([era.aborted, other.aborted]).toEqual([true, false]);
  await expect(one.login('another-one')).resolves.toContain('.');
  await expect(one.login(old)).rejects.toMatchObject({ code: 'Auth' });
});

test('server §4.1: a Secret that is deleted is made again, the same for all, and that is said', async () => {
  const [one, two] = [await server(), await server()];
  const token = await one.login(await initialPassword());
  await kube.delete(ctx, ref('argocd-secret'), {});
  for (const each of [one, two]) await expect.poll(() => each.admits(token)).toBe(false);
  const anew = await one.login(await initialPassword());
  await expect.poll(() => two.admits(anew)).toBe(true);
  expect(said).toContain('argocd-secret is gone: what is missing is made again');
  expect([...one.made, ...two.made]).toContain('again');
  await kube.patch(ctx, ref('argocd-secret'), {
    type: 'merge',
    body: { data: { 'server.secretkey': null } },
  });
  await expect.poll(() => one.admits(anew)).toBe(false);
  expect(said).toContain('argocd-secret has no key or no password of admin: what is missing is made again');
});

test('where the Secret cannot be made again nobody is let in, until somebody puts it there', async () => {
  const one = await server();
  const token = await one.login(await initialPassword());
  const kept = await kube.get(ctx, ref('argocd-secret'));
  isRefusing = true;
  await kube.delete(ctx, ref('argocd-secret'), {});
  await expect.poll(() => said).toContain('argocd-secret cannot be recreated: logins are unavailable');
  expect(() => one.credentials.current()).toThrow('logins are unavailable: argocd-secret was deleted');
  // whoever keeps a copy may
  const { name, namespace = '' } = kept.metadata;
  const owner = createKubeClient({ transport: (request) => cluster.handle(request) });
  await owner.create(ctx, { ...kept, metadata: { name, namespace } });
  await expect.poll(() => one.admits(token)).toBe(true);
});

test('server §1.5: while admin is disabled no password is made, and one is made once it is enabled', async () => {
  const about = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'argocd-cm' };
  const { namespace, name } = about;
  const data = { 'admin.enabled': 'false' };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
  await kube.create(ctx, map);
  const one = await server();
  const initial = () => kube.find(ctx, ref('argocd-initial-admin-secret'));
  const stored = async () => ((await kube.get(ctx, ref('argocd-secret'))) as { data?: object }).data ?? {};
  expect([Object.keys(await stored()), await initial()]).toEqual([['server.secretkey'], undefined]);
  await put({ 'webhook.github.secret': 'x' });
  await expect.poll(async () => Object.keys(await stored())).toContain('webhook.github.secret');
  expect([await initial(), one.made]).toEqual([undefined, []]);
  await kube.patch(ctx, about, { type: 'merge', body: { data: { 'admin.enabled': 'true' } } });
  await expect.poll(initial).toBeDefined();
  await expect.poll(() => one.made).toEqual(['again']);
  await expect(one.login(await initialPassword())).resolves.toContain('.');
});
