import { type Backoff, type Clock, type Ctx, delayOf, FairleadError } from '#base/std';
import { DueHeap } from './due-heap.ts';
import { IdleWorkers } from './idle-workers.ts';
import { LinkedQueue } from './linked-queue.ts';
import { SteadyTime } from './monotonic-time.ts';

/** `prompt`: a user waits for this. `bulk`: it must happen, but after those. */
export type Lane = 'prompt' | 'bulk';

/** Receives what happens to keys, for metrics. Must not throw. */
export type QueueHooks = {
  /** A key is ready to be handed out; not called when it already was. */
  onAdd?(key: string): void;
  onStart?(key: string, waitedMs: number): void;
  onDone?(key: string, ms: number): void;
  onRetry?(key: string, delayMs: number): void;
};

export type WorkQueueOptions = {
  readonly clock: Clock;
  readonly backoff?: Backoff;
  readonly hooks?: QueueHooks;
  /** In [0, 1); the source of jitter. */
  readonly random?: () => number;
};

type Entry<Key> = {
  readonly key: Key;
  state: 'resting' | 'ready' | 'working';
  /** The lane it waits in; while it is processed, the lane it must join afterwards. */
  lane: Lane | undefined;
  readySince: number;
  startedAt: number;
  failures: number;
  due: number;
  order: number;
  slot: number;
  dueLane: Lane;
  ahead: Entry<Key> | undefined;
  behind: Entry<Key> | undefined;
};

const defaultBackoff: Backoff = { initialMs: 500, factor: 2, maxMs: 5 * 60_000, jitter: 0.5 };

/** While both lanes have work, one key in this many comes from `bulk`, so that it never starves. */
const bulkShare = 8;

/**
 * Keys waiting for a worker. A key is handed to one worker at a time, and once per add however often it is added while it
 * waits. The worker must call `done`.
 */
