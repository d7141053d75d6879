import { randomUUID } from 'node:crypto';
import { type AppProject, type Settings, tokensOf } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { ChangeSignal, sleepUntilAny } from '../change-signal.ts';
import type { LiveCredentials } from './live-credentials.ts';
import type { Accounts } from './login.ts';
import type { Revocations } from './revocations.ts';
import { claimedIssuer } from './sso/id-tokens.ts';
import type { Sso } from './sso/sso.ts';
import {
  issuer,
  issueTime,
  type RenewedSession,
  type SessionUser,
  secondOf,
  signToken,
  TokenVerifier,
} from './tokens.ts';

/** The current settings, and their changes. */
export type LiveSettings = {
  readonly current: Pick<Settings, 'server'>;
  changes(ctx: Ctx): AsyncIterable<unknown>;
  whenSynced(ctx: Ctx): Promise<void>;
};

/** The projects, for the tokens of their roles. */
export type LiveProjects = {
  get(namespace: string, name: string): AppProject | undefined;
  changes(ctx: Ctx): AsyncIterable<unknown>;
  whenSynced(ctx: Ctx): Promise<void>;
};

type Deps = {
  readonly credentials: Pick<LiveCredentials, 'current' | 'ends' | 'run'>;
  readonly revocations: Pick<Revocations, 'isRevoked' | 'revoke' | 'run'>;
  readonly settings: LiveSettings;
  readonly projects: LiveProjects;
  readonly namespace: string;
  /** Left out: there is no single sign-on. */
  readonly sso?: Pick<Sso, 'isOn' | 'verify' | 'problemWith' | 'renewed'>;
};

/** compat server §4.2: a token that a browser uses in its last minutes is replaced. */
const renewMs = 5 * 60_000;

/**
 * Which tokens are valid now. A token ends at once when it expires, is signed out or deleted, its account is disabled or loses
 * the capability, its role or project is gone, the session duration becomes too short for its age, or the key or the password
 * changes. Nothing is decided before the settings and projects were read: an account that they disable must not log in during
 * a start.
 */
