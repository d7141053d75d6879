import { parseDuration } from '#base/model';
import { type Backoff, type Ctx, delayOf, FairleadError, joined, Tasks } from '#base/std';
import { DeliveryError } from '#control/deliver';
import {
  type DueMessage,
  isGroupable,
  type NotificationConfig,
  type NotificationMessage,
} from '#control/notify';

/** The application that a message is about, as far as reports need it. */
export type Correspondent = {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
};

/** A rendered message that waits for its delivery. */
export type OutboxEntry = {
  readonly app: Correspondent;
  readonly due: DueMessage;
  readonly notification: NotificationMessage;
};

export type OutboxDeps = {
  /** The current configuration of a namespace; the key of a service may have changed since the message was made. */
  configOf(namespace: string): NotificationConfig | undefined;
  /** Sends one message that stands for these entries. Throws when it was not taken. */
  send(ctx: Ctx, entries: readonly OutboxEntry[], config: NotificationConfig): Promise<void>;
  delivered(ctx: Ctx, entries: readonly OutboxEntry[], attempts: number): void;
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
  readonly entry: OutboxEntry;
  readonly since: number;
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
  waker: AbortController;
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
 * one trigger become one; a destination gets no more than its share a minute. What is here and not delivered when the process
 * ends is found again, because its mark is missing.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #lanes = new Map<string, Lane>();
  readonly #known = new Set<string>();
  readonly #tasks = new Tasks();
  #ctx: Ctx | undefined;
  #started = 0;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#known.size;
  }

  has(uid: string, mark: string): boolean {
    return this.#known.has(idOf(uid, mark));
  }

  /** False: there is no room. The message is found again at the next pass over its application. */
  add(entry: OutboxEntry): boolean {
    const key = laneKey(entry.due);
    const now = this.#now();
    const lane = this.#lanes.get(key) ?? newLane(key);
    if (lane.waiting.length >= mostInLane || this.#known.size >= mostInAll) return false;
    this.#lanes.set(key, lane);
    this.#known.add(idOf(entry.app.uid, entry.due.mark));
    lane.waiting.push({ entry, since: now, attempts: 0, notBefore: 0, isAlone: false });
    lane.lastAdded = now;
    this.#start(lane);
    return true;
  }

  #start(lane: Lane): void {
    if (lane.isServed || lane.waiting.length === 0 || !this.#ctx) return;
    lane.isServed = true;
    this.#tasks.start(`${lane.key}\n${this.#started++}`, (ctx) => this.#serve(ctx, lane));
  }

  /** A configuration changed: what was refused is tried again at once. */
  retryNow(namespace: string): void {
    for (const lane of this.#lanes.values()) {
      if (!lane.waiting.some(({ entry }) => entry.due.config.namespace === namespace)) continue;
      lane.failures = 0;
      lane.notBefore = 0;
      for (const one of lane.waiting) one.notBefore = 0;
      lane.waker.abort();
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
        if (pause > 0) await sleepUnlessWoken(ctx, lane, pause);
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
    const until = Math.min(lane.lastAdded + rules.groupWaitMs, first.since + mostWaits * rules.groupWaitMs);
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
    const { config: old } = first?.entry.due ?? {};
    const config = (old && this.#deps.configOf(old.namespace)) ?? old;
    return { config, rules: config?.rules ?? noRules };
  }

  async #sendNext(ctx: Ctx, lane: Lane): Promise<void> {
    const { config, rules } = this.#rulesOf(lane);
    const batch = batchOf(lane, this.#now(), (entry) =>
      rules.groupFrom > 0 && isGroupable(typeIn(config, entry)) ? rules.groupFrom : 0,
    );
    const entries = batch.map(({ entry }) => entry);
    for (const one of batch) one.attempts += 1;
    const attempts = Math.max(...batch.map((one) => one.attempts));
    try {
      if (!config) throw new FairleadError('NotFound', 'its configuration was deleted');
      lane.sent.push(this.#now());
      await this.#deps.send(ctx, entries, config);
    } catch (thrown) {
      if (ctx.signal.aborted) throw thrown;
      this.#failed(ctx, lane, batch, FairleadError.from(thrown));
      return;
    }
    lane.failures = 0;
    this.#remove(lane, batch);
    this.#deps.delivered(ctx, entries, attempts);
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
    const old = batch.filter(({ since }) => now - since > keptMs);
    const kept = batch.filter((one) => !old.includes(one));
    const soonest = Math.min(...kept.map(({ notBefore }) => notBefore));
    this.#reportFailed(ctx, old, error, undefined);
    this.#reportFailed(ctx, kept, error, Math.max(now, lane.notBefore, soonest));
    this.#remove(lane, old);
  }

  #reportFailed(ctx: Ctx, batch: readonly Waiting[], error: FairleadError, nextAt: number | undefined): void {
    if (batch.length === 0) return;
    const attempts = Math.max(...batch.map((one) => one.attempts));
    const entries = batch.map(({ entry }) => entry);
    this.#deps.failed(ctx, entries, { error, attempts, nextAt });
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
    for (const { entry } of batch) this.#known.delete(idOf(entry.app.uid, entry.due.mark));
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

const laneKey = ({ config, destination }: DueMessage): string =>
  [config.namespace, destination.service, destination.recipient].join('\n');

const newLane = (key: string): Lane => ({
  ...{ key, waiting: [], sent: [], lastAdded: 0, failures: 0, notBefore: 0 },
  waker: new AbortController(),
  isServed: false,
});

async function sleepUnlessWoken(ctx: Ctx, lane: Lane, ms: number): Promise<void> {
  if (lane.waker.signal.aborted) lane.waker = new AbortController();
  const { signal, release } = joined(ctx.signal, lane.waker.signal);
  await ctx.clock.sleep(ms, signal).catch(() => {});
  release();
}
