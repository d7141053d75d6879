import { randomInt } from 'node:crypto';
import { type Ctx, FairleadError } from '#base/std';
import { Lockout, type LockoutLimits } from './lockout.ts';
import type { CheckPassword } from './password-pool.ts';

export type LoginLimits = LockoutLimits & {
  /** Logins in progress on this server, failed ones included until they are answered; 0: no limit. */
  readonly maxConcurrent: number;
  /** Servers that share `maxConcurrent`. */
  readonly replicas: number;
};

/** compat server §4.3 */
const defaults: LoginLimits = { maxFailures: 5, windowMs: 300_000, maxConcurrent: 50, replicas: 1 };

/** The accounts, as far as a login needs them. */
export type Accounts = {
  /**
   * The hash to check a password against, that of some account also when there is none of that name; and whether it may
   * log in.
   */
  lookup(ctx: Ctx, username: string): Promise<{ readonly hash: string; readonly mayLogin: boolean }>;
  issue(ctx: Ctx, username: string): Promise<string>;
};

export type LoginRequest = {
  readonly username: string;
  readonly password: string;
  /** The address that the client connects from. */
  readonly address: string;
};

type Deps = {
  readonly accounts: Accounts;
  readonly check: CheckPassword;
  readonly limits?: Partial<LoginLimits>;
};

/** One client may not use all slots: others need some. */
const maxPerAddress = 10;
const maxUsername = 32;
/** Refusals that are held back at a time; a flood of more connections than these is answered at once. */
const maxHeld = 1_000;
const wrong = () => new FairleadError('Auth', 'Invalid username or password');
const tooMany = () => new FairleadError('LimitExceeded', 'too many logins at once: try again in a moment');
const late = (ctx: Ctx): Promise<void> => ctx.clock.sleep(500 + randomInt(500), ctx.signal);

/** Issues a token for a name and a password; rate limits guesses. */
export class Logins {
  readonly #deps: Deps;
  /** The failures it counts. */
  readonly lockout: Lockout;
  readonly #maxConcurrent: number;
  readonly #running = new Map<string, number>();
  #total = 0;
  #held = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const limits = { ...defaults, ...deps.limits };
    this.lockout = new Lockout(limits);
    const share = Math.max(1, Math.floor(limits.maxConcurrent / limits.replicas));
    this.#maxConcurrent = limits.maxConcurrent === 0 ? Number.POSITIVE_INFINITY : share;
  }

  /** Throws Auth for a wrong password, LimitExceeded (before any hash) while there are too many or the client is locked out. */
  async login(ctx: Ctx, request: LoginRequest): Promise<string> {
    await this.confirm(ctx, request);
    return this.#deps.accounts.issue(ctx, request.username);
  }

  /** Checks a password like a login, with the same limits, and issues nothing. */
  async confirm(ctx: Ctx, request: LoginRequest): Promise<void> {
    if (request.password === '' || request.username.length > maxUsername) return this.#refuse(ctx, wrong());
    const leave = this.#enter(request.address);
    if (!leave) return this.#refuse(ctx, tooMany());
    try {
      await this.#check(ctx, request);
    } catch (error) {
      if (FairleadError.from(error).code !== 'LimitExceeded') throw error;
      leave(); // a client that is locked out occupies no slot
      return this.#refuse(ctx, error);
    } finally {
      leave();
    }
  }

  /**
   * Refuses as late as a wrong password does. A connection that is answered at once sends its next login at once, and a few dozen of
   * them would keep this process busy with refusals.
   */
  async #refuse(ctx: Ctx, why: unknown): Promise<never> {
    if (this.#held < maxHeld) {
      this.#held += 1;
      try {
        await late(ctx).catch(() => {}); // a client that has left needs no answer
      } finally {
        this.#held -= 1;
      }
    }
    throw why;
  }

  async #check(ctx: Ctx, { username, password, address }: LoginRequest): Promise<void> {
    const { accounts, check } = this.#deps;
    const { hash, mayLogin } = await accounts.lookup(ctx, username);
    const attempt = { username, address, isKnown: mayLogin };
    const settle = this.lockout.begin(attempt, ctx.clock.now().getTime());
    let isRight = false;
    try {
      // the hash is computed for unknown names too: the time taken reveals nothing
      isRight = (await check(ctx, password, hash)) && mayLogin;
    } finally {
      settle(isRight);
    }
    if (isRight) return;
    await late(ctx);
    throw wrong();
  }

  /** Takes a slot until the returned function is called; undefined when none is free. */
  #enter(address: string): (() => void) | undefined {
    const own = this.#running.get(address) ?? 0;
    if (own >= maxPerAddress || this.#total >= this.#maxConcurrent) return undefined;
    this.#running.set(address, own + 1);
    this.#total += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#running.get(address) ?? 1) - 1;
      if (left > 0) this.#running.set(address, left);
      else this.#running.delete(address);
      this.#total -= 1;
    };
  }
}
