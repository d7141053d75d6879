import { parseDuration } from '#base/model';
import { type Backoff, type Ctx, delayOf, FairleadError, Tasks } from '#base/std';
import { DeliveryError } from '#control/deliver';
import {
  isGroupable,
  type NotificationConfig,
  type NotificationDestination,
  type NotificationMessage,
} from '#control/notify';
import { Waker } from './waker.ts';

/** The application that a message is about, as far as reports need it. */
export type Correspondent = {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
};

/** A message that is due, without the configuration that it comes from: that may change before its delivery. */
export type QueuedMessage = {
  /** The namespace of its configuration. */
  readonly namespace: string;
  readonly trigger: string;
  readonly destination: NotificationDestination;
  readonly mark: string;
  readonly isOncePer: boolean;
};

/** A rendered message that waits for its delivery. */
export type OutboxEntry = {
  /** The key of its record. */
  readonly id: string;
  readonly app: Correspondent;
  readonly due: QueuedMessage;
  readonly notification: NotificationMessage;
  /** What it announces, where that is an event and not a state. */
  readonly event?: {
    /** Of the object that it is about. */
    readonly kind: string;
    readonly type: string;
    readonly reason: string;
    readonly message: string;
  };
  /** When it became due, in milliseconds since 1970. */
  readonly since: number;
  /** Its condition stopped holding: its delivery is not marked, and the next transition is a message of its own. */
  readonly isPast: boolean;
};

/** Where messages are recorded until they are delivered, so that the end of the process loses none. */
export type OutboxRecords = {
  put(entry: OutboxEntry): void;
  remove(id: string, isUrgent: boolean): void;
  /** Resolves when these are recorded or removed, or cannot be. */
  written(ids: readonly string[]): Promise<void>;
};

export type OutboxDeps = {
  /** The current configuration of a namespace; the key of a service may have changed since the message was made. */
  configOf(namespace: string): NotificationConfig | undefined;
  readonly records: OutboxRecords;
  /** Sends one message that stands for these entries. Throws when it was not taken. */
  send(ctx: Ctx, entries: readonly OutboxEntry[], config: NotificationConfig): Promise<void>;
  /** Resolves when no other process would send these again: its destination waits, so that a kill repeats one message. */
  delivered(ctx: Ctx, entries: readonly OutboxEntry[], attempts: number): Promise<void>;
  failed(ctx: Ctx, entries: readonly OutboxEntry[], failure: DeliveryFailure): void;
  /** In [0, 1); the source of jitter. */
  readonly random?: () => number;
};

export type DeliveryFailure = {
  readonly error: FairleadError;
  readonly attempts: number;
  /** When it is tried again, in milliseconds since 1970; undefined: never. */
  readonly nextAt: number | undefined;
};

type Waiting = {
  entry: OutboxEntry;
  attempts: number;
  notBefore: number;
  isAlone: boolean;
};

/** One destination: what waits for it, and when it may be used again. */
type Lane = {
  readonly key: string;
  readonly waiting: Waiting[];
  lastAdded: number;
  failures: number;
  notBefore: number;
  /** When each message of the last minute was sent. */
  readonly sent: number[];
  readonly waker: Waker;
  isServed: boolean;
};

/** A service that is down is tried again soon at first, then every five minutes. */
const laneBackoff: Backoff = { initialMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0.3 };
/** A message that a service refuses may be accepted after a change of its configuration. */
const entryBackoff: Backoff = { initialMs: 60_000, factor: 2, maxMs: 3_600_000, jitter: 0.3 };
const keptMs = 24 * 3_600_000;
const mostInLane = 2_000;
const mostInAll = 20_000;
const mostIdle = 1_000;
const minute = 60_000;
/** A wait for others may start again with each of them, up to this many times as long in all. */
const mostWaits = 6;

