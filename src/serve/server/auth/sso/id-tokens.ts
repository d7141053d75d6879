import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { OidcSettings } from '#base/model';
import { type Ctx, FairleadError, isObject, Lru, sha256 } from '#base/std';
import type { SessionUser } from '../tokens.ts';
import type { CachedProviderKeys, ProviderKeys } from './cached-provider-keys.ts';
import type { LiveProvider } from './live-provider.ts';

/** Never a symmetric one: a public key of the provider must not pass for a secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Clocks of providers differ from ours: a token may have been issued in a future that is this near. */
const toleranceSeconds = 300;
/** Keys are fetched again for a key id that is not known, at most this often, and otherwise after ten minutes. */
const soonMs = 5_000;
const lateMs = 10 * 60_000;

type Keys = {
  readonly text: string;
  readonly get: ReturnType<typeof createLocalJWKSet>;
  readonly issuer: string;
};

/** The issuer that a token claims; undefined for what is no token. Nothing of it is verified. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/**
 * Verifies ID tokens with the keys of the provider, which are kept, also over a restart: an outage of the provider ends no session. A
 * token that was verified is the same object again, so that what is cached for its subject is found.
 */
export class IdTokens {
  readonly #provider: LiveProvider;
  readonly #kept: Pick<CachedProviderKeys, 'get' | 'put'> | undefined;
  readonly #read = new Lru<SessionUser>({ capacity: 5_000 });
  #keys: Keys | undefined;
  #fetched = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  #rules = '';

  constructor(provider: LiveProvider, kept?: Pick<CachedProviderKeys, 'get' | 'put'>) {
    this.#provider = provider;
    this.#kept = kept;
  }

  /** Whether single sign-on is on. */
  get isOn(): boolean {
    return this.#provider.settings !== undefined;
  }

