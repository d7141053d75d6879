import type { KubeObject } from '#base/model';
import { type Backoff, type Ctx, delayOf, FairleadError, onAbort } from '#base/std';
import type { Collection } from './api.ts';
import type { KubeClient } from './client.ts';
import { isExpired } from './errors.ts';
import type { Selectors } from './list.ts';
import type { WatchEvent } from './watch.ts';

/**
 * The events from which a cache mirrors a collection. SYNCED is complete: an object that it does not name is
 * gone. It comes first, and again whenever changes may have been missed.
 */
export type ListWatchEvent =
  | { readonly type: 'SYNCED'; readonly objects: readonly KubeObject[]; readonly resourceVersion: string }
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** We cannot see the cluster now and shall try again; the reader may stop reading instead. */
  | { readonly type: 'FAILED'; readonly error: FairleadError; readonly retryMs: number }
  /** After FAILED: we see again, and missed nothing. */
  | { readonly type: 'RESUMED' };

export type ListWatchOptions = Selectors & {
  readonly pageSize?: number;
  /** Lists afresh when the last list is older than this, at the next end of a watch. */
  readonly resyncMs?: number;
  /** Applied to every object as it arrives, before it is kept. */
  readonly slim?: (object: KubeObject) => KubeObject;
};

const backoff: Backoff = { initialMs: 800, factor: 2, maxMs: 30_000, jitter: 0.5 };
/** A watch that lived this long was a good one, however it ended. */
const healthyMs = 10_000;
/** The back-off for a server that closes watches at once. */
const emptyEndMs = 1_000;
const watchSeconds = 300;

/**
 * Mirrors a collection for as long as `ctx` lives: the list, then each change. A broken watch resumes where
 * it broke; a gap (410 Gone) is closed by a new list. Never throws for errors of the cluster; ends only with
 * `ctx`.
 */
export async function* listWatch(
  ctx: Ctx,
  client: Pick<KubeClient, 'list' | 'watch'>,
  from: Collection,
  options: ListWatchOptions = {},
): AsyncGenerator<ListWatchEvent> {
  const mirror = new Mirror(ctx, client, from, options);
  while (!ctx.signal.aborted) {
    try {
      yield* mirror.turn();
    } catch (thrown) {
      if (ctx.signal.aborted) return;
      yield* mirror.failed(thrown);
    }
    if (mirror.pauseMs > 0) await ctx.clock.sleep(mirror.pauseMs, ctx.signal).catch(() => {});
  }
}

/**
 * The state of the mirror: the resource version up to which all events were yielded, and the failures in a
 * row.
 */
class Mirror {
  readonly #ctx: Ctx;
  readonly #client: Pick<KubeClient, 'list' | 'watch'>;
  readonly #from: Collection;
  readonly #options: ListWatchOptions;
  #since: string | undefined;
  #listedAt = 0;
  #openedAt: number | undefined;
  #failures = 0;
  #reportedFailed = false;
  #everSynced = false;
  pauseMs = 0;

  constructor(
    ctx: Ctx,
    client: Pick<KubeClient, 'list' | 'watch'>,
    from: Collection,
    options: ListWatchOptions,
  ) {
    this.#ctx = ctx;
    this.#client = client;
    this.#from = from;
    this.#options = options;
  }

  /** One list if needed, then one watch to its end. */
  async *turn(): AsyncGenerator<ListWatchEvent> {
    this.#openedAt = undefined;
    if (this.#since === undefined || this.#isDue()) yield await this.#list();
    const end = new AbortController();
    const forget = onAbort(this.#ctx.signal, () => end.abort(this.#ctx.signal.reason));
    try {
      const stream = await this.#watch({ ...this.#ctx, signal: end.signal });
      if (this.#reportedFailed) yield { type: 'RESUMED' };
      this.#reportedFailed = false;
      yield* this.#changes(stream);
    } finally {
      forget();
      end.abort(); // also when the reader left before the stream was touched
    }
  }

  async #watch(ctx: Ctx): Promise<AsyncGenerator<WatchEvent>> {
    const { labelSelector, fieldSelector } = this.#options;
    const stream = await this.#client.watch(ctx, this.#from, {
      labelSelector,
      fieldSelector,
      ...(this.#since && { resourceVersion: this.#since }),
      // spread, so that a thousand watches do not end in the same second
      timeoutSeconds: Math.round(watchSeconds * (1 + Math.random())),
    });
    this.#openedAt = this.#now();
    return stream;
  }

  async *#changes(stream: AsyncGenerator<WatchEvent>): AsyncGenerator<ListWatchEvent> {
    const { slim = (object) => object } = this.#options;
    this.pauseMs = emptyEndMs;
    for await (const event of stream) {
      this.#saw(event);
      if (event.type !== 'BOOKMARK') yield { type: event.type, object: slim(event.object) };
    }
  }

  /**
   * Decides how to continue after an error. A single transient error of a good connection is not reported.
   */
  async *failed(thrown: unknown): AsyncGenerator<ListWatchEvent> {
    const error = FairleadError.from(thrown);
    if (this.#openedAt !== undefined && this.#now() - this.#openedAt >= healthyMs) this.#failures = 0;
    const attempt = this.#failures++;
    // Expired, or our request was rejected: the resource version is unusable, and only a list gives another.
    if (isExpired(error) || error.terminal) this.#since = undefined;
    if (attempt === 0 && isExpired(error)) {
      this.pauseMs = 0;
      return;
    }
    this.pauseMs = delayOf(backoff, attempt, Math.random());
    if (attempt === 0 && this.#everSynced && !error.terminal) return;
    this.#reportedFailed = true;
    yield { type: 'FAILED', error, retryMs: this.pauseMs };
  }

  async #list(): Promise<ListWatchEvent> {
    const { labelSelector, fieldSelector, pageSize, slim } = this.#options;
    const { items, resourceVersion } = await this.#client.list(this.#ctx, this.#from, {
      labelSelector,
      fieldSelector,
      slim,
      ...(pageSize !== undefined && { pageSize }),
    });
    this.#since = resourceVersion;
    this.#listedAt = this.#now();
    this.#everSynced = true;
    return { type: 'SYNCED', objects: items, resourceVersion };
  }

  #saw({ object }: WatchEvent): void {
    this.#since = object.metadata?.resourceVersion || this.#since;
    this.#failures = 0;
    this.pauseMs = 0;
  }

  #isDue(): boolean {
    const { resyncMs } = this.#options;
    return resyncMs !== undefined && this.#now() - this.#listedAt >= resyncMs;
  }

  #now(): number {
    return this.#ctx.clock.now().getTime();
  }
}