/**
 * Messages on their way. Each destination has a queue of its own, so that one that hangs delays no other; several messages of
 * one trigger become one; a destination gets no more than its share a minute. A message is recorded before it is sent, so that
 * the next process delivers what this one did not.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #lanes = new Map<string, Lane>();
  /** By application and mark; one that is past has no place here. */
  readonly #known = new Map<string, Waiting>();
  readonly #tasks = new Tasks();
  #ctx: Ctx | undefined;
  #started = 0;
  #size = 0;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#size;
  }

  has(uid: string, mark: string): boolean {
    return this.#known.has(idOf(uid, mark));
  }

  /** False: there is no room. The message is found again at the next pass over its application. */
  add(entry: OutboxEntry): boolean {
    return this.#admit(entry, () => this.#deps.records.put(entry));
  }

  /** Adds what is recorded already, by this process or the one before. */
  restore(entry: OutboxEntry): boolean {
    return this.#admit(entry, () => {});
  }

  /** Records the message before its destination may send it. */
  #admit(entry: OutboxEntry, record: () => void): boolean {
    const key = laneKey(entry.due);
    const lane = this.#lanes.get(key) ?? newLane(key);
    if (lane.waiting.length >= mostInLane || this.#size >= mostInAll) return false;
    record();
    this.#lanes.set(key, lane);
    const waiting = { entry, attempts: 0, notBefore: 0, isAlone: false };
    if (!entry.isPast) this.#known.set(idOf(entry.app.uid, entry.due.mark), waiting);
    this.#size += 1;
    lane.waiting.push(waiting);
    lane.lastAdded = this.#now();
    this.#start(lane);
    return true;
  }

  /** The condition of a message stopped holding: it is delivered all the same, and the next transition is another message. */
  pass(uid: string, mark: string): void {
    const id = idOf(uid, mark);
    const waiting = this.#known.get(id);
    if (!waiting) return;
    this.#known.delete(id);
    waiting.entry = { ...waiting.entry, isPast: true };
    this.#deps.records.put(waiting.entry);
  }

  #start(lane: Lane): void {
    if (lane.isServed || lane.waiting.length === 0 || !this.#ctx) return;
    lane.isServed = true;
    this.#tasks.start(`${lane.key}\n${this.#started++}`, (ctx) => this.#serve(ctx, lane));
  }

  /** A configuration changed: what was refused is tried again at once. */
  retryNow(namespace: string): void {
    for (const lane of this.#lanes.values()) {
      if (!lane.waiting.some(({ entry }) => entry.due.namespace === namespace)) continue;
      lane.failures = 0;
      lane.notBefore = 0;
      for (const one of lane.waiting) one.notBefore = 0;
      lane.waker.wake();
    }
  }

  async run(ctx: Ctx): Promise<void> {
    this.#ctx = ctx;
    await this.#tasks.run(ctx, async (inner) => {
      for (const lane of this.#lanes.values()) this.#start(lane);
      await new Promise<void>((resolve) => {
        if (inner.signal.aborted) resolve();
        inner.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    });
  }

  #now(): number {
    return this.#ctx?.clock.now().getTime() ?? 0;
  }

  async #serve(ctx: Ctx, lane: Lane): Promise<void> {
    try {
      while (lane.waiting.length > 0 && !ctx.signal.aborted) {
        const pause = this.#pauseOf(lane);
        if (pause > 0) await lane.waker.sleep(ctx, pause);
        else await this.#sendNext(ctx, lane);
      }
    } finally {
      lane.isServed = false;
    }
    if (this.#lanes.size > mostIdle) this.#dropIdle();
  }

  /** An idle destination is kept for its rate limit, as long as there are not too many. */
  #dropIdle(): void {
    for (const [key, { waiting }] of this.#lanes) if (waiting.length === 0) this.#lanes.delete(key);
  }

  /** How long nothing is to be sent: the destination failed, gets too much, or more of the same is about to come. */
  #pauseOf(lane: Lane): number {
    const now = this.#now();
    const soonest = Math.min(...lane.waiting.map(({ notBefore }) => notBefore));
    const blocked = Math.max(lane.notBefore, soonest);
    if (blocked > now) return blocked - now;
    const { config, rules } = this.#rulesOf(lane);
    const limit = this.#rateWait(lane, rules.perMinute);
    if (limit > 0) return limit;
    const first = lane.waiting.find(({ notBefore }) => notBefore <= now);
    if (!first || first.attempts > 0 || rules.groupFrom === 0 || !isGroupable(typeIn(config, first.entry)))
      return 0;
    const until = Math.min(
      lane.lastAdded + rules.groupWaitMs,
      first.entry.since + mostWaits * rules.groupWaitMs,
    );
    return Math.max(0, until - now);
  }

  #rateWait(lane: Lane, perMinute: number): number {
    const now = this.#now();
    while (lane.sent[0] !== undefined && lane.sent[0] <= now - minute) lane.sent.shift();
    const oldest = lane.sent[lane.sent.length - perMinute];
    return oldest === undefined ? 0 : oldest + minute - now;
  }

  #rulesOf(lane: Lane) {
    const [first] = lane.waiting;
    const config = first && this.#deps.configOf(first.entry.due.namespace);
    return { config, rules: config?.rules ?? noRules };
  }

  async #sendNext(ctx: Ctx, lane: Lane): Promise<void> {
    const { config, rules } = this.#rulesOf(lane);
    const batch = batchOf(lane, this.#now(), (entry) =>
      rules.groupFrom > 0 && isGroupable(typeIn(config, entry)) ? rules.groupFrom : 0,
    );
    await this.#deps.records.written(batch.map(({ entry }) => entry.id));
    if (ctx.signal.aborted) return;
    for (const one of batch) one.attempts += 1;
    const attempts = Math.max(...batch.map((one) => one.attempts));
    try {
      if (!config) throw new FairleadError('NotFound', 'its configuration was deleted');
      lane.sent.push(this.#now());
      await this.#deps.send(ctx, entriesOf(batch), config);
    } catch (thrown) {
      if (ctx.signal.aborted) throw thrown;
      this.#failed(ctx, lane, batch, FairleadError.from(thrown));
      return;
    }
    lane.failures = 0;
    this.#remove(lane, batch);
    await this.#deps.delivered(ctx, entriesOf(batch), attempts);
  }

  #failed(ctx: Ctx, lane: Lane, batch: readonly Waiting[], error: FairleadError): void {
    const now = this.#now();
    const random = this.#deps.random ?? Math.random;
    if (error.terminal) {
      // the others of this destination are not affected; what was refused together is tried one by one
      for (const one of batch) {
        one.notBefore = batch.length > 1 ? 0 : now + delayOf(entryBackoff, one.attempts - 1, random());
        one.isAlone = true;
      }
    } else {
      const wait = delayOf(this.#backoffOf(lane), lane.failures, random());
      lane.failures += 1;
      lane.notBefore = now + Math.max(wait, error instanceof DeliveryError ? error.retryAfterMs : 0);
    }
    const old = batch.filter(({ entry }) => now - entry.since > keptMs);
    const kept = batch.filter((one) => !old.includes(one));
    const soonest = Math.min(...kept.map(({ notBefore }) => notBefore));
    this.#reportFailed(ctx, old, error, undefined);
    this.#reportFailed(ctx, kept, error, Math.max(now, lane.notBefore, soonest));
    this.#remove(lane, old);
    for (const { entry } of old) this.#deps.records.remove(entry.id, true);
  }

  #reportFailed(ctx: Ctx, batch: readonly Waiting[], error: FairleadError, nextAt: number | undefined): void {
    if (batch.length === 0) return;
    const attempts = Math.max(...batch.map((one) => one.attempts));
    this.#deps.failed(ctx, entriesOf(batch), { error, attempts, nextAt });
  }

  /** compat server §6.6: a webhook says how soon its first attempts follow each other. */
  #backoffOf(lane: Lane): Backoff {
    const { config } = this.#rulesOf(lane);
    const service = config?.services.get(lane.waiting[0]?.entry.due.destination.service ?? '');
    if (service?.type !== 'webhook') return laneBackoff;
    const { retryMax = 3, retryWaitMin = '1s', retryWaitMax = '5s' } = service.options;
    if (lane.failures >= Number(retryMax)) return laneBackoff;
    const [initialMs, maxMs] = [retryWaitMin, retryWaitMax].map(waitOf);
    return { ...laneBackoff, initialMs: initialMs ?? 1_000, maxMs: maxMs ?? 5_000 };
  }

  #remove(lane: Lane, batch: readonly Waiting[]): void {
    const gone = new Set(batch);
    const kept = lane.waiting.filter((one) => !gone.has(one));
    lane.waiting.splice(0, lane.waiting.length, ...kept);
    this.#size -= batch.length;
    for (const { entry } of batch) if (!entry.isPast) this.#known.delete(idOf(entry.app.uid, entry.due.mark));
  }
}