  /**
   * The user of a token, also of one that has just expired: the sessions decide that. Throws Auth when it is not valid, Unavailable when no key of the provider is known yet. `groups` are
   * those of the userinfo endpoint.
   */
  async read(ctx: Ctx, token: string, groups?: readonly string[]): Promise<SessionUser> {
    const settings = this.#provider.settings;
    if (!settings || !isSameIssuer(claimedIssuer(token) ?? '', settings.issuer)) throw refused();
    this.#follow(settings);
    const key = groups ? `${token} ${sha256(JSON.stringify(groups))}` : token;
    const now = ctx.clock.now();
    if (now.getTime() - this.#fetched > lateMs) this.#fetch(ctx).catch(() => {}); // the known keys go on
    const known = this.#read.get(key);
    if (known) return known;
    const claims = await this.#verified(ctx, token, settings);
    const user = userOf(token, claims, groups);
    this.#read.set(key, user);
    return user;
  }

  /** Why a user that was verified before is no longer one; undefined: the settings still admit the token. */
  problemWith({ issuer }: SessionUser): string | undefined {
    const settings = this.#provider.settings;
    return settings && isSameIssuer(issuer, settings.issuer) ? undefined : 'invalid session: log in again';
  }

  /** What was verified by other rules is verified again. */
  #follow(settings: OidcSettings): void {
    const { issuer, clientId, cliClientId, allowedAudiences } = settings;
    const rules = JSON.stringify([issuer, clientId, cliClientId, allowedAudiences]);
    if (rules !== this.#rules) this.#read.clear();
    if (this.#keys && !isSameIssuer(this.#keys.issuer, issuer)) this.#keys = undefined;
    this.#rules = rules;
  }

  async #verified(ctx: Ctx, token: string, settings: OidcSettings): Promise<JWTPayload> {
    this.#keys ??= this.#restored(ctx, settings); // a fetch of newer ones is under way
    if (!this.#keys) await this.#fetch(ctx);
    const first = await this.#tried(ctx, token, settings);
    if (first !== 'unknown key') return first;
    if (ctx.clock.now().getTime() - this.#fetched < soonMs && !this.#fetching) throw refused();
    await this.#fetch(ctx);
    const second = await this.#tried(ctx, token, settings);
    if (second === 'unknown key') throw refused();
    return second;
  }

  /** The claims, or that no key fits, which another set of keys may change. Throws Auth for everything else. */
  async #tried(ctx: Ctx, token: string, settings: OidcSettings): Promise<JWTPayload | 'unknown key'> {
    const keys = this.#keys;
    if (!keys) throw new FairleadError('Unavailable', 'the keys of the identity provider are not known');
    const options = { algorithms, clockTolerance: toleranceSeconds, currentDate: ctx.clock.now() };
    try {
      const { payload } = await jwtVerify(token, keys.get, {
        ...options,
        requiredClaims: ['sub', 'exp', 'iat'],
      });
      if (!isSameIssuer(payload.iss ?? '', keys.issuer) || !isForUs(payload, settings)) throw refused();
      return payload;
    } catch (error) {
      const isKeyMissing =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
      if (isKeyMissing) return 'unknown key';
      throw FairleadError.from(error).code === 'Auth' ? error : refused(error);
    }
  }

  #fetch(ctx: Ctx): Promise<void> {
    this.#fetching ??= this.#load(ctx).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #load(ctx: Ctx): Promise<void> {
    this.#fetched = ctx.clock.now().getTime();
    const provider = await this.#provider.get(ctx);
    const set = await provider.keys();
    const loaded = keysOf({ issuer: provider.issuer, keys: set.keys });
    if (loaded.text !== this.#keys?.text) this.#read.clear();
    this.#keys = loaded;
    this.#kept?.put(ctx, { issuer: provider.issuer, keys: set.keys });
  }

  #restored(ctx: Ctx, { issuer }: OidcSettings): Keys | undefined {
    const kept = this.#kept?.get(ctx, issuer);
    return kept && keysOf(kept);
  }
}

const keysOf = ({ issuer, keys }: ProviderKeys): Keys => ({
  text: JSON.stringify(keys),
  issuer,
  get: createLocalJWKSet({ keys } as unknown as JSONWebKeySet),
});

const refused = (cause?: unknown) => new FairleadError('Auth', 'invalid session: log in again', cause);

const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');

/** compat server §4.4: one of the audiences must be ours. */
function isForUs({ aud }: JWTPayload, settings: OidcSettings): boolean {
  const { clientId, cliClientId, allowedAudiences, skipAudienceCheckWhenTokenHasNoAudience } = settings;
  const given = [aud ?? []].flat();
  if (given.length === 0) return skipAudienceCheckWhenTokenHasNoAudience;
  const ours = allowedAudiences.length > 0 ? allowedAudiences : [clientId, cliClientId].filter(Boolean);
  return given.some((one) => ours.includes(one));
}

/** compat server §4.4: the subject of the policy is `sub`, or what Dex knows of the user; the name shown is the email. */
function userOf(token: string, claims: JWTPayload, groups: readonly string[] | undefined): SessionUser {
  const { sub = '', iss = '', iat = 0, exp, jti } = claims;
  const { email, uti, at_hash: hash, federated_claims: federated } = claims;
  const id = [jti, uti, hash].find((one): one is string => typeof one === 'string' && one !== '');
  const known = isObject(federated) ? federated.user_id : undefined;
  const user = typeof known === 'string' && known !== '' ? known : sub;
  const all = groups ? { ...claims, groups: [...new Set([...listed(claims.groups), ...groups])] } : claims;
  return {
    username: typeof email === 'string' && email !== '' ? email : user,
    issuer: iss,
    subject: { user, claims: all, isLocal: false },
    kind: 'sso',
    token: { id: id ?? sha256(token), issued: iat, expires: exp },
  };
}

const listed = (value: unknown): string[] =>
  [value ?? []].flat().filter((one): one is string => typeof one === 'string');
