import { decodeBase64Text, encodeBase64Text, type KubeObject } from '#base/model';
import { type Ctx, FairleadError, isObject, within } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { OutboxEntry } from './outbox.ts';
import { Waker } from './waker.ts';

/** The Secret that holds what waits for its delivery: a rendered message may contain secrets. */
const undeliveredName = 'fairlead-notifications';

/** Of all messages together. A Secret holds 1 MiB. */
const mostBytes = 768 * 1024;
/** Of one message: a few large ones must not take the room of hundreds. */
const mostBytesOfOne = 64 * 1024;
/** Messages that come while one write is under way, and in this time after it, are in the next one. */
const usualPauseMs = 200;
/** What was delivered and marked is removed with the next write, or after this time. */
const removeAfterMs = 1_000;
const retryMs = 5_000;
const longestMs = 10_000;

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

type Deps = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'patch'>;
  readonly namespace: string;
  /** The name of the Secret. */
  readonly name?: string;
  /** How long writes are gathered, where work waits for them. */
  readonly pauseMs?: number;
  /** A message has no record any more, or gets none, because there is no room for it. It stays in the queue. */
  dropped(entry: OutboxEntry): void;
};

type Held = { readonly entry: OutboxEntry; readonly bytes: number };

/**
 * The messages that were not delivered yet, each a key of one Secret, so that the next process delivers them. Writes are
 * merged and change single keys: what an old leader writes late takes nothing from its successor.
 */
