import { type Ctx, FairleadError, Lru } from '#base/std';

type Streak = { readonly count: number; readonly since: number; readonly last: FairleadError };

/** compat sources CCH-2: after this many failures in a row the last is returned, until this long after the first. */
const enough = 3;
const forMs = 60 * 60 * 1000;
const most = 10_000;

/**
 * Keeps transient failures: too little time or memory, a server that is unavailable. A render that failed three times
 * in a row from the same files is not retried for a while, however often it is requested.
 */
export class Failures {
  readonly #streaks = new Lru<Streak>({ capacity: most });

  /** The failure to return without a retry; undefined when the render should be tried. */
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

  /** A render that its caller cancelled is no failure. */
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
