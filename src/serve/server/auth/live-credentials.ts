import type { Settings } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type AccountsKube,
  type Credentials,
  hasSameKey,
  hasSamePassword,
  lacksPassword,
  loadCredentials,
  readCredentials,
} from './accounts.ts';

/** `argocd-secret`, from a watch. */
export type OwnSecret = {
  /** The Secret's `data`; undefined when there is none. */
  data(): Readonly<Record<string, string>> | undefined;
  /** Yields, until `ctx` stops, each time the Secret has changed. */
  changes(ctx: Ctx): AsyncIterable<unknown>;
  whenSynced(ctx: Ctx): Promise<void>;
};

type AdminSettings = {
  readonly current: { readonly server: Pick<Settings['server'], 'adminEnabled'> };
  changes(ctx: Ctx): AsyncIterable<unknown>;
  whenSynced(ctx: Ctx): Promise<void>;
};

type Deps = {
  readonly kube: AccountsKube;
  readonly namespace: string;
  readonly secret: OwnSecret;
  /** `admin.enabled`: without it no password of admin is missing. */
  readonly settings: AdminSettings;
  /** Called when missing credentials have been recreated. Must not throw. */
  onMade?(ctx: Ctx): Promise<void>;
};

/** A user who replaces the Secret by deleting and creating it does both within a moment; recreating waits for that. */
const graceMs = 1_000;
const retryMs = 5_000;

/**
 * The current credentials, on every server that watches the same Secret: a new key or password ends the sessions of the
 * old ones. Deleted credentials are recreated; where that fails no user can log in.
 */
export class LiveCredentials {
  readonly #deps: Deps;
  #held: Credentials | undefined;
  #onChange: () => void = () => {};
  /** One for each account, and one for the key. */
  readonly #eras = new Map<string, AbortController>();

  private constructor(deps: Deps, held: Credentials) {
    this.#deps = deps;
    this.#held = held;
  }

  /** Reads them, creating missing ones; `run` keeps them current. */
  static async open(ctx: Ctx, deps: Deps): Promise<LiveCredentials> {
    return new LiveCredentials(deps, await loadCredentials(ctx, deps.kube, deps.namespace));
  }

  /** Throws Unavailable while there are none. */
  current(): Credentials {
    if (this.#held) return this.#held;
    throw new FairleadError(
      'Unavailable',
      'logins are unavailable: argocd-secret was deleted and cannot be recreated, see the log of the server',
    );
  }

  /**
   * Aborts when the key or the account's password changes: sessions that began with the current ones must be verified again.
   */
  ends(account = ''): AbortSignal {
    const era = this.#eras.get(account) ?? new AbortController();
    this.#eras.set(account, era);
    return era.signal;
  }

  /** Takes what was just written, before the watch delivers it. */
  accept(ctx: Ctx, data: Readonly<Record<string, string>>): void {
    const read = readCredentials(data);
    if (read) this.#become(ctx, read);
  }

  /** Follows the Secret; calls `onChange` each time something of it has changed. */
  async run(ctx: Ctx, onChange: () => void = () => {}): Promise<void> {
    this.#onChange = onChange;
    const { secret, settings } = this.#deps;
    const [changes, settingsChanges] = [secret.changes(ctx), settings.changes(ctx)];
    await Promise.all([secret.whenSynced(ctx), settings.whenSynced(ctx)]);
    await this.#follow(ctx);
    const followSettings = async () => {
      for await (const _change of settingsChanges)
        if (this.#isPasswordMissing(this.#held)) await this.#follow(ctx);
    };
    const followSecret = async () => {
      for await (const _change of changes) await this.#follow(ctx);
    };
    await Promise.all([followSecret(), followSettings()]);
  }

  #isPasswordMissing(credentials: Credentials | undefined): boolean {
    return this.#deps.settings.current.server.adminEnabled && lacksPassword(credentials);
  }

  async #follow(ctx: Ctx): Promise<void> {
    const data = this.#deps.secret.data();
    const read = readCredentials(data ?? {});
    if (read && !this.#isPasswordMissing(read)) this.#become(ctx, read);
    else await this.#makeAgain(ctx, data !== undefined);
  }

  async #makeAgain(ctx: Ctx, isThere: boolean): Promise<void> {
    const { kube, namespace, onMade } = this.#deps;
    const what = isThere ? 'argocd-secret has no key or no password of admin' : 'argocd-secret is gone';
    ctx.log.warn(`${what}: what is missing is made again`);
    for (let waitMs = graceMs; ; waitMs = retryMs) {
      await ctx.clock.sleep(waitMs, ctx.signal);
      try {
        this.#become(ctx, await loadCredentials(ctx, kube, namespace));
        break;
      } catch (error) {
        if (ctx.signal.aborted) throw error;
        this.#held = undefined;
        this.#endAll();
        ctx.log.error('argocd-secret cannot be recreated: logins are unavailable', { error });
      }
    }
    await onMade?.(ctx);
  }

  #become(ctx: Ctx, next: Credentials): void {
    const before = this.#held;
    const isKeySame = before !== undefined && hasSameKey(before, next);
    // the same object: tokens that were verified with it need not be verified again
    this.#held = isKeySame ? { ...next, signingKey: before.signingKey } : next;
    if (!isKeySame) {
      this.#endAll();
      ctx.log.info('session signing key changed: every user logs in again');
    }
    for (const name of new Set([...(before?.accounts.keys() ?? []), ...next.accounts.keys()])) {
      const old = before?.accounts.get(name);
      if (hasSamePassword(old, next.accounts.get(name))) continue;
      this.#end(name);
      if (old?.passwordHash) ctx.log.info(`${name} password changed: its earlier sessions have ended`);
    }
    this.#onChange();
  }

  #endAll(): void {
    for (const name of this.#eras.keys()) this.#end(name);
  }

  #end(name: string): void {
    this.#eras.get(name)?.abort();
    this.#eras.delete(name);
  }
}