export class Undelivered {
  readonly #deps: Deps;
  /** The oldest first. */
  readonly #held = new Map<string, Held>();
  /** What is to be written; null removes the key. */
  readonly #changes = new Map<string, string | null>();
  /** The messages that others wait for, until the write was tried once. */
  readonly #unwritten = new Set<string>();
  readonly #waker = new Waker();
  #waiting: (() => void)[] = [];
  #bytes = 0;
  #isRunning = false;
  #isFailing = false;
  #isUrgent = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The size of what is held, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  put(entry: OutboxEntry): void {
    const text = JSON.stringify(entry);
    const bytes = Buffer.byteLength(text);
    if (bytes > mostBytesOfOne) this.#deps.dropped(entry);
    else {
      this.#hold(entry, bytes);
      this.#changes.set(entry.id, text);
      this.#writeNow(entry.id);
      this.#dropOldest();
    }
  }

  /** Not needed any more. At once where nothing else says that the message was sent. */
  remove(id: string, isUrgent: boolean): void {
    if (!this.#release(id)) return;
    this.#changes.set(id, null);
    if (isUrgent) this.#writeNow(id);
    else this.#waker.wake();
  }

  /** Resolves when what is known of these messages is in the cluster, or could not be written: it delays none for long. */
  async written(ids: readonly string[]): Promise<void> {
    while (this.#isRunning && ids.some((id) => this.#unwritten.has(id)))
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** What the process before has left, the oldest first. Throws when it cannot be read. */
  async load(ctx: Ctx): Promise<readonly OutboxEntry[]> {
    const found = (await this.#deps.kube.find(within(ctx, longestMs), this.#ref)) as Secret | undefined;
    const entries = Object.entries(found?.data ?? {}).flatMap(([id, value]) => {
      const entry = readEntry(id, value);
      if (entry) return [entry];
      ctx.log.warn('record of an undelivered notification not usable, removed', { key: id });
      this.#changes.set(id, null);
      return [];
    });
    entries.sort((left, right) => left.since - right.since);
    for (const entry of entries) this.#hold(entry, Buffer.byteLength(JSON.stringify(entry)));
    return entries;
  }

  /** Writes what is new until `ctx` stops. */
  async run(ctx: Ctx): Promise<void> {
    this.#isRunning = !ctx.signal.aborted;
    try {
      while (!ctx.signal.aborted) {
        if (this.#changes.size === 0) await this.#waker.sleep(ctx);
        else if (!this.#isUrgent) await this.#waitForMore(ctx);
        else await this.#write(ctx);
      }
    } finally {
      this.#isRunning = false;
      this.#resolveWaiting();
    }
  }

  async #waitForMore(ctx: Ctx): Promise<void> {
    const until = ctx.clock.now().getTime() + removeAfterMs;
    while (!this.#isUrgent && !ctx.signal.aborted) {
      const left = until - ctx.clock.now().getTime();
      if (left <= 0) this.#isUrgent = true;
      else await this.#waker.sleep(ctx, left);
    }
  }

  async #write(ctx: Ctx): Promise<void> {
    const batch = new Map(this.#changes);
    this.#changes.clear();
    this.#isUrgent = false;
    try {
      await this.#patch(within(ctx, longestMs), batch);
      this.#isFailing = false;
    } catch (error) {
      if (ctx.signal.aborted) return;
      this.#failed(ctx, batch, error);
    }
    for (const id of batch.keys()) if (this.#isFailing || !this.#changes.has(id)) this.#unwritten.delete(id);
    this.#resolveWaiting();
    const { pauseMs = usualPauseMs } = this.#deps;
    await ctx.clock.sleep(this.#isFailing ? retryMs : pauseMs, ctx.signal).catch(() => {});
    this.#isUrgent ||= this.#isFailing;
  }

  /** What could not be written is in the next attempt, unless it has changed since. */
  #failed(ctx: Ctx, batch: ReadonlyMap<string, string | null>, error: unknown): void {
    for (const [id, text] of batch) if (!this.#changes.has(id)) this.#changes.set(id, text);
    if (!this.#isFailing) ctx.log.warn('undelivered notifications not recorded', { ...this.#ref, error });
    this.#isFailing = true;
  }

  async #patch(ctx: Ctx, batch: ReadonlyMap<string, string | null>): Promise<void> {
    const { kube } = this.#deps;
    const coded = [...batch].map(
      ([id, text]) => [id, text === null ? null : encodeBase64Text(text)] as const,
    );
    const data = Object.fromEntries(coded);
    try {
      await kube.patch(ctx, this.#ref, { type: 'merge', body: { data } });
    } catch (error) {
      if (FairleadError.from(error).code !== 'NotFound') throw error;
      const { apiVersion, kind, ...named } = this.#ref;
      const metadata = { ...named, labels: { 'app.kubernetes.io/part-of': 'argocd' } };
      const present = Object.fromEntries(coded.filter(([, value]) => value !== null));
      if (Object.keys(present).length === 0) return;
      await kube.create(ctx, { apiVersion, kind, metadata, type: 'Opaque', data: present } as KubeObject);
    }
  }

  #hold(entry: OutboxEntry, bytes: number): void {
    this.#bytes += bytes - (this.#held.get(entry.id)?.bytes ?? 0);
    this.#held.set(entry.id, { entry, bytes });
  }

  #release(id: string): boolean {
    this.#bytes -= this.#held.get(id)?.bytes ?? 0;
    this.#unwritten.delete(id);
    return this.#held.delete(id);
  }

  #dropOldest(): void {
    for (const [id, { entry }] of this.#held) {
      if (this.#bytes <= mostBytes) return;
      this.#release(id);
      this.#changes.set(id, null);
      this.#deps.dropped(entry);
    }
  }

  #writeNow(id: string): void {
    if (!this.#isFailing) this.#unwritten.add(id);
    this.#isUrgent = true;
    this.#waker.wake();
  }

  #resolveWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  get #ref() {
    const { namespace, name = undeliveredName } = this.#deps;
    return { apiVersion: 'v1', kind: 'Secret', namespace, name };
  }
}

/** Undefined for what was not written here, or by another version in another form. */
function readEntry(id: string, value: string): OutboxEntry | undefined {
  try {
    const entry = JSON.parse(decodeBase64Text(value)) as OutboxEntry;
    const { app, due, notification, since } = entry;
    const texts = [app.uid, app.namespace, app.name, app.project, due.namespace, due.trigger, due.mark];
    const { service, recipient } = due.destination;
    const isRight = [...texts, service, recipient, notification.message].every(
      (one) => typeof one === 'string',
    );
    return isRight && isObject(notification) && Number.isFinite(since) ? { ...entry, id } : undefined;
  } catch {
    return undefined;
  }
}
