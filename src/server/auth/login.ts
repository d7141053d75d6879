import { randomInt } from 'node:crypto';
import { type Ctx, FairleadError, Lru } from '#std';
import { type Credentials, isPassword } from './accounts.ts';
import { issueToken } from './tokens.ts';

type Failures = { count: number; since: number };

/** compat server §4.3 */
const maxFailures = 5;
const windowMs = 300_000;
const maxConcurrent = 50;
const maxUsername = 32;
const wrong = () => new FairleadError('Auth', 'Invalid username or password');

/** Turns a name and a password into a token, slowly for those who guess. */
export class Logins {
  readonly #credentials: () => Credentials;
  readonly #sessionMs: number;
  readonly #failures = new Lru<Failures>({ capacity: 10_000 });
  #running = 0;

  constructor(options: { credentials: () => Credentials; sessionMs: number }) {
    this.#credentials = options.credentials;
    this.#sessionMs = options.sessionMs;
  }

  async login(ctx: Ctx, username: string, password: string): Promise<string> {
    if (password === '' || username.length > maxUsername) throw wrong();
    if (this.#running >= maxConcurrent)
      throw new FairleadError('LimitExceeded', 'too many logins at once: try again');
    this.#running += 1;
    try {
      return await this.#check(ctx, username, password);
    } finally {
      this.#running -= 1;
    }
  }

  async #check(ctx: Ctx, username: string, password: string): Promise<string> {
    const now = ctx.clock.now();
    const credentials = this.#credentials();
    const isLocked = this.#countOf(username, now) >= maxFailures;
    // the hash is computed for unknown names too: the time taken tells nothing
    const isRight = await isPassword(password, credentials.passwordHash);
    if (username !== 'admin' || !isRight || isLocked) {
      this.#failed(username, now);
      await ctx.clock.sleep(500 + randomInt(500), ctx.signal);
      throw wrong();
    }
    this.#failures.delete(username);
    return issueToken(credentials, username, { now, ms: this.#sessionMs });
  }

  #countOf(username: string, now: Date): number {
    const failures = this.#failures.get(username);
    return failures && now.getTime() - failures.since < windowMs ? failures.count : 0;
  }

  #failed(username: string, now: Date): void {
    const count = this.#countOf(username, now);
    const since = count > 0 ? (this.#failures.get(username)?.since ?? now.getTime()) : now.getTime();
    this.#failures.set(username, { count: count + 1, since });
  }
}
