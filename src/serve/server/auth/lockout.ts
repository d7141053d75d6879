import { printTime } from '#base/model';
import { FairleadError, Lru, sha256 } from '#base/std';
import { ChangeSignal } from '../change-signal.ts';

/** compat server §4.3; `windowMs` 0: failures never expire. */
export type LockoutLimits = { readonly maxFailures: number; readonly windowMs: number };

/** One login of one client. `isKnown`: the account exists, so its entry is not evicted by floods of invented names. */
export type Attempt = { readonly username: string; readonly address: string; readonly isKnown: boolean };

/** The failures of one account, or of one account from one address; `since` in milliseconds. */
export type FailureCount = { readonly count: number; readonly since: number };

type Entry = { count: number; since: number; pending: number };
/** What of them survives a restart; the newest count. */
const mostRecorded = 1_000;

const counters = () => ({
  pairs: new Lru<Entry>({ capacity: 10_000 }),
  accounts: new Lru<Entry>({ capacity: 10_000 }),
});
/** From this many times the limit on, an account is under attack from many addresses at once. */
const attackFactor = 20;

/**
 * Counts failed logins per account and client address. An attempt counts as failed from its beginning until it proves
 * right, so a burst gets no more guesses than the same attempts one after the other. A flood from one address does not lock
 * others out; while an account is attacked from many addresses, each gets a single guess per window.
 */
export class Lockout {
  readonly #limits: LockoutLimits;
  /** Apart, so that invented names evict one another and never an account's entries. */
  readonly #known = counters();
  readonly #unknown = counters();
  readonly #changes = new ChangeSignal();

  constructor(limits: LockoutLimits) {
    this.#limits = limits;
  }

  /** Aborts when a count of an account has changed. */
  get nextChange(): AbortSignal {
    return this.#changes.next;
  }

  /**
   * The counts of accounts that still hold, by hashes of account and address. None where failures never expire: a restart is
   * then what ends a lockout.
   */
  counts(now: number): ReadonlyMap<string, FailureCount> {
    const { windowMs } = this.#limits;
    if (windowMs === 0) return new Map();
    const held = Object.entries(this.#known).flatMap(([kind, entries]) =>
      [...entries.entries()].map(([key, { count, since }]) => [`${kind}.${key}`, { count, since }] as const),
    );
    return new Map(
      held
        .filter(([, { count, since }]) => count > 0 && now - since < windowMs)
        .sort(([, a], [, b]) => b.since - a.since)
        .slice(0, mostRecorded),
    );
  }

  /** Takes up counts of an earlier process. */
  restore(counts: ReadonlyMap<string, FailureCount>): void {
    for (const [name, { count, since }] of counts) {
      const [kind = '', key = ''] = name.split('.');
      if (kind === 'pairs' || kind === 'accounts') this.#known[kind].set(key, { count, since, pending: 0 });
    }
  }

  /**
   * Returns the function to call with the outcome. Throws LimitExceeded, with the same message whether or not the
   * account exists.
   */
  begin({ username, address, isKnown }: Attempt, now: number): (isRight: boolean) => void {
    const { pairs, accounts } = isKnown ? this.#known : this.#unknown;
    const entry = this.#entry(pairs, sha256(`${address} ${username}`), now);
    const account = this.#entry(accounts, sha256(username), now);
    const { maxFailures } = this.#limits;
    const allowed = account.count >= maxFailures * attackFactor ? 1 : maxFailures;
    if (entry.count >= allowed) throw locked(this.#endOf(entry), now);
    entry.count += 1;
    entry.pending += 1;
    account.count += 1;
    if (isKnown) this.#changes.fire();
    return (isRight) => {
      entry.pending -= 1;
      if (isRight) {
        entry.count = entry.pending;
        account.count -= 1;
        if (isKnown) this.#changes.fire();
      }
    };
  }

  #entry(entries: Lru<Entry>, key: string, now: number): Entry {
    const { windowMs } = this.#limits;
    const found = entries.get(key);
    if (found && (windowMs === 0 || now - found.since < windowMs)) return found;
    const fresh = { count: 0, since: now, pending: 0 };
    entries.set(key, fresh);
    return fresh;
  }

  #endOf({ since }: Entry): number | undefined {
    const { windowMs } = this.#limits;
    return windowMs === 0 ? undefined : since + windowMs;
  }
}

/** The same for a right and a wrong password: neither was checked. */
function locked(end: number | undefined, now: number): FairleadError {
  const until = end === undefined ? 'until the server restarts' : `until ${printTime(new Date(end))}`;
  const left = end === undefined ? '' : ` (${Math.ceil((end - now) / 60_000)} min)`;
  return new FairleadError(
    'LimitExceeded',
    `locked out ${until}${left}: too many failed logins for this account from this address; no password is checked until then`,
  );
}