const noRules = { groupFrom: 0, groupWaitMs: 0, perMinute: 30 };

/** All ready messages of the first one's trigger where there are enough of them, else the first alone. */
function batchOf(lane: Lane, now: number, groupFrom: (entry: OutboxEntry) => number): Waiting[] {
  const ready = lane.waiting.filter(({ notBefore }) => notBefore <= now);
  const [first] = ready;
  if (!first) return [];
  const from = first.isAlone ? 0 : groupFrom(first.entry);
  if (from === 0) return [first];
  const same = ready.filter((one) => !one.isAlone && one.entry.due.trigger === first.entry.due.trigger);
  return same.length >= from && same.length > 1 ? same : [first];
}

const typeIn = (config: NotificationConfig | undefined, { due }: OutboxEntry): string =>
  config?.services.get(due.destination.service)?.type ?? '';

function waitOf(value: unknown): number | undefined {
  try {
    return parseDuration(String(value));
  } catch {
    return undefined;
  }
}

const idOf = (uid: string, mark: string): string => `${uid}\n${mark}`;

const entriesOf = (batch: readonly Waiting[]): OutboxEntry[] => batch.map(({ entry }) => entry);

const laneKey = ({ namespace, destination }: QueuedMessage): string =>
  [namespace, destination.service, destination.recipient].join('\n');

const newLane = (key: string): Lane => ({
  ...{ key, waiting: [], sent: [], lastAdded: 0, failures: 0, notBefore: 0 },
  waker: new Waker(),
  isServed: false,
});
