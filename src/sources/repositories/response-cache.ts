import { type Ctx, Lru, SingleFlight } from '#base/std';
import type { RefAge } from './git/remote-refs.ts';

/** compat sources 1.15: how long Argo CD keeps the lists of a repository by default. */
const defaultAgeMs = 180_000;

type Seen<Value> = { readonly at: number; readonly value: Value };

/** Caches responses of hosts: one request for any number of callers, and none while the response is young enough. */
export class ResponseCache<Value> {
  readonly #flights = new SingleFlight<Value>();
  readonly #seen: Lru<Seen<Value>>;

  constructor(capacity: number, weigh: (value: Value) => number = () => 1) {
    this.#seen = new Lru({ capacity, weigh: ({ value }) => weigh(value) });
  }

  /** The cached value, if it is young enough; else the result of the request, which receives the cached value. */
  async get(
    ctx: Ctx,
    key: string,
    { fresh = false, since, maxAgeMs = defaultAgeMs }: RefAge,
    fetch: (ctx: Ctx, last: Value | undefined) => Promise<Value>,
  ): Promise<Value> {
    const known = this.#seen.get(key);
    const isSince = (at: number | undefined) => since !== undefined && at !== undefined && at >= since;
    if (fresh || since !== undefined) {
      if (!fresh && known && isSince(known.at)) return known.value;
      // a request in flight may have been sent before the event for which the caller needs a fresh value
      await this.#flights.settled(ctx, key);
      const meanwhile = this.#seen.get(key);
      if (!fresh && meanwhile && isSince(meanwhile.at)) return meanwhile.value;
    } else if (known) {
      const age = ctx.clock.now().getTime() - known.at;
      if (age >= 0 && age <= maxAgeMs) return known.value;
    }
    return this.#flights.run(ctx, key, async (shared) => {
      const at = shared.clock.now().getTime();
      const value = await fetch(shared, this.#seen.get(key)?.value);
      this.#seen.set(key, { at, value });
      return value;
    });
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
