import { printTime } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { Action } from '#engine';
import type { SessionUser } from '../auth/tokens.ts';
import { sleepUntilAny } from '../change-signal.ts';
import type { LivePolicy, RbacSubject } from './live-policy.ts';

/** A request without a session, where anonymous access is enabled (compat server §4.6). */
const anonymous: RbacSubject = { user: '', isLocal: false };

/** compat server §2.4: the same for an object that does not exist and for one that the caller may not see. */
export const hidden = (): FairleadError => new FairleadError('PermissionDenied', 'permission denied');

/**
 * What the caller of one request may do. Every method of the API decides with this object and no other; a method that responds
 * without having used it is refused (see `requireUsed`). Each decision is made with the policy of that moment.
 */
export class Permissions {
  readonly #policy: LivePolicy;
  readonly #user: SessionUser | undefined;
  readonly #standing: (() => boolean)[] = [];
  #isUsed = false;

  /** `user` undefined: the request has no session. */
  constructor(policy: LivePolicy, user: SessionUser | undefined) {
    this.#policy = policy;
    this.#user = user;
  }

  /** The subject of the policy: a user, or a role of a project. */
  get subject(): RbacSubject {
    return this.#user?.subject ?? anonymous;
  }

  /** The values of the claims that `scopes` names. */
  get groups(): readonly string[] {
    return this.#policy.groupsOf(this.subject);
  }

  may(requested: Action): boolean {
    this.#isUsed = true;
    return this.#policy.allows(this.subject, requested);
  }

  /** Throws PermissionDenied unless one of the actions is allowed. A stream ends when that is no longer so. */
  require(...requested: readonly [Action, ...Action[]]): void {
    const isAllowed = (): boolean => requested.some((one) => this.may(one));
    if (!isAllowed()) throw this.denial(requested[0]);
    this.#standing.push(isAllowed);
  }

  /** A condition that must hold for as long as a stream is open. */
  keep(isAllowed: () => boolean): void {
    this.#standing.push(isAllowed);
  }

  /** For a method that every caller may use, or whose result is empty without any decision. */
  waive(): void {
    this.#isUsed = true;
  }

  /** compat server §2.4: names the missing permission; for objects that the caller may know of. */
  denial({ resource, action, object }: Action): FairleadError {
    const { issued } = this.#user?.token ?? {};
    const at = issued === undefined ? '' : `, iat: ${printTime(new Date(issued * 1000))}`;
    const text = `permission denied: ${resource}, ${action}, ${object}, sub: ${this.subject.user}${at}`;
    return new FairleadError('PermissionDenied', text);
  }

  /** Throws when no permission was checked: a method that lacks its check must not respond. */
  requireUsed(what: string): void {
    if (!this.#isUsed) throw new Error(`${what} responds without having checked a permission`);
  }

  /** Resolves when a permission that a stream was opened with is revoked, or `ctx` stops. */
  async untilRevoked(ctx: Ctx): Promise<void> {
    while (!ctx.signal.aborted) {
      const changed = this.#policy.nextChange;
      if (!this.#standing.every((isAllowed) => isAllowed())) return;
      await sleepUntilAny(ctx, Number.POSITIVE_INFINITY, [changed]);
    }
  }
}
