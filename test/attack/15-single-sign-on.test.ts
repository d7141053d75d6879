import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logInAtProvider } from '../cookie-jar.ts';
import { forget } from '../e2e/fairlead.ts';
import { type SsoTenants, startSsoTenants } from '../e2e/sso-tenants.ts';
import { eventually } from '../eventually.ts';

// Attack 15: a provider whose certificate is not trusted, logins that were begun elsewhere, guessed or repeated, return addresses of other
// sites, and tokens that were made for others, by others, or with the public key as a secret.

let sso: SsoTenants;
beforeAll(async () => {
  sso = await startSsoTenants();
  await eventually(async () => {
    const { location } = await sso.newJar().ask(`${sso.url}/auth/login`);
    expect(location).toContain(sso.provider.issuer);
  });
});
afterAll(async () => {
  await sso.stop();
  forget(sso.tenants.fairlead);
});

const notBegun = () => `${sso.url}/login?has_sso_error=true&sso_error=not-begun`;
const begin = (returnUrl = '/applications') =>
  `${sso.url}/auth/login?return_url=${encodeURIComponent(returnUrl)}`;
const host = () => new URL(sso.url).host;

test('state, nonce and verifier have 256 bits each, and none repeats', async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const { location = '' } = await sso.newJar().ask(begin());
    const query = new URL(location).searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const value = query.get(name) ?? '';
      expect(Buffer.from(value, 'base64url').length, name).toBe(32);
      seen.add(value);
    }
  }
  expect(seen.size).toBe(60);
});

test('the cookie of a login is for no script and no other site, and shows nothing of it', async () => {
  const { headers, location = '' } = await sso.newJar().ask(begin());
  const [cookie = ''] = headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^argocd\.oauthstate=[\w-]+; Path=\/; SameSite=lax; HttpOnly; Max-Age=300$/);
  expect(Buffer.from(cookie.split(/[=;]/)[1] ?? '', 'base64url').toString('latin1')).not.toContain(
    new URL(location).searchParams.get('state'),
  );
});

test('a callback counts in the browser that began the login, once', async () => {
  const victim = sso.newJar();
  const attacker = sso.newJar();
  // the attacker's code, sent to a victim who has begun no login, or another one
  const { location: theirs = '' } = await logInAtProvider(attacker, begin(), 'ada');
  expect((await victim.ask(theirs)).location).toBe(notBegun());
  await victim.ask(begin());
  expect((await victim.ask(theirs)).location).toBe(notBegun());
  expect(victim.cookies.has(`${host()} argocd.token`)).toBe(false);
  // the same callback again, with the cookie of before
  const jar = sso.newJar();
  const { location: own = '' } = await logInAtProvider(jar, begin(), 'mia');
  const state = jar.cookies.get(`${host()} argocd.oauthstate`) ?? '';
  expect((await jar.ask(own)).location).toBe(`${sso.url}/applications`);
  const again = sso.newJar();
  again.cookies.set(`${host()} argocd.oauthstate`, state);
  expect((await again.ask(own)).location).toBe(notBegun());
});

test('a cookie that was changed, or made for another purpose, begins no login', async () => {
  const jar = sso.newJar();
  const { location = '' } = await logInAtProvider(jar, begin(), 'mia');
  const cookie = jar.cookies.get(`${host()} argocd.oauthstate`) ?? '';
  // not the last character: some of its bits say nothing
  const flipped = `${cookie.slice(0, 40)}${cookie[40] === 'A' ? 'B' : 'A'}${cookie.slice(41)}`;
  for (const forged of [flipped, '', 'x', cookie.slice(0, 10)]) {
    const other = sso.newJar();
    other.cookies.set(`${host()} argocd.oauthstate`, forged);
    expect((await other.ask(location)).location).toBe(notBegun());
  }
});

test('a code of another login is refused by its verifier and its nonce', async () => {
  const [one, two] = [sso.newJar(), sso.newJar()];
  const first = new URL((await logInAtProvider(one, begin(), 'mia')).location ?? '');
  const second = new URL((await logInAtProvider(two, begin(), 'ada')).location ?? '');
  first.searchParams.set('code', second.searchParams.get('code') ?? '');
  expect((await one.ask(first.href)).location).toBe(`${sso.url}/login?has_sso_error=true&sso_error=refused`);
});

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  'javascript:alert(1)',
  'http://localhost.evil.example/',
  'http://HOST@evil.example/',
  'https://HOST/applications',
  'http://user:word@HOST/',
  'data:text/html,x',
])('%s is no place to return to', async (address) => {
  const { status, text } = await sso.newJar().ask(begin(address.replace('HOST', host())));
  expect([status, text]).toEqual([400, 'Invalid redirect URL: return_url is not an address of ours\n']);
});

