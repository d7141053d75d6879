import { verify } from '@node-rs/bcrypt';
import { expect, test } from 'vitest';
import { type Ctx, realClock, silent, virtualClock } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { type Credentials, loadCredentials } from './accounts.ts';
import { Logins } from './login.ts';
import { signToken, TokenVerifier } from './tokens.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

async function emptyCluster(): Promise<KubeClient> {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  await kube.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  return kube;
}

async function secret(kube: KubeClient, name: string): Promise<Record<string, string>> {
  const found = await kube.get(ctx, { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name });
  const { data = {} } = found as { data?: Record<string, string> };
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

const by = (username: string, password: string, address = '192.0.2.1') => ({ username, password, address });

function tokenOf(subject: string, now: Date) {
  const issued = Math.floor(now.getTime() / 1000);
  return { subject, id: 'an-id', issued, expires: issued + 3600 };
}

/** The hash is computed here: which process computes it is the subject of attack 14. */
function loginsOf(credentials: Credentials): Logins {
  const accounts = {
    lookup: async (_ctx: unknown, name: string) => ({
      hash: credentials.accounts.get('admin')?.passwordHash ?? '',
      mayLogin: name === 'admin',
    }),
    issue: async (inner: Ctx, name: string) =>
      signToken(credentials.signingKey, tokenOf(`${name}:login`, inner.clock.now())),
  };
  return new Logins({ accounts, check: (_ctx, given, hash) => verify(given, hash) });
}

test('a first start makes a key and a password, and later starts keep them', async () => {
  const kube = await emptyCluster();
  const [first, twin] = await Promise.all([
    loadCredentials(ctx, kube, 'argocd'),
    loadCredentials(ctx, kube, 'argocd'),
  ]);
  expect(twin).toEqual(first);
  expect(await loadCredentials(ctx, kube, 'argocd')).toEqual(first);
  const { password = '' } = await secret(kube, 'argocd-initial-admin-secret');
  expect(password).toMatch(/^[A-Za-z0-9]{16}$/);
  const token = await loginsOf(first).login(ctx, by('admin', password));
  expect(await new TokenVerifier().read(first.signingKey, token, new Date())).toMatchObject({
    username: 'admin',
    issuer: 'argocd',
  });
});

test('a start that died between password and hash goes on with the same password', async () => {
  const kube = await emptyCluster();
  const data = { password: Buffer.from('kept-password-16').toString('base64') };
  await kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'argocd-initial-admin-secret', namespace: 'argocd' },
    ...({ data } as object),
  });
  const credentials = await loadCredentials(ctx, kube, 'argocd');
  await expect(loginsOf(credentials).login(ctx, by('admin', 'kept-password-16'))).resolves.toContain('.');
});

const signingKey = Buffer.from('0123456789abcdef0123456789abcdef');
const noon = new Date('2026-01-01T12:00:00Z');
const refused = { code: 'Auth', message: 'invalid session: log in again' };

test('a token is refused when it is late, forged, or of another key, also after it was read', async () => {
  const token = await signToken(signingKey, tokenOf('admin:login', noon));
  const reader = new TokenVerifier();
  const at = (time: string, key: Uint8Array = signingKey) => reader.read(key, token, new Date(time));
  const user = await at('2026-01-01T12:30:00Z');
  expect(user).toMatchObject({ username: 'admin', kind: 'login', subject: { user: 'admin', isLocal: true } });
  expect(await at('2026-01-01T12:31:00Z')).toBe(user);
  await expect(at('2026-01-01T13:00:00Z')).rejects.toMatchObject(refused);
  await expect(at('2026-01-01T11:59:00Z')).rejects.toMatchObject(refused);
  await expect(at('2026-01-01T12:30:00Z', Buffer.from('another key'.repeat(4)))).rejects.toMatchObject(
    refused,
  );
  await expect(reader.read(signingKey, `${token}x`, noon)).rejects.toMatchObject(refused);
  const [, body] = token.split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  await expect(reader.read(signingKey, `${none}.${body}.`, noon)).rejects.toMatchObject(refused);
});

test.each(['admin', 'admin:login:x', 'admin:fly', ':login', 'proj:a', 'proj::x', 'proj:a:b:c', ''])(
  'a token whose subject is "%s" is refused',
  async (subject) => {
    const token = await signToken(signingKey, tokenOf(subject, noon));
    await expect(new TokenVerifier().read(signingKey, token, noon)).rejects.toMatchObject(refused);
  },
);

