import { type Ctx, FairleadError, Lru, SingleFlight, sha256 } from '#base/std';
import type { SessionUser } from '../tokens.ts';
import type { LiveProvider } from './live-provider.ts';

/** Groups, and when they were fetched, in seconds. */
type FetchedGroups = { readonly groups: readonly string[]; readonly at: number };

/** After a failure the groups that are known are used for this long. */
const retrySeconds = 60;

/**
 * The groups of the userinfo endpoint (compat server §4.4). Those of a login are sealed into its cookie; with
 * `userInfoCacheExpiration` they are fetched again when they are older.
 */
export class UserInfoGroups {
  readonly #provider: LiveProvider;
  readonly #fetched = new Lru<FetchedGroups>({ capacity: 5_000 });
  readonly #fetching = new SingleFlight<FetchedGroups>();

  constructor(provider: LiveProvider) {
    this.#provider = provider;
  }

  /**
   * The groups now. An outage of the provider changes none. Throws Auth when the provider rejects the access token: the login
   * was revoked there.
   */
  async current(
    ctx: Ctx,
    user: SessionUser,
    known: FetchedGroups,
    accessToken: string | undefined,
  ): Promise<readonly string[]> {
    const maxSeconds = (this.#provider.settings?.userInfoCacheMs ?? 0) / 1000;
    if (maxSeconds <= 0 || !accessToken) return known.groups;
    const key = sha256(accessToken);
    const last = this.#fetched.get(key) ?? known;
    const now = ctx.clock.now().getTime() / 1000;
    if (now - last.at < maxSeconds) return last.groups;
    const { groups } = await this.#fetching.run(ctx, key, async (inner) => {
      const fresh = await this.#again(inner, user, { last, accessToken, maxSeconds });
      this.#fetched.set(key, fresh);
      return fresh;
    });
    return groups;
  }

  async #again(
    ctx: Ctx,
    user: SessionUser,
    by: { readonly last: FetchedGroups; readonly accessToken: string; readonly maxSeconds: number },
  ): Promise<FetchedGroups> {
    const { last, accessToken, maxSeconds } = by;
    const now = ctx.clock.now().getTime() / 1000;
    try {
      return { groups: (await this.fetch(ctx, user, accessToken)) ?? [], at: now };
    } catch (error) {
      if (FairleadError.from(error).code === 'Auth') throw error;
      ctx.log.warn('groups not fetched: those of before are used', { user: user.username, error });
      return { ...last, at: now - maxSeconds + Math.min(retrySeconds, maxSeconds) };
    }
  }

  /** Undefined where they are not wanted. */
  async fetch(ctx: Ctx, user: SessionUser, accessToken = ''): Promise<string[] | undefined> {
    const { userInfoGroupsEnabled, userInfoPath, userInfoBaseUrl, issuer } = this.#provider.settings ?? {};
    if (!userInfoGroupsEnabled) return undefined;
    const provider = await this.#provider.get(ctx);
    const base = (userInfoBaseUrl || issuer || '').replace(/\/$/, '');
    const at = userInfoPath
      ? new URL(base + (userInfoPath.startsWith('/') ? '' : '/') + userInfoPath)
      : undefined;
    const subject = user.subject.claims?.sub;
    const claims = await provider.userInfo(accessToken, typeof subject === 'string' ? subject : '', at);
    return [claims.groups ?? []].flat().filter((one): one is string => typeof one === 'string');
  }
}