test('the certificate of the provider is checked, unless the operator says that it is not', async () => {
  const started = async () => (await sso.newJar().ask(begin())).location ?? '';
  await sso.configureSso({ rootCA: '' });
  await eventually(async () => expect(await started()).toContain('sso_error=unavailable'));
  await sso.tenants.configure('argocd-cm', { 'oidc.tls.insecure.skip.verify': 'yes' });
  await expect.poll(() => sso.tenants.fairlead.log()).toContain('write \\"true\\"');
  expect(await started()).toContain('sso_error=unavailable');
  await sso.tenants.configure('argocd-cm', { 'oidc.tls.insecure.skip.verify': 'true' });
  await eventually(async () => expect(await started()).toContain(sso.provider.issuer));
  await sso.tenants.configure('argocd-cm', { 'oidc.tls.insecure.skip.verify': null });
  await sso.configureSso();
  await eventually(async () => expect(await started()).toContain(sso.provider.issuer));
});

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);
const claims = (more: object = {}) => ({
  ...{ iss: sso.provider.issuer, aud: 'fairlead', sub: 'ada', groups: ['ops'], email: 'ada@shop.example' },
  ...{ iat: now(), exp: now() + 600 },
  ...more,
});

/** A token with the provider's own key, so that only what it says can be wrong. */
function signed(payload: object, header: object = {}): string {
  const { key, id } = sso.provider.signingKey();
  const text = `${part({ alg: 'RS256', kid: id, ...header })}.${part(payload)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
const statusOf = async (token: string) =>
  (await sso.tenants.ask({ token }, 'GET', '/api/v1/applications')).status;

test('a token counts when it is for us, of the provider and in time; clocks may differ by minutes', async () => {
  expect(await statusOf(signed(claims()))).toBe(200);
  expect(await statusOf(signed(claims({ iat: now() + 240, nbf: now() + 240 })))).toBe(200);
  const wrong: object[] = [
    { aud: 'other' },
    { aud: undefined },
    { iss: 'https://evil.example' },
    { exp: now() - 1 },
    { exp: undefined },
    { sub: undefined },
    { nbf: now() + 900 },
  ];
  for (const more of wrong) expect(await statusOf(signed(claims(more))), JSON.stringify(more)).toBe(401);
  await sso.configureSso({ allowedAudiences: ['other', 'third'] });
  await eventually(async () => expect(await statusOf(signed(claims({ aud: ['x', 'third'] })))).toBe(200));
  expect(await statusOf(signed(claims()))).toBe(401);
  await sso.configureSso();
  await eventually(async () => expect(await statusOf(signed(claims()))).toBe(200));
});

test('a token of another key, of none, or with the public key as a secret is no token', async () => {
  const { key, id } = sso.provider.signingKey();
  const publicPem = String(createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  const confused = `${part({ alg: 'HS256', kid: id })}.${part(claims())}`;
  const hmac = createHmac('sha256', publicPem).update(confused).digest('base64url');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = `${part({ alg: 'RS256', kid: id })}.${part(claims())}`;
  const forged = sign('sha256', Buffer.from(other), privateKey).toString('base64url');
  const ours = claims({ iss: 'argocd', sub: 'admin:login', jti: 'x' });
  for (const token of [
    `${confused}.${hmac}`,
    `${other}.${forged}`,
    `${part({ alg: 'none' })}.${part(claims())}.`,
    signed(claims(), { kid: 'unknown' }).replace(/\.[^.]*$/, '.AAAA'),
    signed(ours),
  ])
    expect(await statusOf(token)).toBe(401);
});

test('the sealed cookie of one person adds no group to another', async () => {
  await sso.configureSso({ enableUserInfoGroups: true, userInfoPath: '/me' });
  const groupsOf = async (jar: Awaited<ReturnType<SsoTenants['login']>>) =>
    JSON.parse((await jar.ask(`${sso.url}/api/v1/session/userinfo`)).text).groups;
  const mia = await eventually(async () => {
    const jar = await sso.login('mia');
    expect(jar.cookies.has(`${host()} fairlead.sso`)).toBe(true);
    return jar;
  });
  const noah = await sso.login('noah');
  noah.cookies.set(`${host()} fairlead.sso`, mia.cookies.get(`${host()} fairlead.sso`) ?? '');
  expect([await groupsOf(mia), await groupsOf(noah)]).toEqual([['shop-devs'], undefined]);
  await sso.configureSso();
});
