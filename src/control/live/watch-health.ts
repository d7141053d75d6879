import type { Ctx, FairleadError, Logger } from '#base/std';
import { Feed } from './change-feed.ts';

/** The number of kinds logged one by one; if more fail, the cause is not a single kind. */
const maxReported = 3;

/** Stands for the connection itself: if it fails, all watches through it fail. */
const heartbeat = {};

const lost = 'cluster is unreachable: its last known state is shown';
const neverReached = 'cluster is unreachable: most of its kinds cannot be read';

/** A cluster that is unreachable for less than this is restarting; nothing is reported. */
export const outageMs = 15_000;

/** Since when a cluster is unreachable, and the first error. */
export type Outage = { readonly since: Date; readonly error?: FairleadError };

/** What recording a failure needs. */
type Noting = Pick<Ctx, 'log' | 'clock'>;
type What = Record<string, unknown> & { readonly error?: FairleadError };

/**
 * Whether a cluster is reachable, judged by the majority of its watches: one failing kind may have a cause of its own, many
 * have a common one. An unreachable cluster is logged once, with the last error, not once for each of its kinds; a kind is
 * logged when it fails again while most others do not.
 */
export class WatchHealth {
  readonly #watched: () => number;
  /** Failing watches, and how often in a row they failed. */
  readonly #failing = new Map<object, number>();
  readonly #reported = new Set<object>();
  readonly #feed = new Feed<boolean>();
  #wasSeen = false;
  #outage: Outage | undefined;

  constructor(watched: () => number) {
    this.#watched = watched;
  }

  get isLost(): boolean {
    return (
      this.#failing.size > 0 && (this.#failing.has(heartbeat) || this.#failing.size * 2 >= this.#watched())
    );
  }

  /** The current outage, once it has lasted for a while. */
  lasting({ clock }: Pick<Ctx, 'clock'>): Outage | undefined {
    const { since } = this.#outage ?? {};
    return since && clock.now().getTime() - since.getTime() >= outageMs ? this.#outage : undefined;
  }

  /** A watch works from now on. */
  seen(log: Logger, watched: object): void {
    this.#wasSeen = true;
    if (!this.#change(() => this.forget(watched))) return;
    this.#outage = undefined;
    log.info('cluster is reachable again');
  }

  /** Whether the connection responds; `error` says why not. A cluster that was never reachable reports that itself. */
  heard(noting: Noting, error: FairleadError | undefined): void {
    if (error && this.#wasSeen) this.failed(noting, heartbeat, { path: '/version', error });
    else if (!error && this.#failing.has(heartbeat)) this.seen(noting.log, heartbeat);
  }

  /** A watch failed, or still fails. */
  failed({ log, clock }: Noting, watched: object, what: What): void {
    const times = (this.#failing.get(watched) ?? 0) + 1;
    if (this.#change(() => this.#failing.set(watched, times))) {
      if (this.#wasSeen) this.#outage = { since: clock.now(), ...(what.error && { error: what.error }) };
      log.warn(this.#wasSeen ? lost : neverReached, what);
    }
    const isNews = times === 2 && !this.isLost && this.#reported.size < maxReported;
    if (isNews) this.#reported.add(watched);
    log[isNews ? 'warn' : 'debug']('watch failed', what);
  }

  /** Applies a change; true if it made the cluster reachable or unreachable. */
  #change(make: () => void): boolean {
    const wasLost = this.isLost;
    make();
    if (wasLost === this.isLost) return false;
    this.#feed.publish(wasLost);
    return true;
  }

  /** Whether the cluster is reachable, at each change, until `ctx` stops. */
  changes(ctx: Ctx): AsyncGenerator<boolean> {
    return this.#feed.follow(ctx);
  }

  /** It is not watched any more. */
  forget(watched: object): void {
    this.#failing.delete(watched);
    this.#reported.delete(watched);
  }
}
