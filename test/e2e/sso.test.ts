import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { forget } from './fairlead.ts';
import { type SsoTenants, startSsoTenants } from './sso-tenants.ts';

// Single sign-on with a real provider over TLS, through the started program: who gets in, what they may do, and how it ends.

let sso: SsoTenants;
beforeAll(async () => {
  sso = await startSsoTenants();
  await eventually(async () => {
    const { oidcConfig } = await get('/api/v1/settings');
    expect(oidcConfig).toBeDefined();
  });
});
afterAll(async () => {
  await sso.stop();
  forget(sso.tenants.fairlead);
});

const get = async (path: string) =>
  JSON.parse((await sso.newJar().ask(`${sso.url}${path}`)).text) as Record<string, unknown>;

test('server §2.8: anybody may know how to log in, and nobody the secret of it', async () => {
  const settings = await get('/api/v1/settings');
  expect(settings.oidcConfig).toEqual({
    name: 'Example',
    issuer: sso.provider.issuer,
    clientID: 'fairlead',
    cliClientID: 'fairlead-cli',
    scopes: ['openid', 'email', 'groups'],
  });
  expect(JSON.stringify(settings)).not.toContain('canary');
});

test('server §4.4: a person logs in, is known by email and groups, and may do what the groups may', async () => {
  const jar = await sso.login('mia');
  const info = JSON.parse((await jar.ask(`${sso.url}/api/v1/session/userinfo`)).text);
  expect(info).toEqual({
    loggedIn: true,
    username: 'mia@shop.example',
    iss: sso.provider.issuer,
    groups: ['shop-devs'],
  });
  const status = async (path: string, json?: object) =>
    (await jar.ask(`${sso.url}/api/v1/applications${path}`, json && { json, headers: { origin: sso.url } }))
      .status;
  expect([await status('/web'), await status('/web/sync', {})]).toEqual([200, 200]);
  expect([await status('/vault'), await status('/vault/sync', {})]).toEqual([403, 403]);
});

test('a person without groups sees nothing, and a group called admin is not the administrator', async () => {
  const names = async (jar: Awaited<ReturnType<SsoTenants['login']>>) =>
    JSON.parse((await jar.ask(`${sso.url}/api/v1/applications`)).text).items.map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    );
  expect(await names(await sso.login('noah'))).toEqual([]);
  const ada = await sso.login('ada');
  expect(await names(ada)).toEqual(expect.arrayContaining(['vault', 'web']));
  const sync = await ada.ask(`${sso.url}/api/v1/applications/web/sync`, {
    json: {},
    headers: { origin: sso.url },
  });
  expect(sync.status).toBe(403);
});

test('server §4.6: a logout ends the session everywhere, and goes on to the provider', async () => {
  await sso.configureSso({ logoutURL: 'https://sso.example/bye?hint={{token}}&next={{logoutRedirectURL}}' });
  const jar = await sso.login('mia');
  const stolen = jar.cookies.get(`${new URL(sso.url).host} argocd.token`) ?? '';
  await eventually(async () => {
    const out = await sso.newJar().ask(`${sso.url}/auth/logout`);
    expect(out.location).toBe(`${sso.url}/`);
  });
  const bearer = { headers: { authorization: `Bearer ${stolen}` } };
  expect((await jar.ask(`${sso.url}/api/v1/applications/web`, bearer)).status).toBe(200);
  const { status, location } = await jar.ask(`${sso.url}/auth/logout`);
  expect([status, location]).toEqual([
    303,
    `https://sso.example/bye?hint=${stolen}&next=${encodeURIComponent(`${sso.url}/`)}`,
  ]);
  expect(jar.cookies.has(`${new URL(sso.url).host} argocd.token`)).toBe(false);
  expect((await jar.ask(`${sso.url}/api/v1/applications/web`, bearer)).status).toBe(401);
  await sso.configureSso();
});

test('server §4.4: in its last part a session is renewed with the refresh token, by many requests at once', async () => {
  await sso.configureSso({ refreshTokenThreshold: '100h' });
  const jar = await sso.login('mia');
  const host = new URL(sso.url).host;
  const first = jar.cookies.get(`${host} argocd.token`);
  const page = () => jar.ask(`${sso.url}/api/v1/applications/web`);
  await eventually(async () => {
    await Promise.all([page(), page(), page()]);
    expect(jar.cookies.get(`${host} argocd.token`)).not.toBe(first);
  });
  const second = jar.cookies.get(`${host} argocd.token`);
  await Promise.all([page(), page()]);
  expect([(await page()).status, second]).toEqual([200, expect.any(String)]);
  await sso.configureSso();
});

test('groups may come from the userinfo endpoint', async () => {
  const groupsOf = async () => {
    const jar = await sso.login('lee');
    return JSON.parse((await jar.ask(`${sso.url}/api/v1/session/userinfo`)).text).groups;
  };
  expect(await groupsOf()).toBeUndefined();
  await sso.configureSso({ enableUserInfoGroups: true, userInfoPath: '/me' });
  await eventually(async () => expect(await groupsOf()).toEqual(['shop-devs']));
  await sso.configureSso();
});

test('server §5.3: other claims than groups name them where scopes says so', async () => {
  await sso.tenants.configure('argocd-rbac-cm', {
    scopes: '[email]',
    'policy.mail.csv': 'g, noah@shop.example, role:readonly',
  });
  const noah = await sso.login('noah');
  await eventually(async () => {
    expect((await noah.ask(`${sso.url}/api/v1/applications/vault`)).status).toBe(200);
  });
  await sso.tenants.configure('argocd-rbac-cm', { scopes: null, 'policy.mail.csv': null });
});

test('the provider signs with another key: who logs in next gets in', async () => {
  const before = await sso.login('mia');
  await sso.provider.rotate();
  const jar = sso.newJar();
  await eventually(async () => {
    await sso.login('mia', jar);
  });
  expect((await jar.ask(`${sso.url}/api/v1/applications/web`)).status).toBe(200);
  expect((await before.ask(`${sso.url}/api/v1/applications/web`)).status).toBe(401);
});

test('the provider is away: sessions go on, and a login says why it cannot be', async () => {
  const jar = await sso.login('mia');
  await sso.provider.stop();
  expect((await jar.ask(`${sso.url}/api/v1/applications/web`)).status).toBe(200);
  const started = await sso.newJar().ask(`${sso.url}/auth/login`);
  expect(started.status).toBe(303);
  await sso.configureSso({ clientID: 'other' }); // another discovery is needed
  await eventually(async () => {
    const { location } = await sso.newJar().ask(`${sso.url}/auth/login`);
    expect(location).toBe(`${sso.url}/login?has_sso_error=true&sso_error=unavailable`);
  });
  await sso.configureSso();
  await sso.provider.start();
  await eventually(async () => {
    expect((await jar.ask(`${sso.url}/api/v1/applications/web`)).status).toBe(200);
  });
});
