import type { Ctx, FairleadError, Logger } from '#base/std';
import { Feed } from './change-feed.ts';

/** Kinds told of one by one at a time; where there are more, the reason is none of theirs. */
const maxTold = 3;

/** Stands for the connection itself: when it is silent, so is everything that is watched through it. */
const heartbeat = {};

const wentAway = 'cluster is out of sight: what is shown of it is as it was';
const neverSeen = 'cluster cannot be seen: most of its kinds cannot be read';

/** A cluster that is away for less than this is restarting; nothing is reported of it. */
export const outageMs = 15_000;

/** Since when a cluster is unreachable, and what failed first. */
export type Outage = { readonly since: Date; readonly error?: FairleadError };

/** What it takes to note a failure. */
type Noting = Pick<Ctx, 'log' | 'clock'>;
type What = Record<string, unknown> & { readonly error?: FairleadError };

/**
 * Whether a cluster can be seen, as far as most of what is watched tells: one kind that fails may have a reason of its own,
 * many have one in common. A cluster that goes is told of once, with what failed last, not once for each of its kinds; a
 * kind is told of when it fails again while most others do not.
 */
export class WatchHealth {
  readonly #watched: () => number;
  /** What cannot be seen, and how often in a row it could not. */
  readonly #blind = new Map<object, number>();
  readonly #told = new Set<object>();
  readonly #feed = new Feed<boolean>();
  #wasSeen = false;
  #outage: Outage | undefined;

  constructor(watched: () => number) {
    this.#watched = watched;
  }

  get isLost(): boolean {
    return this.#blind.size > 0 && (this.#blind.has(heartbeat) || this.#blind.size * 2 >= this.#watched());
  }

  /** The outage that is not over, once it has lasted for a while. */
  lasting({ clock }: Pick<Ctx, 'clock'>): Outage | undefined {
    const { since } = this.#outage ?? {};
    return since && clock.now().getTime() - since.getTime() >= outageMs ? this.#outage : undefined;
  }

  /** Something that is watched can be seen from now on. */
  seen(log: Logger, watched: object): void {
    this.#wasSeen = true;
    if (!this.#change(() => this.forget(watched))) return;
    this.#outage = undefined;
    log.info('cluster is in sight again');
  }

  /** Whether the connection answers; `error` says why it does not. A cluster that was never seen says so itself. */
  heard(noting: Noting, error: FairleadError | undefined): void {
    if (error && this.#wasSeen) this.failed(noting, heartbeat, { path: '/version', error });
    else if (!error && this.#blind.has(heartbeat)) this.seen(noting.log, heartbeat);
  }

  /** Something that is watched cannot be seen, or still cannot. */
  failed({ log, clock }: Noting, watched: object, what: What): void {
    const times = (this.#blind.get(watched) ?? 0) + 1;
    if (this.#change(() => this.#blind.set(watched, times))) {
      if (this.#wasSeen) this.#outage = { since: clock.now(), ...(what.error && { error: what.error }) };
      log.warn(this.#wasSeen ? wentAway : neverSeen, what);
    }
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
