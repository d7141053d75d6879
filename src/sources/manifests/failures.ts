import { type Ctx, FairleadError, Lru } from '#base/std';

type Streak = { readonly count: number; readonly since: number; readonly last: FairleadError };

/** compat CCH-2: so many in a row, and the last is told again until so long after the first. */
const enough = 3;
const forMs = 60 * 60 * 1000;
const most = 10_000;

/**
 * Remembers failures that may pass by themselves: too little time or memory, a server that does not answer. What
 * failed three times running from the same files is not tried again for a while, however often it is asked for.
 */
export class Failures {
  readonly #streaks = new Lru<Streak>({ capacity: most });

  /** The failure to tell without trying again; undefined when it is worth trying. */
  standing(ctx: Ctx, key: string): FairleadError | undefined {
    const streak = this.#streaks.get(key);
    if (!streak || streak.count < enough) return undefined;
    if (now(ctx) - streak.since >= forMs) {
      this.#streaks.delete(key);
      return undefined;
    }
    const { code, message } = streak.last;
    return new FairleadError(code, `Manifest generation error (cached): ${message}`, streak.last);
  }

  /** What was asked of us and given up by whoever asked is no failure. */
  note(ctx: Ctx, key: string, error: unknown): void {
    if (ctx.signal.aborted) return;
    const before = this.#streaks.get(key);
    const since = before?.since ?? now(ctx);
    this.#streaks.set(key, { count: (before?.count ?? 0) + 1, since, last: FairleadError.from(error) });
  }

  clear(key: string): void {
    this.#streaks.delete(key);
  }
}

const now = ({ clock }: Ctx): number => clock.now().getTime();
