import type { Clock } from '#base/std';
import { WatchLog } from './watch-log.ts';

/** How much history is kept for watches that resume, lists that continue and reads of an exact version. */
export type HistoryLimits = {
  /** Events of each kind. */
  readonly events: number;
  /** Bytes of replaced and deleted objects, of all kinds together. */
  readonly bytes: number;
  /** The age beyond which an event is dropped; kube-apiserver compacts etcd every five minutes. */
  readonly ageMs: number;
};

const defaults: HistoryLimits = { events: 4096, bytes: 64 * 1024 * 1024, ageMs: 5 * 60_000 };

/** Old events are searched for in all logs at most this often; an event can outlive its age by this much. */
const sweepEveryMs = 15_000;

/** The watch logs of all kinds, and the limits that they share (contract embedded-cluster 3.2). */
export class History {
  readonly #limits: HistoryLimits;
  readonly #clock: Clock;
  readonly #logs: WatchLog[] = [];
  #bytes = 0;
  #swept = 0;

  constructor(limits: Partial<HistoryLimits>, clock: Clock) {
    this.#limits = { ...defaults, ...limits };
    this.#clock = clock;
  }

  /** Bytes of objects that exist only because the history refers to them. */
  get bytes(): number {
    return this.#bytes;
  }

  get events(): number {
    return this.#logs.reduce((sum, log) => sum + log.length, 0);
  }

  /** A log for one kind, whose history begins after the write `startsAt`. */
  open(startsAt: number): WatchLog {
    const log = new WatchLog({
      keep: this.#limits.events,
      startsAt,
      now: () => this.#clock.now().getTime(),
      resized: (bytes) => {
        this.#bytes += bytes;
      },
    });
    this.#logs.push(log);
    return log;
  }

  /** Drops events over the limits. Unpublished events stay: their writers still wait for the disk. */
  enforce(): void {
    if (this.#bytes > this.#limits.bytes) this.#shrink();
    const now = this.#clock.now().getTime();
    // a clock that was set back must not stop the sweeps
    if (Math.abs(now - this.#swept) < sweepEveryMs) return;
    this.#swept = now;
    for (const log of this.#logs) log.expire(now - this.#limits.ageMs);
  }

  /**
   * The kind with most bytes loses its oldest events, so that one object that is written very often does not end the watches of
   * other kinds. An eighth is freed at once: events are dropped in bulk, not one for each write.
   */
  #shrink(): void {
    const target = (this.#limits.bytes / 8) * 7;
    while (this.#bytes > target) {
      const largest = this.#logs.reduce((a, b) => (b.bytes > a.bytes ? b : a));
      if (!largest.free(this.#bytes - target)) return;
    }
  }
}
