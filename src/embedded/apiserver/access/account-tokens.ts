import type { Clock } from '#base/std';
import { isObject } from '#kubernetes/schema';
import type { RequestUser } from '../authorize.ts';
import type { Ids } from '../ids.ts';
import { type Item, itemKey } from '../item.ts';
import type { State } from '../state.ts';
import { accountGroups } from './impersonation.ts';
import type { TokenSigningKey } from './signing-key.ts';

/** The issuer of the tokens, and their default audience. */
export const issuer = 'https://kubernetes.default.svc.cluster.local';
const legacyIssuer = 'kubernetes/serviceaccount';
const legacy = 'kubernetes.io/serviceaccount/';

type Deps = {
  readonly state: State;
  readonly key: TokenSigningKey;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** The object a token is bound to: the token is invalid once that is deleted. */
export type Bound = { readonly kind: 'pod' | 'secret' | 'node'; readonly name: string; readonly uid: string };

type Wanted = {
  readonly account: Item;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound: readonly Bound[];
};

type Proven = { readonly user: RequestUser; readonly audiences: readonly string[] };

/** Tokens of service accounts: signed, with the account, the audiences and the expiry time. */
export class AccountTokens {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  issue({ account, audiences, seconds, bound }: Wanted): { readonly token: string; readonly until: Date } {
    const { key, ids } = this.#deps;
    const now = this.#seconds();
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const ties = bound.map(({ kind, name: tied, uid: id }) => [kind, { name: tied, uid: id }] as const);
    const token = key.sign({
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: issuer,
      jti: ids.uuid(),
      'kubernetes.io': { namespace, ...Object.fromEntries(ties), serviceaccount: { name, uid } },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
    return { token, until: new Date((now + seconds) * 1000) };
  }

  /** The token that is stored in a Secret and is valid while that exists. */
  issueForSecret(account: Item, secret: string): string {
    const { namespace = '', name = '', uid = '' } = account.metadata;
    return this.#deps.key.sign({
      iss: legacyIssuer,
      [`${legacy}namespace`]: namespace,
      [`${legacy}secret.name`]: secret,
      [`${legacy}service-account.name`]: name,
      [`${legacy}service-account.uid`]: uid,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /** The account of a token. A text is the reason why it is invalid; undefined: this cluster did not issue it. */
  read(token: string, audiences: readonly string[]): Proven | string | undefined {
    const claims = this.#deps.key.verify(token);
    if (!claims) return undefined;
    if (claims.iss === legacyIssuer) return this.#readLegacy(claims, audiences);
    const own = Array.isArray(claims.aud) ? claims.aud.map(String) : [];
    const common = own.filter((one) => audiences.includes(one));
    if (common.length === 0) {
      return `token audiences ${quoted(own)} is invalid for the target audiences ${quoted(audiences)}`;
    }
    if (Number(claims.exp) <= this.#seconds()) return 'service account token has expired';
    const ties = isObject(claims['kubernetes.io']) ? claims['kubernetes.io'] : {};
    const namespace = String(ties.namespace);
    if (!this.#exist(namespace, ties)) return invalidated;
    const extra = { [`${authentication}/credential-id`]: [`JTI=${String(claims.jti)}`], ...extraOf(ties) };
    return { user: userOf(namespace, tie(ties.serviceaccount), extra), audiences: common };
  }

  #readLegacy(claims: Readonly<Record<string, unknown>>, audiences: readonly string[]): Proven | string {
    const claim = (name: string) => String(claims[`${legacy}${name}`]);
    const namespace = claim('namespace');
    const account = { name: claim('service-account.name'), uid: claim('service-account.uid') };
    const secret = this.#find('/secrets', namespace, claim('secret.name'));
    if (!secret || !this.#exist(namespace, { serviceaccount: account })) return invalidated;
    return { user: userOf(namespace, account, {}), audiences: audiences.filter((one) => one === issuer) };
  }

  #exist(namespace: string, ties: Readonly<Record<string, unknown>>): boolean {
    return Object.entries(collections).every(([kind, collection]) => {
      if (ties[kind] === undefined) return true;
      const { name, uid } = tie(ties[kind]);
      return this.#find(collection, kind === 'node' ? '' : namespace, name)?.metadata.uid === uid;
    });
  }

  #find(collection: string, namespace: string, name: string): Item | undefined {
    return this.#deps.state.collection(collection).get(itemKey(namespace, name))?.item;
  }

  #seconds(): number {
    return Math.floor(this.#deps.clock.now().getTime() / 1000);
  }
}

const invalidated = 'service account token has been invalidated';
const authentication = 'authentication.kubernetes.io';

const collections: Readonly<Record<string, string>> = {
  serviceaccount: '/serviceaccounts',
  pod: '/pods',
  secret: '/secrets',
  node: '/nodes',
};

function tie(value: unknown): { readonly name: string; readonly uid: string } {
  const { name, uid }: Record<string, unknown> = isObject(value) ? value : {};
  return { name: String(name), uid: String(uid) };
}

function extraOf(ties: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const reported = ['node', 'pod'].filter((kind) => ties[kind] !== undefined);
  const pairs = reported.flatMap((kind) => {
    const { name, uid } = tie(ties[kind]);
    const pair = (what: string, value: string): [string, string[]] => [
      `${authentication}/${kind}-${what}`,
      [value],
    ];
    return [pair('name', name), pair('uid', uid)];
  });
  return Object.fromEntries(pairs);
}

function userOf(
  namespace: string,
  { name, uid }: { readonly name: string; readonly uid: string },
  extra: Record<string, string[]>,
): RequestUser {
  const groups = [...accountGroups(namespace), 'system:authenticated'];
  const user = { name: `system:serviceaccount:${namespace}:${name}`, uid, groups };
  return Object.keys(extra).length === 0 ? user : { ...user, extra };
}

const quoted = (words: readonly string[]): string =>
  `[${words.map((word) => JSON.stringify(word)).join(' ')}]`;
