import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';

// Attack 13: tokens that were forged, are late, or whose session has ended. Every one of them gets 401. Those of an identity
// provider are tried in 15-single-sign-on.test.ts, API keys and tokens of project roles in src/serve/server/auth/sessions.test.ts; tokens of
// ours carry no audience.

let fairlead: Fairlead;
let key: Buffer;

beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  key = Buffer.from(await secretValue('server.secretkey'), 'base64');
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

async function secretValue(name: string): Promise<string> {
  const path = `jsonpath={.data.${name.replaceAll('.', '\\.')}}`;
  return (await fairlead.kubectl('-n', 'argocd', 'get', 'secret', 'argocd-secret', '-o', path)).stdout;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = (): number => Math.floor(Date.now() / 1000);
const claims = () => ({
  iss: 'argocd',
  sub: 'admin:login',
  iat: now(),
  nbf: now(),
  exp: now() + 3600,
  jti: 'a-forged-id',
});
const hs256 = (
  body: object,
  secret: string | Buffer = key,
  header: object = { alg: 'HS256', typ: 'JWT' },
) => {
  const text = `${part(header)}.${part(body)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const hs512 = (body: object): string => {
  const text = `${part({ alg: 'HS512', typ: 'JWT' })}.${part(body)}`;
  return `${text}.${createHmac('sha512', key).update(text).digest('base64url')}`;
};
const ask = async (token: string, cookie = false): Promise<number> => {
  const headers: Record<string, string> = cookie
    ? { cookie: `argocd.token=${token}` }
    : { authorization: `Bearer ${token}` };
  return (await fetch(`${fairlead.url}/api/v1/applications`, { headers })).status;
};
async function login(password = fairlead.password): Promise<string> {
  const answer = await fetch(`${fairlead.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  return ((await answer.json()) as { token: string }).token;
}
const signOut = (token: string) =>
  fetch(`${fairlead.url}/api/v1/session`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  });
const configure = (data: Record<string, string | null>) =>
  fairlead.kubectl(
    '-n',
    'argocd',
    'patch',
    'configmap',
    'argocd-cm',
    '--type=merge',
    '-p',
    JSON.stringify({ data }),
  );

test('a token made with the key and nothing wrong with it is let in, so that the others fail for their own reason', async () => {
  expect(await ask(hs256(claims()))).toBe(200);
});

test('no forged, late or foreign token is let in', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rs = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims())}`;
  const { iat: _iat, ...noIat } = claims();
  const { jti: _jti, ...noJti } = claims();
  const real = await login();
  const [head, body, signature] = real.split('.');
  const cases: Record<string, string> = {
    'no algorithm': `${part({ alg: 'none' })}.${part(claims())}.`,
    'no algorithm, with a signature': `${part({ alg: 'none' })}.${part(claims())}.${signature}`,
    'an odd spelling of no algorithm': `${part({ alg: 'nOnE' })}.${part(claims())}.`,
    'another key': hs256(claims(), 'another key, another key, another'),
    'an empty key': hs256(claims(), ''),
    'a public key as the secret': hs256(
      claims(),
      publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ),
    'an asymmetric signature': `${rs}.${sign('sha256', Buffer.from(rs), privateKey).toString('base64url')}`,
    'a key of its own in the header': hs256(claims(), 'mine', {
      alg: 'HS256',
      jwk: { kty: 'oct', k: Buffer.from('mine').toString('base64url') },
    }),
    'another algorithm with the same key': hs512(claims()),
    'a critical header': hs256(claims(), key, { alg: 'HS256', crit: ['x'], x: 1 }),
    'another issuer': hs256({ ...claims(), iss: 'elsewhere' }),
    'no issuer': hs256({ ...claims(), iss: undefined }),
    expired: hs256({ ...claims(), iat: now() - 7200, nbf: now() - 7200, exp: now() - 3600 }),
    'not valid yet': hs256({ ...claims(), nbf: now() + 3600 }),
    'issued before the password': hs256({ ...claims(), iat: now() - 86_400 * 365 }),
    'no issue time': hs256(noIat),
    'no id': hs256(noJti),
    'an empty id': hs256({ ...claims(), jti: '' }),
    'an account that does not exist': hs256({ ...claims(), sub: 'mallory:login' }),
    'a capability the account lacks': hs256({ ...claims(), sub: 'admin:apiKey' }),
    'a subject with more parts': hs256({ ...claims(), sub: 'admin:login:x' }),
    'a project role': hs256({ ...claims(), sub: 'proj:default:admin' }),
    'no subject': hs256({ ...claims(), sub: undefined }),
    'another body under a real signature': `${head}.${part({ ...claims(), exp: now() + 10 ** 8 })}.${signature}`,
    'a cut signature': `${head}.${body}.`,
    'no token at all': 'a.b.c',
    'no percent-encoding': 'a.%zz.%',
  };
  const answers: Record<string, number[]> = {};
  for (const [name, token] of Object.entries(cases))
    answers[name] = [await ask(token), await ask(token, true)];
  expect(answers).toEqual(Object.fromEntries(Object.keys(cases).map((name) => [name, [401, 401]])));
});

test('a token counts no more after sign-out, also after a restart, and others do', async () => {
  const [token, other] = [await login(), await login()];
  expect((await signOut(token)).status).toBe(200);
  expect([await ask(token), await ask(other)]).toEqual([401, 200]);
  await fairlead.kill();
  fairlead = await fairlead.restart();
  expect([await ask(token), await ask(other)]).toEqual([401, 200]);
});

test('users.session.duration counts for tokens that were issued before', async () => {
  const old = hs256({ ...claims(), iat: now() - 60, nbf: now() - 60, jti: 'old' });
  // as old as a minute, where the password is younger: the first start is moved back
  const mtime = new Date(Date.now() - 3600_000).toISOString();
  await patchSecret({ 'admin.passwordMtime': mtime });
  await expect.poll(() => ask(old)).toBe(200);
  await configure({ 'users.session.duration': '30s' });
  await expect.poll(() => ask(old)).toBe(401);
  await configure({ 'users.session.duration': null });
  await expect.poll(() => ask(old)).toBe(200);
});

test('admin.enabled: "false" ends the sessions of admin and refuses new ones, while the server runs', async () => {
  const token = await login();
  await configure({ 'admin.enabled': 'false' });
  await expect.poll(() => ask(token)).toBe(401);
  expect(await login()).toBeUndefined();
  await configure({ 'admin.enabled': null });
  await expect.poll(() => ask(token)).toBe(200);
});

const patchSecret = (stringData: Record<string, string>) => {
  const patch = JSON.stringify({ stringData });
  return fairlead.kubectl('-n', 'argocd', 'patch', 'secret', 'argocd-secret', '--type=merge', '-p', patch);
};

test('a new password ends all sessions of the old one, and so does a new key', async () => {
  const token = await login();
  const mtime = new Date(Date.now() + 1000).toISOString();
  await patchSecret({
    'admin.password': await hash('the-next-one', { cost: 4 }),
    'admin.passwordMtime': mtime,
  });
  await expect.poll(() => ask(token)).toBe(401);
  // tokens have whole seconds: one that is issued in the second of the change is older than it
  await expect.poll(async () => ask((await login('the-next-one')) ?? ''), { timeout: 20_000 }).toBe(200);
  const next = await login('the-next-one');
  await patchSecret({ 'server.secretkey': 'another key that nobody has seen before' });
  await expect.poll(() => ask(next)).toBe(401);
});
