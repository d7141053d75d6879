import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { defaultSettings, type OidcSettings } from '#base/model';
import { type Ctx, FairleadError, type Records, silent, virtualClock } from '#base/std';
import type { OidcRequest } from '#serve/oidc';
import { CachedProviderKeys } from './cached-provider-keys.ts';
import type { SsoReach } from './live-provider.ts';
import { seal } from './seal.ts';
import { Sso } from './sso.ts';

const issuer = 'https://id.example';
const clock = virtualClock({ start: new Date('2026-01-01T00:00:00Z') });
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock };
const signingKey = Buffer.from('the key that sessions are signed with');
const { privateKey, publicKey } = await generateKeyPair('RS256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
const stolen = await generateKeyPair('RS256');
const stolenJwk = { ...(await exportJWK(stolen.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };

let stored: Map<string, string>;
let asked: string[];
beforeEach(() => {
  stored = new Map();
  asked = [];
});
const records: Records<string> = {
  get: (_ctx, key) => stored.get(key),
  put: (_ctx, key, value) => void stored.set(key, value),
  delete: (_ctx, key) => void stored.delete(key),
};

/** The documents of the provider; `groups` are those of its userinfo endpoint. */
let groups: string[] | 'rejected' | 'away' = [];
const answering: OidcRequest = async ({ url }) => {
  asked.push(url.pathname);
  if (url.pathname === '/userinfo' && groups === 'away') throw new FairleadError('Unavailable', 'away');
  const at = (path: string) => `${issuer}${path}`;
  const documents: Record<string, unknown> = {
    '/.well-known/openid-configuration': {
      issuer,
      authorization_endpoint: at('/auth'),
      token_endpoint: at('/token'),
      userinfo_endpoint: at('/userinfo'),
      jwks_uri: at('/keys'),
    },
    '/keys': { keys: [jwk] },
    '/userinfo': { sub: 'jane', groups },
  };
  const isRejected = url.pathname === '/userinfo' && groups === 'rejected';
  return {
    status: isRejected ? 401 : 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(documents[url.pathname] ?? {})),
  };
};
const away: OidcRequest = async () => {
  throw new FairleadError('Unavailable', 'no route to host');
};

const configured: OidcSettings = {
  ...{
    name: 'SSO',
    issuer,
    clientId: 'argocd',
    clientSecret: '',
    cliClientId: '',
    logoutUrl: '',
    rootCa: '',
  },
  ...{ requestedScopes: ['openid'], requestedIdTokenClaims: {}, pkceEnabled: true, domainHint: '' },
  ...{ userInfoGroupsEnabled: false, userInfoPath: '', userInfoBaseUrl: '', userInfoCacheMs: 0 },
  ...{ azureWorkloadIdentity: false, allowedAudiences: [], ignored: [], refreshThresholdMs: 0 },
  skipAudienceCheckWhenTokenHasNoAudience: false,
};

type Started = { readonly key?: Buffer; readonly more?: Partial<OidcSettings> };

function process(request: OidcRequest, { key = signingKey, more = {} }: Started = {}) {
  const oidc = { ...configured, ...more };
  const settings = { current: { server: { ...defaultSettings.server, oidc } } };
  const reach: SsoReach = () => request;
  const credentials = { current: () => ({ signingKey: key }) } as never;
  return new Sso({ credentials, settings, resolve: (value) => value, reach, records });
}

const tokenBy = (key: typeof privateKey): Promise<string> =>
  new SignJWT({ sub: 'jane' })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(issuer)
    .setAudience('argocd')
    .setIssuedAt(clock.now())
    .setExpirationTime(Math.floor(clock.now().getTime() / 1000) + 3600)
    .sign(key);

test('a session goes on over a restart while the provider is unavailable', async () => {
  const token = await tokenBy(privateKey);
  await process(answering).verify(ctx, token, undefined);
  expect([...stored.values()].join()).not.toContain('RS256');
  expect(await process(away).verify(ctx, token, undefined)).toMatchObject({ username: 'jane', issuer });
  await expect(
    process(away, { key: Buffer.from('another') }).verify(ctx, token, undefined),
  ).rejects.toMatchObject({ code: 'Unavailable' });
});

test('keys in the store that we did not seal admit no session', async () => {
  const token = await tokenBy(stolen.privateKey);
  const planted = { issuer, keys: [stolenJwk] };
  for (const text of [JSON.stringify(planted), seal(Buffer.from('guessed'), 'keys', planted), '', '{}']) {
    stored.set(issuer, text);
    await expect(process(away).verify(ctx, token, undefined)).rejects.toMatchObject({ code: 'Unavailable' });
  }
});

test('keys in the store of another issuer are not used', () => {
  const kept = new CachedProviderKeys(records, () => signingKey);
  kept.put(ctx, { issuer: 'https://other.example', keys: [stolenJwk] });
  stored.set(issuer, [...stored.values()][0] ?? '');
  expect(kept.get(ctx, issuer)).toBeUndefined();
  expect(kept.get(ctx, 'https://other.example/')).toMatchObject({ issuer: 'https://other.example' });
});

test('userInfoCacheExpiration: groups that are older are fetched again, and an outage changes none', async () => {
  const sso = process(answering, { more: { userInfoGroupsEnabled: true, userInfoCacheMs: 300_000 } });
  const token = await tokenBy(privateKey);
  const groupsAt = Math.floor(clock.now().getTime() / 1000);
  const companion = { subject: 'jane', began: groupsAt, groups: ['old'], groupsAt, accessToken: 'access' };
  const sealed = seal(signingKey, 'companion', companion);
  const seen = async () => (await sso.verify(ctx, token, sealed)).subject.claims?.groups;
  groups = ['new'];
  expect(await seen()).toEqual(['old']);
  await clock.advance(5 * 60_000);
  expect(await seen()).toEqual(['new']);
  groups = 'away';
  await clock.advance(5 * 60_000);
  expect(await seen()).toEqual(['new']);
  groups = 'rejected';
  await clock.advance(5 * 60_000);
  await expect(seen()).rejects.toMatchObject({ code: 'Auth' });
});