test('after five wrong passwords the right one is refused too, until the window has passed', async () => {
  const clock = virtualClock({ settle: () => new Promise((resolve) => setImmediate(resolve)) });
  const kube = await emptyCluster();
  const real = await loadCredentials(ctx, kube, 'argocd');
  const { password = '' } = await secret(kube, 'argocd-initial-admin-secret');
  const logins = loginsOf(real);
  const inner = { ...ctx, clock };
  const attempt = async (given: string) => {
    const trial = logins.login(inner, by('admin', given)).then(
      () => 'in',
      () => 'refused',
    );
    let outcome: string | undefined;
    const done = trial.then((result) => {
      outcome = result;
    });
    while (outcome === undefined) {
      if (clock.sleepers > 0) await clock.advanceToNext();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    return outcome;
  };
  for (let i = 0; i < 5; i++) expect(await attempt('wrong')).toBe('refused');
  expect(await attempt(password)).toBe('refused');
  await clock.advance(301_000);
  expect(await attempt(password)).toBe('in');
  for (const odd of [by('x'.repeat(33), 'y'), by('admin', '')])
    await expect(clock.autoAdvance(logins.login(inner, odd))).rejects.toMatchObject({ code: 'Auth' });
});

test('a name without an account costs the same work as one with', async () => {
  let hashes = 0;
  const accounts = {
    lookup: async (_ctx: unknown, name: string) => ({ hash: '', mayLogin: name === 'admin' }),
    issue: async () => '',
  };
  const check = async () => {
    hashes += 1;
    return false;
  };
  const clock = { ...realClock, sleep: async () => {} };
  const logins = new Logins({ accounts, check });
  for (const name of ['admin', 'mallory'])
    await expect(logins.login({ ...ctx, clock }, by(name, 'wrong'))).rejects.toMatchObject({ code: 'Auth' });
  expect(hashes).toBe(2);
});

test('one address has ten logins in progress, all together fifty, and more are refused without a hash', async () => {
  let hashes = 0;
  const accounts = { lookup: async () => ({ hash: '', mayLogin: false }), issue: async () => '' };
  const stop = new AbortController();
  const check = (inner: Ctx) => {
    hashes += 1;
    return new Promise<boolean>((_resolve, reject) => {
      inner.signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
  };
  const logins = new Logins({ accounts, check });
  const attempt = (i: number, address: string) =>
    logins
      .login({ ...ctx, signal: stop.signal }, by(`user-${i}`, 'x', address))
      .catch((error: Error) => error.message);
  const one = Array.from({ length: 12 }, (_, i) => attempt(i, 'a'));
  const many = Array.from({ length: 50 }, (_, i) => attempt(i, `b${i}`));
  await new Promise((resolve) => setImmediate(resolve));
  expect(hashes).toBe(50);
  stop.abort();
  const refused = async (group: Promise<string>[]) =>
    (await Promise.all(group)).filter((text) => text.startsWith('too many logins at once')).length;
  expect([await refused(one), await refused(many)]).toEqual([2, 10]);
});

test.each<[string, Record<string, string>]>([
  ['has no password', { password: '' }],
  ['has a name that is too long', { username: 'x'.repeat(33) }],
  ['is one of too many', { address: 'full' }],
  ['comes from a client that is locked out', { address: 'locked' }],
])('a login that %s is refused as late as one with a wrong password', async (_what, differs) => {
  const clock = virtualClock();
  const stop = new AbortController();
  const inner = { ...ctx, clock, signal: stop.signal };
  const never = new Promise<boolean>(() => {});
  const accounts = { lookup: async () => ({ hash: '', mayLogin: false }), issue: async () => '' };
  const isHanging = (given: string) => given === 'hangs';
  const logins = new Logins({
    accounts,
    check: (_ctx, given) => (isHanging(given) ? never : Promise.resolve(false)),
  });
  for (let i = 0; i < 10; i++) void logins.login(inner, by(`user-${i}`, 'hangs', 'full')).catch(() => {});
  const failures = Array.from({ length: 5 }, () => logins.login(inner, by('admin', 'wrong', 'locked')));
  const failed = Promise.allSettled(failures);
  await clock.advance(1_000);
  await failed;
  let answer = '';
  const refused = logins.login(inner, { ...by('admin', 'wrong'), ...differs }).catch((error: Error) => {
    answer = error.message;
  });
  await clock.advance(499);
  expect(answer).toBe('');
  await clock.advance(501);
  await refused;
  expect(answer).toMatch(/^(Invalid username|too many logins|locked out)/);
  stop.abort();
});
