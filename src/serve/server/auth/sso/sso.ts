import { type Ctx, FairleadError, isObject, type Records, sha256 } from '#base/std';
import { type LoginSecrets, newLoginSecrets, type OidcTokens } from '#serve/oidc';
import type { LiveCredentials } from '../live-credentials.ts';
import type { RenewedSession, SessionUser } from '../tokens.ts';
import { CachedProviderKeys } from './cached-provider-keys.ts';
import { IdTokens } from './id-tokens.ts';
import { LiveProvider, type ProviderDeps } from './live-provider.ts';
import { seal, unseal } from './seal.ts';
import { UserInfoGroups } from './user-info-groups.ts';

type Deps = ProviderDeps & {
  readonly credentials: Pick<LiveCredentials, 'current'>;
  /** Where the keys of the provider outlast a restart; left out: they do not. */
  readonly records?: Records<string> | undefined;
};

/** What the cookie beside an ID token holds: never shown to anybody but us. Times in seconds. */
type Companion = {
  readonly subject: string;
  readonly began: number;
  readonly refreshToken?: string;
  /** Those of the userinfo endpoint, when they were fetched, and what fetches them again. */
  readonly groups?: readonly string[];
  readonly groupsAt?: number;
  readonly accessToken?: string;
};

/** A login that was begun; sealed into a cookie of the browser that began it. */
type Begun = LoginSecrets & {
  readonly redirectUri: string;
  readonly returnUrl: string;
  readonly until: number;
};

export type SsoSession = RenewedSession & { readonly user: SessionUser };

const loginMs = 5 * 60_000;
/** Exchanges with the provider at a time: anybody can begin one. */
const mostExchanges = 20;
/** How long the result of a renewal answers the requests that a page sent at the same time. */
const keptRenewalMs = 30_000;

/**
 * Single sign-on with the provider of `oidc.config` (compat server §4.4). The ID token is the session; what else a login
 * brought (a refresh token, groups) is sealed into a cookie, so that no replica keeps anything.
 */
export class Sso {
  readonly provider: LiveProvider;
  readonly #deps: Deps;
  readonly #tokens: IdTokens;
  readonly #groups: UserInfoGroups;
  /** States that were used, until they would have expired: a callback counts once. */
  readonly #used = new Map<string, number>();
  readonly #renewals = new Map<string, { readonly at: number; readonly session: Promise<SsoSession> }>();
  #exchanges = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.provider = new LiveProvider(deps);
    const kept = deps.records && new CachedProviderKeys(deps.records, () => this.#key);
    this.#tokens = new IdTokens(this.provider, kept);
    this.#groups = new UserInfoGroups(this.provider);
  }

  get isOn(): boolean {
    return this.#tokens.isOn;
  }

  problemWith(user: SessionUser): string | undefined {
    return this.#tokens.problemWith(user);
  }

  /** Throws Auth for a token that is not valid. */
  async verify(ctx: Ctx, token: string, sealed: string | undefined): Promise<SessionUser> {
    if (!sealed) return this.#tokens.read(ctx, token);
    const companion = this.#companionIn(sealed);
    const user = await this.#tokens.read(ctx, token);
    // a companion of another login adds nothing
    if (!companion?.groups || companion.subject !== user.subject.user) return user;
    const known = { groups: companion.groups, at: companion.groupsAt ?? companion.began };
    const groups = await this.#groups.current(ctx, user, known, companion.accessToken);
    return this.#tokens.read(ctx, token, groups);
  }

  /** Where to send a browser to log in, and what to seal into its cookie. */
  async begin(
    ctx: Ctx,
    { redirectUri, returnUrl }: { readonly redirectUri: string; readonly returnUrl: string },
  ): Promise<{ readonly url: string; readonly cookie: string; readonly maxAgeMs: number }> {
    const provider = await this.provider.get(ctx);
    const secrets = newLoginSecrets();
    const settings = this.provider.settings;
    const claims = settings?.requestedIdTokenClaims ?? {};
    const url = await provider.authorizationUrl({
      ...secrets,
      redirectUri,
      scopes: settings?.requestedScopes ?? [],
      more: {
        domain_hint: settings?.domainHint ?? '',
        claims: Object.keys(claims).length > 0 ? JSON.stringify({ id_token: claims }) : '',
      },
    });
    const begun: Begun = { ...secrets, redirectUri, returnUrl, until: ctx.clock.now().getTime() + loginMs };
    return { url, cookie: seal(this.#key, 'login', begun), maxAgeMs: loginMs };
  }

  /** The session of a callback, and the page to continue at. Throws Auth for one that does not belong to the cookie's login. */
  async complete(
    ctx: Ctx,
    { cookie, query }: { readonly cookie: string | undefined; readonly query: URLSearchParams },
  ): Promise<{ readonly session: SsoSession; readonly returnUrl: string }> {
    const begun = this.#begunIn(ctx, cookie, query.get('state') ?? '');
    const session = await this.#exchanging(async () => {
      const provider = await this.provider.get(ctx);
      const tokens = await provider.exchange(new URL(`?${query}`, begun.redirectUri), begun);
      return this.#sessionOf(ctx, tokens, ctx.clock.now().getTime() / 1000);
    });
    return { session, returnUrl: begun.returnUrl };
  }

