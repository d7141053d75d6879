import type { Ctx, Logger } from '#std';
import { Feed } from './feed.ts';

/**
 * Whether a cluster can be seen, as far as most of what is watched tells: one kind that fails may have a reason of its own,
 * many have one in common. A cluster that goes is told of once, not once for each of its kinds.
 */
export class Sight {
  readonly #watched: () => number;
  readonly #blind = new Set<object>();
  readonly #feed = new Feed<boolean>();

  constructor(watched: () => number) {
    this.#watched = watched;
  }

  get isLost(): boolean {
    return this.#blind.size > 0 && this.#blind.size * 2 >= this.#watched();
  }

  /** Something that is watched can be seen from now on, or cannot. */
  note(log: Logger, watched: object, isSeen: boolean): void {
    const wasLost = this.isLost;
    if (isSeen) this.#blind.delete(watched);
    else this.#blind.add(watched);
    if (wasLost === this.isLost) return;
    this.#feed.publish(wasLost);
    if (wasLost) log.info('cluster is in sight again');
    else log.warn('cluster is out of sight: what is shown of it is as it was');
  }

  /** Whether it is in sight, each time that becomes another, until `ctx` stops. */
  changes(ctx: Ctx): AsyncGenerator<boolean> {
    return this.#feed.follow(ctx);
  }

  /** It is not watched any more. */
  forget(watched: object): void {
    this.#blind.delete(watched);
  }
}
