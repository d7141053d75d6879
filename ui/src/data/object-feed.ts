import { type Application, type ApplicationSet, type KubeObject, qualifiedName } from '#base/model';
import { type Clock, delayOf, FairleadError } from '#base/std';
import {
  applicationSets,
  applications,
  type CallOptions,
  call,
  type Endpoint,
  follow,
  type Send,
} from '#serve/api';

export type Connection = {
  readonly state: 'connecting' | 'live' | 'lost';
  /** Since when, in milliseconds. */
  readonly since: number;
};

export type FeedState<T> = {
  /** Undefined until the first response. After a lost connection, the last list. */
  readonly items?: readonly T[];
  readonly connection: Connection;
  /** Why there is no connection. */
  readonly error?: string;
};

type FeedChange<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

type FeedPage<T> = { metadata: { resourceVersion?: string; continue?: string }; items: T[] };

/** How objects of one kind are listed, and how their changes are followed from there. */
export type FeedSource<T> = {
  readonly list: Endpoint<
    undefined,
    { metadata: { resourceVersion?: string; continue?: string }; items: T[] }
  >;
  /** How many are fetched at a time; absent: all at once. */
  readonly pageSize?: number;
  readonly watch: (send: Send, options: CallOptions<undefined>) => AsyncIterable<FeedChange<T>>;
};

export const applicationSource: FeedSource<Application> = {
  list: applications.list,
  pageSize: 1000,
  async *watch(send, options) {
    for await (const { type, application } of follow(send, applications.watch, options))
      yield { type, object: application };
  },
};

export const applicationSetSource: FeedSource<ApplicationSet> = {
  list: applicationSets.list,
  async *watch(send, options) {
    for await (const { type, applicationSet } of follow(send, applicationSets.watch, options))
      yield { type, object: applicationSet };
  },
};

const backoff = { initialMs: 500, factor: 2, maxMs: 15_000, jitter: 0.3 };
const batchMs = 120; // many events, one drawing
const burstMs = 16; // a change after a quiet time is drawn at once, with those that come along with it

/**
 * The objects of one kind, kept fresh: one list, then one stream. When the stream ends it lists again, so that nothing that
 * happened meanwhile is missed, a deletion included.
 */
export class ObjectFeed<T extends KubeObject> {
  readonly #source: FeedSource<T>;
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #known = new Map<string, T>();
  readonly #listeners = new Set<() => void>();
  #state: FeedState<T>;
  #isDirty = false;
  #published = 0;
  #nap = new AbortController();

  constructor(source: FeedSource<T>, send: Send, clock: Clock) {
    this.#source = source;
    this.#send = send;
    this.#clock = clock;
    this.#state = { connection: { state: 'connecting', since: clock.now().getTime() } };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): FeedState<T> => this.#state;

  /** Tries again now instead of after the pause. */
  wake(): void {
    this.#nap.abort();
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await this.#listen(signal, () => {
          attempt = 0;
        });
      } catch (thrown) {
        if (signal.aborted) return;
        this.#lose(FairleadError.from(thrown).message);
      }
      await this.#pause(delayOf(backoff, attempt, Math.random()), signal);
    }
  }

  async #listen(signal: AbortSignal, onLive: () => void): Promise<void> {
    const stop = new AbortController();
    const inner = AbortSignal.any([signal, stop.signal]);
    try {
      const resourceVersion = await this.#list(inner);
      onLive();
      this.#publish('live');
      const query = { resourceVersion };
      for await (const change of this.#source.watch(this.#send, { query, signal: inner }))
        this.#take(change, inner);
      throw new FairleadError('Unavailable', 'the server ended the stream');
    } finally {
      stop.abort();
    }
  }

  /**
   * Page by page, so that the first rows are there at once. Returns the version of the first page: the stream from there
   * has whatever changed while the others were fetched.
   */
  async #list(signal: AbortSignal): Promise<string | undefined> {
    const { list, pageSize } = this.#source;
    const isFirst = this.#state.items === undefined;
    const listed = new Map<string, T>();
    let version: string | undefined;
    let next: string | undefined = '';
    while (next !== undefined) {
      const query: Record<string, string | number> = pageSize
        ? { 'fairlead.limit': pageSize, ...(next && { 'fairlead.continue': next }) }
        : {};
      const page: FeedPage<T> = await call(this.#send, list, { query, signal });
      const { items, metadata } = page;
      for (const item of items ?? []) listed.set(qualifiedName(item), item);
      version ??= metadata?.resourceVersion;
      next = metadata?.continue || undefined;
      if (isFirst && next) this.#set({ ...this.#state, items: [...listed.values()] });
    }
    this.#known.clear();
    for (const [name, item] of listed) this.#known.set(name, item);
    return version;
  }

  #take({ type, object }: FeedChange<T>, signal: AbortSignal): void {
    const name = qualifiedName(object);
    if (type === 'DELETED') this.#known.delete(name);
    else this.#known.set(name, object);
    if (this.#isDirty) return;
    this.#isDirty = true;
    const quiet = this.#clock.now().getTime() - this.#published;
    this.#clock
      .sleep(Math.max(burstMs, batchMs - quiet), signal)
      .then(() => this.#publish('live'))
      .catch(() => {}) // the stream ended first; the next list publishes
      .finally(() => {
        this.#isDirty = false;
      });
  }

  #publish(state: 'live'): void {
    this.#isDirty = false;
    this.#published = this.#clock.now().getTime();
    this.#set({ items: [...this.#known.values()], connection: this.#connection(state) });
  }

  #lose(error: string): void {
    this.#set({ ...this.#state, connection: this.#connection('lost'), error });
  }

  #connection(state: Connection['state']): Connection {
    const { connection } = this.#state;
    return connection.state === state ? connection : { state, since: this.#clock.now().getTime() };
  }

  #set(state: FeedState<T>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    this.#nap = new AbortController();
    await this.#clock.sleep(ms, AbortSignal.any([signal, this.#nap.signal])).catch(() => {}); // interrupted, or stopped
  }
}
