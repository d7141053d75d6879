import type { Ctx, Logger } from '#std';
import { Feed } from './feed.ts';

/** Kinds told of one by one at a time; where there are more, the reason is none of theirs. */
const maxTold = 3;

const wentAway = 'cluster is out of sight: what is shown of it is as it was';
const neverSeen = 'cluster cannot be seen: most of its kinds cannot be read';

/**
 * Whether a cluster can be seen, as far as most of what is watched tells: one kind that fails may have a reason of its own,
 * many have one in common. A cluster that goes is told of once, with what failed last, not once for each of its kinds; a
 * kind is told of when it fails again while most others do not.
 */
export class Sight {
  readonly #watched: () => number;
  /** What cannot be seen, and how often in a row it could not. */
  readonly #blind = new Map<object, number>();
  readonly #told = new Set<object>();
  readonly #feed = new Feed<boolean>();
  #wasSeen = false;

  constructor(watched: () => number) {
    this.#watched = watched;
  }

  get isLost(): boolean {
    return this.#blind.size > 0 && this.#blind.size * 2 >= this.#watched();
  }

  /** Something that is watched can be seen from now on. */
  seen(log: Logger, watched: object): void {
    this.#wasSeen = true;
    if (this.#change(() => this.forget(watched))) log.info('cluster is in sight again');
  }

  /** Something that is watched cannot be seen, or still cannot. */
  failed(log: Logger, watched: object, what: Record<string, unknown>): void {
    const times = (this.#blind.get(watched) ?? 0) + 1;
    if (this.#change(() => this.#blind.set(watched, times)))
      log.warn(this.#wasSeen ? wentAway : neverSeen, what);
    const isNews = times === 2 && !this.isLost && this.#told.size < maxTold;
    if (isNews) this.#told.add(watched);
    log[isNews ? 'warn' : 'debug']('watch failed', what);
  }

  /** Whether it is in sight has become another by it. */
  #change(make: () => void): boolean {
    const wasLost = this.isLost;
    make();
    if (wasLost === this.isLost) return false;
    this.#feed.publish(wasLost);
    return true;
  }

  /** Whether it is in sight, each time that becomes another, until `ctx` stops. */
  changes(ctx: Ctx): AsyncGenerator<boolean> {
    return this.#feed.follow(ctx);
  }

  /** It is not watched any more. */
  forget(watched: object): void {
    this.#blind.delete(watched);
    this.#told.delete(watched);
  }
}
