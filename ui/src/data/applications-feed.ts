import { type Application, qualifiedName } from '#base/model';
import { type Clock, delayOf, FairleadError } from '#base/std';
import { type ApplicationWatchEvent, applications, call, follow, type Send } from '#serve/api';

export type Connection = {
  readonly state: 'connecting' | 'live' | 'lost';
  /** Since when, in milliseconds. */
  readonly since: number;
};

export type FeedState = {
  /** Undefined until the first response. After a lost connection, the last list. */
  readonly apps?: readonly Application[];
  readonly connection: Connection;
  /** Why there is no connection. */
  readonly error?: string;
};

const backoff = { initialMs: 500, factor: 2, maxMs: 15_000, jitter: 0.3 };
const batchMs = 120; // many events, one drawing

/**
 * The applications, kept fresh: one list, then one stream. When the stream ends it lists again, so that nothing that
 * happened meanwhile is missed, a deletion included.
 */
export class ApplicationsFeed {
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #known = new Map<string, Application>();
  readonly #listeners = new Set<() => void>();
  #state: FeedState;
  #isDirty = false;
  #nap = new AbortController();

  constructor(send: Send, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
    this.#state = { connection: { state: 'connecting', since: clock.now().getTime() } };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): FeedState => this.#state;

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
      const { items, metadata } = await call(this.#send, applications.list, { signal: inner });
      this.#known.clear();
      for (const app of items ?? []) this.#known.set(qualifiedName(app), app);
      onLive();
      this.#publish('live');
      const query = { resourceVersion: metadata?.resourceVersion };
      for await (const event of follow(this.#send, applications.watch, { query, signal: inner })) {
        this.#take(event, inner);
      }
      throw new FairleadError('Unavailable', 'the server ended the stream');
    } finally {
      stop.abort();
    }
  }

  #take({ type, application }: ApplicationWatchEvent, signal: AbortSignal): void {
    const name = qualifiedName(application);
    if (type === 'DELETED') this.#known.delete(name);
    else this.#known.set(name, application);
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#clock
      .sleep(batchMs, signal)
      .then(() => this.#publish('live'))
      .catch(() => {}) // the stream ended first; the next list publishes
      .finally(() => {
        this.#isDirty = false;
      });
  }

  #publish(state: 'live'): void {
    this.#isDirty = false;
    this.#set({ apps: [...this.#known.values()], connection: this.#connection(state) });
  }

  #lose(error: string): void {
    this.#set({ ...this.#state, connection: this.#connection('lost'), error });
  }

  #connection(state: Connection['state']): Connection {
    const { connection } = this.#state;
    return connection.state === state ? connection : { state, since: this.#clock.now().getTime() };
  }

  #set(state: FeedState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    this.#nap = new AbortController();
    await this.#clock.sleep(ms, AbortSignal.any([signal, this.#nap.signal])).catch(() => {}); // interrupted, or stopped
  }
}
