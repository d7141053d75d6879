import { type Application, type ApplicationSet, type KubeObject, label, withoutUserInfo } from '#base/model';
import { type Ctx, sha256, type Task } from '#base/std';
import { affectedBy, type Push, pushConcernsSet } from '#engine';
import { hasReason, type KubeClient } from '#kubernetes/client';

const recordName = 'fairlead-pushes';
/** A ConfigMap may have a mebibyte; this many entries are less than that. */
const most = 2_000;
/**
 * How long an entry outlives its delivery to the controllers: by then each application was compared, or its status
 * contains an error.
 */
const keepMs = 300_000;
const sweepMs = 60_000;

type RecordView = KubeObject & { readonly data?: Readonly<Record<string, string>> };
type Entry = { readonly value: string; readonly recordedAt: number; deliveredAt: number };

export type PushRecordDeps = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly apps: { list(): readonly Application[]; whenSynced(ctx: Ctx): Promise<void> };
  readonly sets: { list(): readonly ApplicationSet[]; whenSynced(ctx: Ctx): Promise<void> };
  /** Whether a version is within a range, for applications that follow one. */
  satisfies(version: string, range: string): boolean;
  /** Passes a push to the controllers, at once; false when the queue is full. */
  deliver(push: Push): boolean;
  /** The current setting of how long comparisons after one push may be spread. */
  jitterMs(): number;
};

/**
 * Pushes that were acknowledged, in the ConfigMap `fairlead-pushes` until their applications had time to be compared
 * (decision 40): a push that was confirmed with 200 survives a kill. Keys are hashes of repository and revision;
 * changed files are not kept, so a push that is delivered again after a start concerns every application of its branch.
 */
export class PushRecord {
  readonly #deps: PushRecordDeps;
  readonly #entries = new Map<string, Entry>();
  #batch: Map<string, string> | undefined;
  #flushed: Promise<void> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();
  #isReplayed = false;

  constructor(deps: PushRecordDeps) {
    this.#deps = deps;
  }