export class Sessions implements Accounts {
  readonly #deps: Deps;
  readonly #reader = new TokenVerifier();
  readonly #ready = new AbortController();
  readonly #changes = new ChangeSignal();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The user of a token. Throws Auth when it is not valid. `companion` is the sealed cookie beside the token of an identity
   * provider.
   */
  async verify(ctx: Ctx, token: string, companion?: string): Promise<SessionUser> {
    await this.#whenReady(ctx);
    if (this.#deps.sso?.isOn && claimedIssuer(token) !== issuer)
      return this.#verifySso(ctx, this.#deps.sso, token, companion);
    const { credentials } = this.#deps;
    const { signingKey } = credentials.current();
    const read = await this.#reader.read(signingKey, token, ctx.clock.now());
    if (credentials.current().signingKey !== signingKey) return this.verify(ctx, token);
    const problem = this.#problemOf(read, ctx.clock.now());
    if (problem) throw new FairleadError('Auth', problem);
    return { ...read, ends: credentials.ends(read.kind === 'role' ? '' : read.username) };
  }

  /**
   * Whether a request without a valid token is served, with the rights of `policy.default` (compat server §4.6), or with all rights
   * where `server.disable.auth` is set.
   */
  get isAnonymousAllowed(): boolean {
    const { anonymousEnabled, authDisabled } = this.#deps.settings.current.server;
    return anonymousEnabled || authDisabled;
  }

  /**
   * Resolves when the user's token is no longer valid, or when `ctx` stops. For streams, which outlive their
   * verification. Without a user it resolves when anonymous access ends.
   */
  async untilEnd(ctx: Ctx, user: SessionUser | undefined): Promise<void> {
    while (!ctx.signal.aborted && !user?.ends?.aborted) {
      const changed = this.#changes.next; // before the check: a change in the meantime is not missed
      const now = ctx.clock.now();
      if (user ? this.#problemOf(user, now) : !this.isAnonymousAllowed) return;
      const leftMs = user ? Math.max(1, this.#endOf(user) - now.getTime()) : Number.POSITIVE_INFINITY;
      await sleepUntilAny(ctx, leftMs, [changed, user?.ends]);
    }
  }

  /** Ends the user's session, on every replica and permanently. */
  async revoke(ctx: Ctx, user: SessionUser): Promise<void> {
    const written = this.#deps.revocations.revoke(ctx, { ...user.token, id: revocationId(user) });
    this.#changes.fire();
    await written;
  }

  /** What replaces a session that is about to expire, with the same lifetime; undefined when it is not. */
  async renewed(ctx: Ctx, user: SessionUser, companion?: string): Promise<RenewedSession | undefined> {
    if (user.kind === 'sso') return this.#deps.sso?.renewed(ctx, user, companion);
    const token = await this.#renewedLogin(ctx, user);
    return token === undefined ? undefined : { token };
  }

  async #renewedLogin(ctx: Ctx, { username, kind, token }: SessionUser): Promise<string | undefined> {
    if (kind !== 'login' || token.expires === undefined) return undefined;
    if (token.expires * 1000 - ctx.clock.now().getTime() >= renewMs) return undefined;
    const { sessionMs } = this.#deps.settings.current.server;
    const lifeMs = (token.expires - token.issued) * 1000;
    return this.#issueFor(ctx, username, sessionMs > 0 ? Math.min(lifeMs, sessionMs) : lifeMs);
  }

  async #verifySso(
    ctx: Ctx,
    sso: NonNullable<Deps['sso']>,
    token: string,
    companion: string | undefined,
  ): Promise<SessionUser> {
    const user = await sso.verify(ctx, token, companion);
    const problem = this.#problemOf(user, ctx.clock.now());
    if (problem) throw new FairleadError('Auth', problem);
    return user;
  }

  async lookup(ctx: Ctx, username: string): Promise<{ hash: string; mayLogin: boolean }> {
    await this.#whenReady(ctx);
    const { accounts } = this.#deps.credentials.current();
    const own = accounts.get(username)?.passwordHash;
    // a name without an account or a password is checked against the password of admin, and refused anyway
    const hash = own || (accounts.get('admin')?.passwordHash ?? '');
    return { hash, mayLogin: !!own && this.#problemWith(username, 'login') === undefined };
  }

  async issue(ctx: Ctx, username: string): Promise<string> {
    return this.#issueFor(ctx, username, this.#deps.settings.current.server.sessionMs);
  }

  /** Whether any account may log in with a password. */
  get hasLocalLogins(): boolean {
    const { accounts } = this.#deps.settings.current.server;
    return accounts.some(({ name }) => this.#problemWith(name, 'login') === undefined);
  }

  /** Watches the key, the accounts, the settings, the projects and the sign-outs. */
  async run(ctx: Ctx): Promise<void> {
    const { credentials, revocations, settings, projects } = this.#deps;
    const fire = () => this.#changes.fire();
    const [changes, projectChanges] = [settings.changes(ctx), projects.changes(ctx)];
    const follow = async () => {
      await Promise.all([settings.whenSynced(ctx), projects.whenSynced(ctx)]);
      this.#ready.abort();
      fire();
      for await (const _change of changes) fire();
    };
    const followProjects = async () => {
      for await (const _change of projectChanges) fire();
    };
    await Promise.all([credentials.run(ctx, fire), revocations.run(ctx, fire), follow(), followProjects()]);
  }

  /** A lifetime of 0 never expires. */
  async #issueFor(ctx: Ctx, username: string, lifeMs: number): Promise<string> {
    const { signingKey, accounts } = this.#deps.credentials.current();
    const time = issueTime(ctx.clock.now(), accounts.get(username)?.passwordMtime);
    const expires = lifeMs > 0 ? time.issued + Math.floor(lifeMs / 1000) : undefined;
    return signToken(signingKey, { subject: `${username}:login`, id: randomUUID(), ...time, expires });
  }

  /** compat server §4.2, in its order. */
  #problemOf(user: SessionUser, now: Date): string | undefined {
    const problem = this.#kindProblem(user);
    if (problem) return problem;
    if (this.#deps.revocations.isRevoked({ ...user.token, id: revocationId(user) }))
      return 'the session was signed out: log in again';
    return now.getTime() >= this.#endOf(user) ? 'the session has expired: log in again' : undefined;
  }

  #kindProblem(user: SessionUser): string | undefined {
    if (user.kind === 'sso') return this.#deps.sso?.problemWith(user);
    return user.kind === 'role' ? this.#roleProblem(user) : this.#accountProblem(user);
  }

  #accountProblem({ username, kind, token }: SessionUser): string | undefined {
    const problem = this.#problemWith(username, kind);
    if (problem) return problem;
    const account = this.#deps.credentials.current().accounts.get(username);
    if (kind === 'apiKey' && !account?.tokens.some(({ id }) => id === token.id))
      return `the token was deleted: generate another one for the account ${username}`;
    const isOld = token.issued < secondOf(account?.passwordMtime);
    return isOld ? 'the password has changed since: log in again' : undefined;
  }

  #problemWith(username: string, capability: string): string | undefined {
    const account = this.#deps.settings.current.server.accounts.find(({ name }) => name === username);
    if (!account) return 'invalid session: log in again';
    if (!account.enabled) return `account ${username} is disabled`;
    const has = account.capabilities.some((one) => one === capability);
    return has ? undefined : `account ${username} does not have the capability ${capability}`;
  }

  /** dev server §4.2: the role must exist, and an entry with an id stands for the token of that id alone. */
  #roleProblem({ username, token }: SessionUser): string | undefined {
    const [, name = '', role = ''] = username.split(':');
    const project = this.#deps.projects.get(this.#deps.namespace, name);
    const isThere = project?.spec.roles?.some((one) => one.name === role) === true;
    const listed = project && isThere ? tokensOf(project, role) : [];
    const isListed = listed.some(
      ({ id, iat }) => id === token.id || (id === String(iat) && iat === token.issued),
    );
    return isListed ? undefined : 'the token of the project role was deleted: create another one';
  }

  /** A shortened session duration applies to sessions that began before. */
  #endOf({ kind, token }: SessionUser): number {
    const { sessionMs } = this.#deps.settings.current.server;
    const byAge =
      kind === 'login' && sessionMs > 0 ? token.issued * 1000 + sessionMs : Number.POSITIVE_INFINITY;
    return Math.min(token.expires === undefined ? Number.POSITIVE_INFINITY : token.expires * 1000, byAge);
  }

  async #whenReady(ctx: Ctx): Promise<void> {
    if (!this.#ready.signal.aborted) await sleepUntilAny(ctx, Number.POSITIVE_INFINITY, [this.#ready.signal]);
    ctx.signal.throwIfAborted();
  }
}

/** Ids that users choose are unique within an account or a role only. */
const revocationId = ({ username, kind, token }: SessionUser): string =>
  kind === 'login' ? token.id : `${username} ${kind} ${token.id}`;
