import { type Ctx, Lru, SingleFlight } from '#base/std';
import type { RefAge } from './git/remote-refs.ts';

/** compat 1.15: what Argo CD keeps the lists of a repository for when nobody says otherwise. */
const defaultAgeMs = 180_000;

type Seen<Value> = { readonly at: number; readonly value: Value };

/** What others told us, asked for once however many want to know, and for a while not again. */
export class Remembered<Value> {
  readonly #flights = new SingleFlight<Value>();
  readonly #seen: Lru<Seen<Value>>;

  constructor(capacity: number, weigh: (value: Value) => number = () => 1) {
    this.#seen = new Lru({ capacity, weigh: ({ value }) => weigh(value) });
  }

  /** What is known, if it is young enough; else what `ask` finds out, who is given what was known before. */
  async get(
    ctx: Ctx,
    key: string,
    { fresh = false, since, maxAgeMs = defaultAgeMs }: RefAge,
    ask: (ctx: Ctx, last: Value | undefined) => Promise<Value>,
  ): Promise<Value> {
    const known = this.#seen.get(key);
    const isSince = (at: number | undefined) => since !== undefined && at !== undefined && at >= since;
    if (fresh || since !== undefined) {
      if (!fresh && known && isSince(known.at)) return known.value;
      // what is under way may have been asked for before whatever makes the caller want something fresh
      await this.#flights.settled(ctx, key);
      const meanwhile = this.#seen.get(key);
      if (!fresh && meanwhile && isSince(meanwhile.at)) return meanwhile.value;
    } else if (known) {
      const age = ctx.clock.now().getTime() - known.at;
      if (age >= 0 && age <= maxAgeMs) return known.value;
    }
    return this.#flights.run(ctx, key, async (shared) => {
      const at = shared.clock.now().getTime();
      const value = await ask(shared, this.#seen.get(key)?.value);
      this.#seen.set(key, { at, value });
      return value;
    });
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
