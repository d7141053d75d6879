import { randomUUID } from 'node:crypto';
import type { Account, KubeObject, Settings } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { hasReason, type KubeClient } from '#kubernetes/client';
import {
  type AccountCredentials,
  accountIn,
  accountKey,
  base64,
  type ListedToken,
  secretName,
} from './accounts.ts';
import type { LiveCredentials } from './live-credentials.ts';
import { issueTime, mostAhead, secondOf, signToken } from './tokens.ts';

type Deps = {
  readonly kube: Pick<KubeClient, 'get' | 'patch'>;
  readonly namespace: string;
  readonly credentials: Pick<LiveCredentials, 'current' | 'accept'>;
  readonly settings: { readonly current: Pick<Settings, 'server'> };
};
type SecretView = KubeObject & { readonly data?: Readonly<Record<string, string>> };
type Change = (account: AccountCredentials) => Readonly<Record<string, string>>;

/** A local account with its tokens, as the settings and `argocd-secret` have it. */
export type LocalAccount = Account & { readonly tokens: readonly ListedToken[] };

/** How far in the future the time of the password is. */
const secondsAhead = ({ clock }: Ctx, account: AccountCredentials | undefined): number =>
  secondOf(account?.passwordMtime) - secondOf(clock.now());

/** Reads the local accounts, and changes what `argocd-secret` holds of them. A confirmed change is in the cluster. */
export class AccountStore {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  list(): readonly LocalAccount[] {
    const { settings, credentials } = this.#deps;
    const { accounts } = credentials.current();
    return settings.current.server.accounts.map((account) => ({
      ...account,
      tokens: [...(accounts.get(account.name)?.tokens ?? [])].sort((a, b) => b.iat - a.iat),
    }));
  }

  /** Throws NotFound. */
  get(name: string): LocalAccount {
    const found = this.list().find((one) => one.name === name);
    if (found) return found;
    throw new FairleadError(
      'NotFound',
      `account '${name}' does not exist: add accounts.${name} to argocd-cm`,
    );
  }

  /**
   * Ends every session and token of the account: those of this second and before are older than the new password, and so are those
   * that were issued since another change in the same second.
   */
  async setPassword(ctx: Ctx, name: string, hash: string): Promise<void> {
    const { accounts } = this.#deps.credentials.current();
    const ahead = secondsAhead(ctx, accounts.get(name));
    // a third change within a second waits for the next one: a session is issued two seconds ahead at most
    if (ahead === mostAhead) await ctx.clock.sleep(1000, ctx.signal);
    await this.#change(ctx, name, (account) => {
      const before = Math.max(0, secondsAhead(ctx, account));
      const seconds = secondOf(ctx.clock.now()) + 1 + (before <= mostAhead ? before : 0);
      return {
        [accountKey(name, 'password')]: hash,
        [accountKey(name, 'passwordMtime')]: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`,
      };
    });
  }

  /** Returns the token, which is stored nowhere. `expiresIn` in seconds, 0: never. */
  async addToken(
    ctx: Ctx,
    name: string,
    wanted: { readonly id: string; readonly expiresIn: number },
  ): Promise<string> {
    if (!this.get(name).capabilities.includes('apiKey'))
      throw new FairleadError(
        'InvalidSpec',
        `account '${name}' does not have apiKey capability: add it to accounts.${name} in argocd-cm`,
      );
    const id = wanted.id || randomUUID();
    const { signingKey, accounts } = this.#deps.credentials.current();
    const time = issueTime(ctx.clock.now(), accounts.get(name)?.passwordMtime);
    const expires = wanted.expiresIn > 0 ? time.issued + wanted.expiresIn : undefined;
    const entry = { id, iat: time.issued, ...(expires !== undefined && { exp: expires }) };
    await this.#change(ctx, name, ({ tokens }) => {
      if (tokens.some((one) => one.id === id))
        throw new FairleadError('InvalidSpec', `account already has token with id '${id}'`);
      return { [accountKey(name, 'tokens')]: JSON.stringify([...tokens, entry]) };
    });
    return signToken(signingKey, { subject: `${name}:apiKey`, id, ...time, expires });
  }

  /** The token is no longer valid, on every replica. Throws NotFound. */
  async removeToken(ctx: Ctx, name: string, id: string): Promise<void> {
    this.get(name);
    await this.#change(ctx, name, ({ tokens }) => {
      const left = tokens.filter((one) => one.id !== id);
      if (left.length === tokens.length)
        throw new FairleadError('NotFound', `account '${name}' has no token with id '${id}'`);
      return { [accountKey(name, 'tokens')]: JSON.stringify(left) };
    });
  }

  /** Reads, changes and writes, again when another writer was faster. */
  async #change(ctx: Ctx, name: string, change: Change): Promise<void> {
    const { kube, namespace, credentials } = this.#deps;
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
    for (;;) {
      const found = (await kube.get(ctx, ref)) as SecretView;
      const values = Object.entries(change(accountIn(found.data ?? {}, name)));
      const data = Object.fromEntries(values.map(([key, value]) => [key, base64(value)]));
      const { resourceVersion } = found.metadata;
      try {
        const body = { metadata: { resourceVersion }, data };
        const written = (await kube.patch(ctx, ref, { type: 'merge', body })) as SecretView;
        credentials.accept(ctx, written.data ?? {});
        return;
      } catch (error) {
        if (!hasReason(error, 'Conflict')) throw error;
      }
    }
  }
}