  /** compat server §4.4: in its last part a session is renewed, never beyond the session duration. */
  async renewed(ctx: Ctx, user: SessionUser, sealed: string | undefined): Promise<SsoSession | undefined> {
    const { refreshToken, began, subject } = (sealed && this.#companionIn(sealed)) || {};
    const thresholdMs = this.provider.settings?.refreshThresholdMs ?? 0;
    const now = ctx.clock.now().getTime();
    if (!refreshToken || began === undefined || subject !== user.subject.user || thresholdMs <= 0)
      return undefined;
    if ((user.token.expires ?? 0) * 1000 - now >= thresholdMs) return undefined;
    const { sessionMs } = this.#deps.settings.current.server;
    if (sessionMs > 0 && now >= began * 1000 + sessionMs) return undefined;
    try {
      const session = await this.#renewal(ctx, refreshToken, began);
      return session.user.subject.user === user.subject.user ? session : undefined;
    } catch (error) {
      ctx.log.warn('session not renewed: it ends with its token', { user: user.username, error });
      return undefined;
    }
  }

  /** Notifies the provider, where it has an endpoint for that, that the login is over. Never throws. */
  async end(ctx: Ctx, sealed: string | undefined): Promise<void> {
    const refreshToken = sealed && this.#companionIn(sealed)?.refreshToken;
    if (!refreshToken) return;
    try {
      await (await this.provider.get(ctx)).revoke(refreshToken);
    } catch (error) {
      ctx.log.warn('refresh token not revoked', { error });
    }
  }

  get #key(): Uint8Array {
    return this.#deps.credentials.current().signingKey;
  }

  /** A page sends several requests at once, and a refresh token may be used once. */
  #renewal(ctx: Ctx, refreshToken: string, began: number): Promise<SsoSession> {
    const now = ctx.clock.now().getTime();
    for (const [key, { at }] of this.#renewals) if (now - at > keptRenewalMs) this.#renewals.delete(key);
    const key = sha256(refreshToken);
    const known = this.#renewals.get(key);
    if (known) return known.session;
    const session = this.#exchanging(async () => {
      const provider = await this.provider.get(ctx);
      return this.#sessionOf(ctx, await provider.refresh(refreshToken), began);
    });
    this.#renewals.set(key, { at: now, session });
    return session;
  }

  async #sessionOf(ctx: Ctx, tokens: OidcTokens, began: number): Promise<SsoSession> {
    const { idToken, accessToken, refreshToken } = tokens;
    const user = await this.#tokens.read(ctx, idToken);
    const groups = await this.#groups.fetch(ctx, user, accessToken);
    const isFetchedAgain = groups !== undefined && (this.provider.settings?.userInfoCacheMs ?? 0) > 0;
    const companion: Companion = {
      ...{ subject: user.subject.user, began: Math.floor(began) },
      ...(refreshToken && { refreshToken }),
      ...(groups && { groups, groupsAt: Math.floor(ctx.clock.now().getTime() / 1000) }),
      ...(isFetchedAgain && accessToken && { accessToken }),
    };
    const isNeeded = refreshToken !== undefined || groups !== undefined;
    return {
      user,
      token: idToken,
      companion: isNeeded ? seal(this.#key, 'companion', companion) : undefined,
    };
  }

  #begunIn(ctx: Ctx, cookie: string | undefined, state: string): Begun {
    const begun =
      cookie === undefined ? undefined : (unseal(this.#key, 'login', cookie) as Begun | undefined);
    const now = ctx.clock.now().getTime();
    for (const [used, until] of this.#used) if (until <= now) this.#used.delete(used);
    if (!begun || now >= begun.until || begun.state !== state || this.#used.has(state))
      throw new FairleadError(
        'Auth',
        'the login was not begun in this browser, or took longer than 5 minutes',
      );
    this.#used.set(state, begun.until);
    return begun;
  }

  #companionIn(sealed: string): Companion | undefined {
    const found = unseal(this.#key, 'companion', sealed);
    return isObject(found) ? (found as Companion) : undefined;
  }

  async #exchanging<T>(work: () => Promise<T>): Promise<T> {
    if (this.#exchanges >= mostExchanges)
      throw new FairleadError('LimitExceeded', 'too many logins at once: try again in a moment');
    this.#exchanges += 1;
    try {
      return await work();
    } finally {
      this.#exchanges -= 1;
    }
  }
}