export class WorkQueue<Key extends string = string> {
  readonly #entries = new Map<Key, Entry<Key>>();
  readonly #prompt = new LinkedQueue<Entry<Key>>();
  readonly #bulk = new LinkedQueue<Entry<Key>>();
  readonly #schedule = new DueHeap<Entry<Key>>();
  readonly #idle = new IdleWorkers<Key>();
  readonly #time: SteadyTime;
  readonly #backoff: Backoff;
  readonly #hooks: QueueHooks;
  readonly #random: () => number;
  #alarm: AbortController | undefined;
  #promptsInARow = 0;
  #isShutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#time = new SteadyTime(options.clock);
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#hooks = options.hooks ?? {};
    this.#random = options.random ?? Math.random;
  }

  /** Keys ready to be handed out now; not those being processed, nor delayed ones. */
  get length(): number {
    this.#wakeDue();
    return this.#prompt.size + this.#bulk.size;
  }

  /** Hands the key out as soon as a worker is free. `prompt` moves a key waiting in `bulk` over. */
  add(key: Key, lane: Lane = 'prompt'): void {
    if (this.#isShutDown) return;
    this.#wakeDue();
    this.#ready(this.#entryOf(key), lane);
  }

  /** Adds the key when `ms` have passed. Of several delays for one key the earliest counts. */
  addAfter(key: Key, ms: number, lane: Lane = 'bulk'): void {
    if (!(ms > 0)) {
      this.add(key, lane);
      return;
    }
    if (this.#isShutDown) return;
    const entry = this.#entryOf(key);
    if (entry.slot < 0 || lane === 'prompt') entry.dueLane = lane;
    if (this.#schedule.add(entry, this.#time.now() + ms)) this.#alarm?.abort();
  }

  /** Adds the key after a wait that grows with each retry since the last `forget`; returns that wait. */
  retry(key: Key): number {
    if (this.#isShutDown) return 0;
    const entry = this.#entryOf(key);
    const ms = delayOf(this.#backoff, entry.failures, this.#random());
    entry.failures += 1;
    this.#hooks.onRetry?.(key, ms);
    this.addAfter(key, ms);
    return ms;
  }

  /** Resets the backoff of this key. Removes nothing from the queue. */
  forget(key: Key): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.failures = 0;
    this.#dropIfUnused(entry);
  }

  /** The next key, when there is one. Undefined when `ctx` stops, or after `shutDown` when nothing is left. */
  next(ctx: Pick<Ctx, 'signal'>): Promise<Key | undefined> {
    if (ctx.signal.aborted) return Promise.resolve(undefined);
    this.#wakeDue();
    const entry = this.#pick();
    if (entry) return Promise.resolve(this.#start(entry));
    return this.#isShutDown ? Promise.resolve(undefined) : this.#idle.wait(ctx.signal);
  }

  /** Ends the work on a key; if it was added meanwhile it is queued again. Throws when no worker processes it. */
  done(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== 'working') throw new FairleadError('Internal', `no worker holds the key ${key}`);
    this.#hooks.onDone?.(key, this.#time.now() - entry.startedAt);
    entry.state = 'resting';
    if (entry.lane) this.#line(entry, entry.lane);
    else this.#dropIfUnused(entry);
  }

  /** Rejects new keys and drops delayed ones. Ready keys are still handed out; then `next` ends. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#idle.dismissAll();
    this.#alarm?.abort();
  }

  /** Wakes idle workers when a delay ends. Runs beside the workers until `ctx` stops or the queue is shut down. */
  async keepTime(ctx: Pick<Ctx, 'signal'>): Promise<void> {
    if (this.#alarm)
      throw new FairleadError('Internal', 'this queue is already served; give each loop its own queue');
    const stop = () => this.#alarm?.abort();
    ctx.signal.addEventListener('abort', stop);
    try {
      while (!ctx.signal.aborted && !this.#isShutDown) await this.#nap();
    } finally {
      ctx.signal.removeEventListener('abort', stop);
      this.#alarm = undefined;
    }
  }

  /** Sleeps until the first delayed key is due, or an earlier one arrives. */
  async #nap(): Promise<void> {
    const alarm = new AbortController();
    this.#alarm = alarm;
    this.#wakeDue();
    const first = this.#schedule.first;
    if (!first) return new Promise((resolve) => alarm.signal.addEventListener('abort', () => resolve()));
    try {
      await this.#time.sleepUntil(first.due, alarm.signal);
    } catch (error) {
      if (!alarm.signal.aborted) throw error;
    }
  }

  #wakeDue(): void {
    if (!this.#schedule.first || this.#isShutDown) return;
    const now = this.#time.now();
    for (let entry = this.#schedule.first; entry && entry.due <= now; entry = this.#schedule.first) {
      this.#schedule.shift();
      this.#ready(entry, entry.dueLane);
    }
  }

  #ready(entry: Entry<Key>, lane: Lane): void {
    if (entry.lane === lane || entry.lane === 'prompt') return;
    if (entry.state === 'ready') {
      this.#bulk.remove(entry);
      this.#line(entry, lane);
      return;
    }
    const isNew = entry.lane === undefined;
    entry.lane = lane;
    if (!isNew) return;
    entry.readySince = this.#time.now();
    this.#hooks.onAdd?.(entry.key);
    if (entry.state === 'resting') this.#line(entry, lane);
  }

  #line(entry: Entry<Key>, lane: Lane): void {
    if (!this.#idle.isEmpty) {
      this.#idle.serve(this.#start(entry));
      return;
    }
    entry.state = 'ready';
    entry.lane = lane;
    (lane === 'prompt' ? this.#prompt : this.#bulk).push(entry);
  }

  #pick(): Entry<Key> | undefined {
    const isBulksTurn = this.#prompt.size === 0 || this.#promptsInARow >= bulkShare - 1;
    if (this.#bulk.size > 0 && isBulksTurn) {
      this.#promptsInARow = 0;
      return this.#bulk.shift();
    }
    this.#promptsInARow = this.#bulk.size > 0 ? this.#promptsInARow + 1 : 0;
    return this.#prompt.shift();
  }

  #start(entry: Entry<Key>): Key {
    entry.state = 'working';
    entry.lane = undefined;
    entry.startedAt = this.#time.now();
    this.#hooks.onStart?.(entry.key, entry.startedAt - entry.readySince);
    return entry.key;
  }

  #entryOf(key: Key): Entry<Key> {
    const known = this.#entries.get(key);
    if (known) return known;
    const entry = newEntry(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Only keys with state to keep take up memory. */
  #dropIfUnused(entry: Entry<Key>): void {
    if (entry.state === 'resting' && entry.slot < 0 && entry.failures === 0) this.#entries.delete(entry.key);
  }
}

function newEntry<Key>(key: Key): Entry<Key> {
  return {
    key,
    state: 'resting',
    lane: undefined,
    readySince: 0,
    startedAt: 0,
    failures: 0,
    due: 0,
    order: 0,
    slot: -1,
    dueLane: 'bulk',
    ahead: undefined,
    behind: undefined,
  };
}
