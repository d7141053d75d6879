import { type Backoff, delayOf, Lru } from '#base/std';

const backoff: Backoff = { initialMs: 5_000, factor: 2, maxMs: 180_000 };

/**
 * Backoff for applications whose deletion hooks fail: each failure delays the next attempt longer, with the default backoff
 * of sync retries. Kept in memory: after a restart the controller retries at once.
 */
export class HookBackoff {
  readonly #held = new Lru<{ readonly count: number; readonly until: number }>({ capacity: 10_000 });

  note(key: string, now: Date): void {
    const count = (this.#held.get(key)?.count ?? 0) + 1;
    this.#held.set(key, { count, until: now.getTime() + delayOf(backoff, count - 1, 0) });
  }

  /** Whether the last attempt in this process failed. */
  has(key: string): boolean {
    return this.#held.get(key) !== undefined;
  }

  /** How long until the next attempt. */
  leftMs(key: string, now: Date): number {
    return Math.max(0, (this.#held.get(key)?.until ?? 0) - now.getTime());
  }

  /** Makes the next attempt due now: something changed that may help. */
  retryNow(key: string): void {
    const held = this.#held.get(key);
    if (held) this.#held.set(key, { ...held, until: 0 });
  }

  clear(key: string): void {
    this.#held.delete(key);
  }
}
