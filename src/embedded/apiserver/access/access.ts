import type { Clock } from '#base/std';
import type { Store } from '#platform/store';
import { type AccessDecision, insider, type RequestAttributes, type RequestUser } from '../authorize.ts';
import type { Ids } from '../ids.ts';
import type { ParsedUrl } from '../path.ts';
import type { ServedRequest } from '../request.ts';
import type { State } from '../state.ts';
import { unauthorized } from '../status.ts';
import { AccountTokens, issuer } from './account-tokens.ts';
import { completed, isImpersonating, refuseImpersonation, wantedUser } from './impersonation.ts';
import { decide, rulesOf } from './rbac.ts';
import { attributesOf, refusalOf } from './request-attributes.ts';
import type { RoleRule } from './rule.ts';
import { TokenSigningKey } from './signing-key.ts';

export type AccessOptions = {
  /** `allow-all` (the default) allows every authenticated user everything; `rbac` evaluates the roles. */
  readonly authorization?: 'allow-all' | 'rbac';
  /** The user of each bearer token, besides service accounts. */
  readonly tokens?: ReadonlyMap<string, RequestUser>;
};

type Deps = {
  readonly state: State;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
};

const everyRule: readonly RoleRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const yes: AccessDecision = { allowed: true, reason: '' };

/** Authentication and authorization. */
export class Access {
  readonly key: TokenSigningKey;
  readonly accountTokens: AccountTokens;
  readonly #state: State;
  readonly #options: AccessOptions;

  constructor({ store, ...deps }: Deps, options: AccessOptions) {
    this.#state = deps.state;
    this.#options = options;
    this.key = new TokenSigningKey(store);
    this.accountTokens = new AccountTokens({ ...deps, key: this.key });
  }

  get usesRoles(): boolean {
    return this.#options.authorization === 'rbac';
  }

  /** The user to serve a request for. Throws Unauthorized, Forbidden, or BadRequest for an impossible impersonation. */
  admit(request: ServedRequest, url: ParsedUrl): RequestUser {
    const user = this.#identify(request) ?? this.#visitor(url);
    if (!this.usesRoles && !isImpersonating(request.headers)) return user;
    const attributes = attributesOf(request.method, request.path, url);
    const actual = this.#impersonated(request, user, attributes);
    const decision = this.decide(actual, attributes);
    if (!decision.allowed) throw refusalOf(actual, attributes, decision.reason);
    return actual;
  }

  /** The user name that a request claims, authenticated or not; '' when it has none. */
  claimedName(request: ServedRequest): string {
    try {
      return request.headers['impersonate-user'] || (this.#identify(request)?.name ?? '');
    } catch {
      return ''; // the error is returned when the request is served
    }
  }

  decide(user: RequestUser, attributes: RequestAttributes): AccessDecision {
    return this.usesRoles ? decide(this.#state, user, attributes) : yes;
  }

  /** The rules of the user in a namespace. */
  rules(user: RequestUser, namespace: string): readonly RoleRule[] {
    return this.usesRoles ? rulesOf(this.#state, user, namespace) : everyRule;
  }

  /** The user and the audiences of a token, or the reason why it is invalid. */
  read(token: string, audiences: readonly string[] = [issuer]) {
    const known = this.#options.tokens?.get(token);
    if (known) return { user: known, audiences };
    const found = this.accountTokens.read(token, audiences);
    if (found === undefined) return 'invalid bearer token';
    return typeof found === 'string' ? `[invalid bearer token, ${found}]` : found;
  }

  #identify({ peer, headers }: ServedRequest): RequestUser | undefined {
    if (peer !== undefined && peer !== 'unknown') return peer;
    const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return peer === 'unknown' ? undefined : insider;
    const found = this.read(token);
    if (typeof found === 'string') throw unauthorized();
    return found.user;
  }

  /**
   * A request without credentials is system:anonymous under RBAC; under allow-all it could do everything, so it is
   * refused except on the open paths.
   */
  #visitor({ where }: ParsedUrl): RequestUser {
    if (this.usesRoles || (where.at === 'other' && open.has(where.segments[0] ?? ''))) return anonymous;
    throw unauthorized();
  }

  #impersonated({ headers }: ServedRequest, user: RequestUser, attributes: RequestAttributes): RequestUser {
    const wanted = wantedUser(headers);
    if (!wanted) return user;
    refuseImpersonation(user, wanted, attributes, (who, what) => this.decide(who, what));
    return completed(wanted);
  }
}

/** Paths open to every client: health and version. */
const open = new Set(['healthz', 'livez', 'readyz', 'version']);
const anonymous: RequestUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