  /**
   * Returns true when the cluster has stored the push and the controllers have it; false when there is no room. A push
   * that concerns no application and no set is not recorded: anyone may send one. Throws when the cluster refuses the write.
   */
  async accept(ctx: Ctx, push: Push): Promise<boolean> {
    const { apps, sets, satisfies, deliver } = this.#deps;
    // an earlier delivery would find no application
    await Promise.all([apps.whenSynced(ctx), sets.whenSynced(ctx)]);
    const isUsed =
      apps.list().some((app) => affectedBy(app, push, { satisfies })) ||
      sets.list().some((set) => pushConcernsSet(set, push, { satisfies }));
    if (isUsed) {
      if (!(await this.#record(ctx, push))) return false;
    }
    return deliver(push);
  }

  /** Delivers the pushes recorded before the start, and removes expired entries. */
  readonly run: Task = async (ctx) => {
    await Promise.all([this.#deps.apps.whenSynced(ctx), this.#deps.sets.whenSynced(ctx)]);
    while (!ctx.signal.aborted) {
      try {
        await this.#alone(() => this.#sweep(ctx));
      } catch (error) {
        if (!ctx.signal.aborted)
          ctx.log.warn('record of pushes not read: retrying', { object: recordName, error });
      }
      await ctx.clock.sleep(sweepMs, ctx.signal).catch(() => {});
    }
  };

  /** A branch that is pushed repeatedly is written once in half the time that entries are kept. */
  async #record(ctx: Ctx, push: Push): Promise<boolean> {
    const key = keyOf(push);
    const now = ctx.clock.now().getTime();
    const held = this.#entries.get(key);
    if (!held && this.#entries.size >= most) return false;
    if (!held || now - held.recordedAt > this.#keepMs() / 2) {
      const value = printEntry(push, now);
      await this.#flush(ctx, key, value);
      this.#entries.set(key, { value, recordedAt: now, deliveredAt: now });
    } else held.deliveredAt = now;
    return true;
  }

  /** Deliveries that arrive during a write share the next one. */
  #flush(ctx: Ctx, key: string, value: string): Promise<void> {
    if (this.#batch) {
      this.#batch.set(key, value);
      return this.#flushed;
    }
    const batch = new Map([[key, value]]);
    this.#batch = batch;
    this.#flushed = this.#alone(async () => {
      this.#batch = undefined;
      await this.#write(ctx, Object.fromEntries(batch));
    });
    return this.#flushed;
  }

  /** One request of this process at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #sweep(ctx: Ctx): Promise<void> {
    const { kube, namespace } = this.#deps;
    const found = (await kube.find(ctx, refIn(namespace))) as RecordView | undefined;
    const data = Object.entries(found?.data ?? {});
    for (const key of this.#entries.keys()) if (found?.data?.[key] === undefined) this.#entries.delete(key);
    const now = ctx.clock.now().getTime();
    for (const [key, value] of data) this.#replay(ctx, key, value);
    this.#isReplayed = true;
    const over = data.filter(([key, value]) => this.#isOver(key, value, now)).map(([key]) => key);
    if (over.length === 0) return;
    const body = {
      metadata: { resourceVersion: found?.metadata.resourceVersion },
      data: Object.fromEntries(over.map((key) => [key, null])),
    };
    try {
      await kube.patch(ctx, refIn(namespace), { type: 'merge', body });
      for (const key of over) this.#entries.delete(key);
    } catch (error) {
      // another replica wrote meanwhile: the next sweep reads its changes
      if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
    }
  }

  /** At the start everything, later the entries that another replica did not remove in time. */
  #replay(ctx: Ctx, key: string, value: string): void {
    if (this.#entries.get(key)?.value === value) return;
    const now = ctx.clock.now().getTime();
    const entry = parseEntry(value);
    if (this.#isReplayed && entry && now - entry.recordedAt < this.#keepMs()) return;
    this.#entries.set(key, { value, recordedAt: entry?.recordedAt ?? 0, deliveredAt: now });
    if (!entry) return;
    const { push } = entry;
    ctx.log.info('webhook: recorded push is compared', { repo: push.webUrl, revision: push.revision });
    this.#deps.deliver(push);
  }

  #isOver(key: string, value: string, now: number): boolean {
    const held = this.#entries.get(key);
    return held?.value === value && now - held.deliveredAt >= this.#keepMs();
  }

  #keepMs(): number {
    return keepMs + this.#deps.jitterMs();
  }

  async #write(ctx: Ctx, data: Readonly<Record<string, string>>): Promise<void> {
    const { kube, namespace } = this.#deps;
    try {
      await kube.patch(ctx, refIn(namespace), { type: 'merge', body: { data } });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      await this.#create(ctx, data);
    }
  }

  async #create(ctx: Ctx, data: Readonly<Record<string, string>>): Promise<void> {
    const { kube, namespace } = this.#deps;
    const labels = { 'app.kubernetes.io/name': recordName, [label.partOf]: 'fairlead' };
    const metadata = { name: recordName, namespace, labels };
    try {
      await kube.create(ctx, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubeObject);
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      await this.#write(ctx, data); // another replica created it meanwhile
    }
  }
}

const refIn = (namespace: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: recordName });
const keyOf = ({ webUrl, revision }: Push): string => sha256(`${webUrl} ${revision}`).slice(0, 32);

const printEntry = ({ webUrl, revision, touchedHead }: Push, now: number): string =>
  JSON.stringify({
    repository: withoutUserInfo(webUrl),
    revision,
    touchedHead,
    received: new Date(now).toISOString(),
  });

/** Undefined for an entry that is not one of ours. */
function parseEntry(value: string): { readonly push: Push; readonly recordedAt: number } | undefined {
  try {
    const { repository, revision, touchedHead, received } = JSON.parse(value) as Record<string, unknown>;
    if (typeof repository !== 'string' || typeof revision !== 'string') return undefined;
    const push = { webUrl: repository, revision, touchedHead: touchedHead === true, changedFiles: [] };
    return { push, recordedAt: Date.parse(String(received)) || 0 };
  } catch {
    return undefined;
  }
}
