import type { Settings } from '#base/model';
import type { Ctx } from '#base/std';
import { type Lane, type QueueHooks, WorkQueue } from '#control/runtime';
import { type RefreshLevel, timerDelay } from '#engine';
import { type RefreshRequest, RefreshRequests } from './refresh-requests.ts';

type Options = {
  readonly clock: Ctx['clock'];
  readonly hooks?: QueueHooks;
  intervals(): Settings['refresh'];
};

/** The applications that wait for a refresh, and how deep each of them must be refreshed. Keys are those of keyOfApp. */
export class RefreshQueue {
  /** The keys, for the workers. */
  readonly keys: WorkQueue;
  readonly #requests = new RefreshRequests();
  readonly #clock: Ctx['clock'];
  readonly #intervals: Options['intervals'];

  constructor({ clock, hooks, intervals }: Options) {
    this.keys = new WorkQueue({ clock, ...(hooks && { hooks }) });
    this.#clock = clock;
    this.#intervals = intervals;
  }

  /** Refreshes an application when a worker is free. */
  request(key: string, level: RefreshLevel, lane: Lane = 'prompt'): void {
    this.note(key, level);
    this.keys.add(key, lane);
  }

  /** Refreshes an application after a time; several requests within it are one refresh. */
  requestAfter(
    key: string,
    level: RefreshLevel,
    { ms, lane }: { readonly ms: number; readonly lane?: Lane },
  ): void {
    this.note(key, level);
    this.keys.addAfter(key, ms, lane);
  }

  /** compat engine R-11: refreshes an application for a push, now or after a time. */
  requestForPush(
    key: string,
    { afterMs = 0, lane }: { readonly afterMs?: number; readonly lane?: Lane } = {},
  ): void {
    this.note(key, 'resolved', true);
    if (afterMs > 0) this.keys.addAfter(key, afterMs);
    else this.keys.add(key, lane);
  }

  /** The next refresh of an application will be at least this deep. */
  note(key: string, level: RefreshLevel, isPush = false): void {
    this.#requests.note(key, { level, at: this.#clock.now().getTime(), isPush });
  }

  /** What a refresh that begins now must do; it is no longer pending. */
  take(key: string): RefreshRequest | undefined {
    return this.#requests.take(key);
  }

  /** A refresh failed: what it was to do is pending again. */
  restore(key: string, request: RefreshRequest): void {
    this.#requests.note(key, request);
  }

  /** compat engine R-10: the interval with jitter, so that a thousand applications are not refreshed in one second. */
  scheduleNext(key: string): void {
    const delay = timerDelay(this.#intervals(), Math.random());
    if (delay !== undefined) this.keys.addAfter(key, delay);
  }
}
