import type { Settings } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { ChangeSignal, sleepUntilAny } from '../change-signal.ts';
import type { LiveCredentials } from './live-credentials.ts';
import type { Accounts } from './login.ts';
import type { Revocations } from './revocations.ts';
import { issueToken, type SessionUser, verifyToken } from './tokens.ts';

/** The current settings, and their changes. */
export type LiveSettings = {
  readonly current: Pick<Settings, 'server'>;
  changes(ctx: Ctx): AsyncIterable<unknown>;
  whenSynced(ctx: Ctx): Promise<void>;
};

type Deps = {
  readonly credentials: Pick<LiveCredentials, 'current' | 'ends' | 'run'>;
  readonly revocations: Pick<Revocations, 'isRevoked' | 'revoke' | 'run'>;
  readonly settings: LiveSettings;
};

/**
 * Which tokens are valid now. A token ends at once when it expires, is signed out, its account is disabled, the session
 * duration becomes too short for its age, or the key or the password changes. Nothing is decided before the settings
 * were read: an account that they disable must not log in during a start.
 */
export class Sessions implements Accounts {
  readonly #deps: Deps;
  readonly #ready = new AbortController();
  readonly #changes = new ChangeSignal();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The user of a token. Throws Auth when it is not valid. */
  async verify(ctx: Ctx, token: string): Promise<SessionUser> {
    await this.#whenReady(ctx);
    const { credentials } = this.#deps;
    const ends = credentials.ends(); // before anything is awaited: a change in the meantime ends it
    const user = { ...(await verifyToken(credentials.current(), token, ctx.clock.now())), ends };
    const problem = this.#problemOf(user, ctx.clock.now());
    if (problem) throw new FairleadError('Auth', problem);
    return user;
  }

  /**
   * Resolves when the user's token is no longer valid, or when `ctx` stops. For streams, which outlive their
   * verification.
   */
  async untilEnd(ctx: Ctx, user: SessionUser): Promise<void> {
    while (!ctx.signal.aborted && !user.ends?.aborted) {
      const changed = this.#changes.next; // before the check: a change in the meantime is not missed
      const now = ctx.clock.now();
      if (this.#problemOf(user, now)) return;
      const leftMs = Math.max(1, this.#endOf(user) - now.getTime());
      await sleepUntilAny(ctx, leftMs, [changed, user.ends]);
    }
  }

  /** Ends the user's session, on every replica and permanently. */
  async revoke(ctx: Ctx, { token }: SessionUser): Promise<void> {
    if (!token) return;
    const written = this.#deps.revocations.revoke(ctx, token);
    this.#changes.fire();
    await written;
  }

  async lookup(ctx: Ctx, username: string): Promise<{ hash: string; mayLogin: boolean }> {
    await this.#whenReady(ctx);
    const { passwordHash } = this.#deps.credentials.current();
    // the only account with a password so far; others come with accounts.* in argocd-cm
    return { hash: passwordHash, mayLogin: username === 'admin' && this.#isEnabled(username) };
  }

  async issue(ctx: Ctx, username: string): Promise<string> {
    const { credentials, settings } = this.#deps;
    const lifetime = { now: ctx.clock.now(), ms: settings.current.server.sessionMs };
    return issueToken(credentials.current(), username, lifetime);
  }

  /** Whether any account may log in with a password. */
  get hasLocalLogins(): boolean {
    return this.#deps.settings.current.server.accounts.some(({ name }) => this.#isEnabled(name));
  }

  /** Watches the key, the password, the settings and the sign-outs. */
  async run(ctx: Ctx): Promise<void> {
    const { credentials, revocations, settings } = this.#deps;
    const changes = settings.changes(ctx);
    const follow = async () => {
      await settings.whenSynced(ctx);
      this.#ready.abort();
      this.#changes.fire();
      for await (const _change of changes) this.#changes.fire();
    };
    await Promise.all([credentials.run(ctx), revocations.run(ctx, () => this.#changes.fire()), follow()]);
  }

  #isEnabled(username: string): boolean {
    const { accounts } = this.#deps.settings.current.server;
    return accounts.some(
      ({ name, enabled, capabilities }) => name === username && enabled && capabilities.includes('login'),
    );
  }

  #problemOf(user: SessionUser, now: Date): string | undefined {
    const { username, token } = user;
    if (!this.#isEnabled(username)) return `account ${username} is disabled`;
    if (token && this.#deps.revocations.isRevoked(token)) return 'the session was signed out: log in again';
    return now.getTime() >= this.#endOf(user) ? 'the session has expired: log in again' : undefined;
  }

  /** A shortened session duration applies to sessions that began before. */
  #endOf({ token }: SessionUser): number {
    if (!token) return Number.POSITIVE_INFINITY;
    const { sessionMs } = this.#deps.settings.current.server;
    const byAge = sessionMs > 0 ? token.issued * 1000 + sessionMs : Number.POSITIVE_INFINITY;
    return Math.min(token.expires === undefined ? Number.POSITIVE_INFINITY : token.expires * 1000, byAge);
  }

  async #whenReady(ctx: Ctx): Promise<void> {
    if (!this.#ready.signal.aborted) await sleepUntilAny(ctx, Number.POSITIVE_INFINITY, [this.#ready.signal]);
    ctx.signal.throwIfAborted();
  }
}
