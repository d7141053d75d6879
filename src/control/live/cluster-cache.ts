import { type KubeObject, keyOf, parseKey, type ResourceKey } from '#base/model';
import { type Ctx, FairleadError, joined, Tasks } from '#base/std';
import { type Tracking, trackedBy } from '#engine';
import { type ApiResource, hasReason, type ListWatchEvent, listWatch, refOf } from '#kubernetes/client';
import { slices } from '#platform/workers';
import { Batches } from './batches.ts';
import { Feed } from './change-feed.ts';
import type { ClusterCacheOptions } from './cluster-cache-options.ts';
import { ClusterIndex } from './cluster-index.ts';
import { type ObjectChange, ObjectStore } from './object-store.ts';
import { ReadyGate } from './ready-gate.ts';
import {
  apiVersionsOf,
  definitions,
  kindOf,
  named,
  servedBy,
  services,
  versionOf,
  within,
} from './served.ts';
import { isSlim, slimmed } from './slim.ts';
import { WatchHealth } from './watch-health.ts';
import { type NeedsKind, type WatchedKind, type WatchScope, whenKnown } from './watched.ts';

/** What a chart may ask about a cluster. */
export type Capabilities = { readonly version: string; readonly apiVersions: readonly string[] };

export type ClusterChange = ObjectChange & { readonly key: ResourceKey };

/** A definition is served a moment after it is established. */
const rediscoverMs = 100;
/** compat T-16: everything is read anew this often, whatever watches say. */
const resyncMs = 12 * 3_600_000;

/**
 * One cluster as it is right now: every listable kind, watched, each kind on its own so that one that fails does not
 * blind us to the rest. New definitions are picked up, vanished ones dropped.
 */
export class ClusterCache {
  readonly #options: ClusterCacheOptions;
  readonly #held: ObjectStore;
  readonly #index: ClusterIndex;
  readonly #feed = new Feed<ClusterChange>(100_000);
  readonly #tasks = new Tasks();
  readonly #kinds = new Map<string, WatchedKind>();
  readonly #discovered = new ReadyGate();
  readonly #sight = new WatchHealth(() => this.#gates().length);
  readonly #batches: Batches;
  /** Objects that are no application's yet and are compared all the same. */
  readonly #kept = new Set<ResourceKey>();
  #tracking: Tracking;
  #capabilities: Capabilities = { version: '', apiVersions: [] };
  #redraw = new AbortController();
  /** Open when what is watched is what the settings say; left out: they never changed. */
  #inLine: ReadyGate | undefined;
  #wasRead = false;

  constructor(options: ClusterCacheOptions) {
    this.#options = options;
    this.#tracking = options.tracking;
    this.#batches = new Batches(options.onBatch);
    this.#index = new ClusterIndex(options.tracking);
    this.#held = new ObjectStore((key, change) => {
      this.#index.update(key, change);
      this.#feed.publish({ key, ...change });
    });
  }

  /** Watches until `ctx` stops. */
  async run(ctx: Ctx): Promise<void> {
    await this.#tasks.run(ctx, async (inner) => {
      let attempt = 0;
      while (!inner.signal.aborted) {
        this.#redraw = new AbortController(); // before looking: a definition that comes meanwhile is not missed
        const inLine = this.#inLine;
        attempt = (await this.#discover(inner)) ? 0 : attempt + 1;
        inLine?.open();
        await this.#untilRedraw(inner, attempt);
      }
    });
  }

  /** Resolves when every kind has been listed once. Throws why, when the cluster or a kind (that `concerns` us) cannot be read. */
  async whenSynced(ctx: Ctx, concerns?: NeedsKind): Promise<void> {
    await this.#discovered.pass(ctx);
    await this.#inLine?.pass(ctx);
    await whenKnown(ctx, this.#kinds.values(), concerns);
    this.#wasRead = true;
  }

  /** It has not been read yet, and nothing has failed either: whoever waits had better do something else meanwhile. */
  get isPending(): boolean {
    if (this.#wasRead) return false; // a kind that came since is listed in a moment
    return this.#discovered.isClosed || this.#gates().some(({ isClosed }) => isClosed);
  }

  /** It has said nothing for so long that those who wait for it had better be told; it may still answer. */
  doubt(reason: FairleadError): void {
    if (this.#discovered.isClosed) this.#discovered.fail(reason);
  }

  /** compat server §7.1: it was read whole, and it is in sight now. */
  get isConnected(): boolean {
    return this.#discovered.isOpen && this.#gates().every(({ isOpen }) => isOpen) && !this.#sight.isLost;
  }

  /** Whether it is in sight, each time that becomes another, until `ctx` stops. */
  readonly sightings: WatchHealth['changes'] = (ctx) => this.#sight.changes(ctx);

  /** Since when it is unreachable and why; undefined also in the first moments, in which it may be restarting. */
  readonly outage: WatchHealth['lasting'] = (ctx) => this.#sight.lasting(ctx);

  /** For whoever asks it for a sign of life: why there was none. */
  readonly heard: WatchHealth['heard'] = (ctx, error) => this.#sight.heard(ctx, error);

  #gates(): ReadyGate[] {
    return [...this.#kinds.values()].flatMap(({ synced }) => synced);
  }

  get(key: ResourceKey): KubeObject | undefined {
    return this.#held.get(key);
  }

  /**
   * compat T-12: an object with every field it has, asked for where only a slim one is held; undefined: it is gone.
   * `keep`: from now on it is held whole.
   */
  async whole(ctx: Ctx, key: ResourceKey, keep = false): Promise<KubeObject | undefined> {
    const held = this.#held.get(key);
    if (!held || !isSlim(held)) return held;
    if (keep) this.#kept.add(key); // before asking: a change that comes meanwhile is whole
    const found = await this.#options.kube.find(ctx, refOf(held));
    if (!found) return undefined;
    if (keep) this.#held.complete(found);
    return found;
  }

  /** compat T-18: what is managed is held whole, and what defines kinds; of anything else what a tree shows. */
  #fitting(object: KubeObject): KubeObject {
    const key = keyOf(object);
    const isRoot = !object.metadata.ownerReferences?.length;
    const isManaged = isRoot && trackedBy(object, this.#tracking) !== undefined;
    if (isManaged || this.#kept.has(key)) return object;
    const { group, kind } = parseKey(key);
    const name = `${group}/${kind}`;
    const isWhole = name === definitions || name === services || this.#kinds.get(name)?.isWhole === true;
    return isWhole ? object : slimmed(object);
  }

  get size(): number {
    return this.#held.size;
  }

  /** How many kinds are watched. */
  get kinds(): number {
    return this.#kinds.size;
  }

  /** Objects of a kind. */
  ofKind(group: string, kind: string): KubeObject[] {
    return this.#each(this.#index.ofKind(group, kind));
  }

  /** Objects that carry an application's mark. */
  readonly trackedBy = (instance: string): KubeObject[] => this.#each(this.#index.trackedBy(instance));

  /** The instance names of the applications whose mark anything here carries. */
  readonly instances = (): Iterable<string> => this.#index.instances();

  /** Objects that know a parent by this name: its uid, or another of the engine's namesOf() it (T-9). */
  ownedBy(name: string): KubeObject[] {
    return this.#each(this.#index.ownedBy(name));
  }

  /** Objects in a namespace; the empty one holds what is in none. */
  inNamespace(namespace: string): KubeObject[] {
    return this.#each(this.#index.inNamespace(namespace));
  }

  /** How a kind is served; undefined when the cluster does not serve it, or it is not watched. */
  resource(group: string, kind: string): ApiResource | undefined {
    return this.#kinds.get(`${group}/${kind}`)?.resource;
  }

  /** The server's version and every `group/version` and `group/version/Kind` it serves. */
  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** compat R-2: what we just wrote is seen by our next read, before the watch brings it back. */
  put(object: KubeObject): void {
    if (this.#kinds.has(kindOf(keyOf(object)))) this.#held.write(this.#fitting(object));
  }

  /** Whether watches have yet to tell of an object that was `put`, or that one which we deleted `isGone`. */
  readonly owes: ObjectStore['owes'] = (object, isGone) => this.#held.owes(object, isGone);
  readonly drop: ObjectStore['drop'] = (seen) => this.#held.drop(seen); // for what we deleted: a late watch event does not bring it back

  /** Every change from this call on, until `ctx` stops. */
  readonly changes: Feed<ClusterChange>['follow'] = (ctx) => this.#feed.follow(ctx);

  /** Looks again at what the cluster serves and what of it is to be watched (T-21). Until then nothing is synced. */
  redraw(): void {
    this.#inLine = new ReadyGate();
    this.#redraw.abort();
  }

  /** The settings now mark objects another way. */
  retrack(tracking: Tracking): void {
    this.#tracking = tracking;
    const objects = [...this.#held.values()].map((object) => [keyOf(object), object] as const);
    this.#index.retrack(tracking, objects);
  }

  #each(keys: Iterable<ResourceKey>): KubeObject[] {
    const found: KubeObject[] = [];
    for (const key of keys) {
      const object = this.#held.get(key);
      if (object) found.push(object);
    }
    return found;
  }

  /** False when the cluster could not be asked. */
  async #discover(ctx: Ctx): Promise<boolean> {
    try {
      const { resources, stale } = await this.#options.kube.catalog(ctx);
      const version = await versionOf(ctx, this.#options.kube);
      this.#capabilities = { version, apiVersions: apiVersionsOf(resources) };
      const wanted = new Map(
        resources.filter((r) => this.#isWatched(r)).map((r) => [`${r.group}/${r.kind}`, r]),
      );
      for (const [kind, { resource }] of [...this.#kinds]) {
        const isUnknown = stale.has(resource.apiVersion);
        if (wanted.get(kind)?.apiVersion !== resource.apiVersion && !isUnknown) await this.#forget(kind);
      }
      for (const [kind, resource] of wanted)
        if (this.#isOutdated(kind, resource)) await this.#tasks.stop(kind);
      for (const [kind, resource] of wanted) this.#watch(kind, resource);
      this.#discovered.open();
      return true;
    } catch (error) {
      if (ctx.signal.aborted) return false;
      this.#discovered.fail(FairleadError.from(error));
      ctx.log.warn('cluster cannot be read', { error });
      return false;
    }
  }

  #isWatched({ group, kind, verbs, preferred, namespaced }: ApiResource): boolean {
    const isReadable = verbs.includes('list') && verbs.includes('watch');
    const { namespaces = [], clusterResources = true } = this.#options.scope ?? {};
    const isInReach = namespaced || namespaces.length === 0 || clusterResources;
    return isReadable && preferred && isInReach && !this.#options.isExcluded(group, kind);
  }

  /** Whether a kind that is watched is to be read another way now, or may be seen by now (T-21). */
  #isOutdated(kind: string, { group, kind: name }: ApiResource): boolean {
    const known = this.#kinds.get(kind);
    if (!known) return false;
    return known.isSkipped || known.isWhole !== (this.#options.keepsWhole?.(group, name) === true);
  }

  /** What is known of a kind that is read anew stays until then. */
  #watch(kind: string, resource: ApiResource): void {
    const before = this.#kinds.get(kind);
    if (before && !this.#isOutdated(kind, resource)) return;
    const isWhole = this.#options.keepsWhole?.(resource.group, resource.kind) === true;
    const places = this.#placesOf(resource);
    const gates = before?.synced ?? places.map(() => new ReadyGate());
    this.#kinds.set(kind, { resource, synced: gates, isWhole, isSkipped: false });
    this.#tasks.start(kind, async (ctx) => {
      const mirrors = places.map((namespace, index) =>
        this.#mirror(ctx, resource, {
          namespace,
          synced: gates[index] as ReadyGate,
          refits: before !== undefined,
        }),
      );
      await Promise.all(mirrors);
    });
  }

  /** The namespaces a kind is looked for in; undefined is everywhere. */
  #placesOf({ namespaced }: ApiResource): readonly (string | undefined)[] {
    const namespaces = this.#options.scope?.namespaces ?? [];
    return namespaced && namespaces.length > 0 ? namespaces : [undefined];
  }

  async #mirror(ctx: Ctx, resource: ApiResource, place: WatchScope): Promise<void> {
    const { apiVersion, kind } = resource;
    const { namespace } = place;
    const from = { apiVersion, kind, ...(namespace && { namespace }) };
    const slim = (object: KubeObject): KubeObject => this.#fitting(named(object, resource));
    const pause = slices({ first: true });
    for await (const event of listWatch(ctx, this.#options.kube, from, { slim, resyncMs })) {
      await pause(); // a large application may be written to the cluster at this very moment
      if (event.type !== 'FAILED')
        this.#batches.take('object' in event, () => this.#take(ctx, resource, place, event));
      else if (await this.#failed(ctx, resource, place, event.error)) return;
    }
  }

  #take(
    { log }: Ctx,
    resource: ApiResource,
    { namespace, synced, refits }: WatchScope,
    event: Exclude<ListWatchEvent, { type: 'FAILED' }>,
  ): void {
    if (this.#isServing(resource, event)) this.#redraw.abort();
    switch (event.type) {
      case 'SYNCED':
        if (refits) for (const object of event.objects) this.#held.complete(object);
        this.#held.replace(
          within(this.#index.ofKind(resource.group, resource.kind), namespace),
          event.objects,
          event.resourceVersion,
        );
        synced.open();
        this.#sight.seen(log, synced);
        break;
      case 'RESUMED':
        this.#sight.seen(log, synced);
        break;
      case 'DELETED':
        this.#held.drop(event.object);
        break;
      default:
        this.#held.put(event.object);
    }
  }

  /** compat T-17: whether other kinds may be served now: a definition came, went or changed, or who serves them did. */
  #isServing({ group, kind }: ApiResource, event: ListWatchEvent): boolean {
    const name = `${group}/${kind}`;
    if (name === definitions) return event.type !== 'RESUMED';
    if (name !== services || !('object' in event)) return false;
    const before = this.#held.get(keyOf(event.object));
    return servedBy(event.type === 'DELETED' ? undefined : event.object) !== servedBy(before);
  }

  /** True: nobody watches it any more. */
  async #failed(
    ctx: Ctx,
    resource: ApiResource,
    { namespace, synced, refits }: WatchScope,
    error: FairleadError,
  ): Promise<boolean> {
    if ((!synced.isOpen || refits) && (await this.#skips(ctx, resource, namespace, error))) {
      const watched = this.#kinds.get(`${resource.group}/${resource.kind}`);
      if (watched) watched.isSkipped = true;
      synced.open();
      return true;
    }
    const { apiVersion, kind } = resource;
    synced.fail(error);
    this.#sight.failed(ctx, synced, { apiVersion, kind, error });
    return false;
  }

  /** compat T-20: a kind that we may not see is as if it were not there, if that is what the settings say. */
  async #skips(
    ctx: Ctx,
    resource: ApiResource,
    namespace: string | undefined,
    error: FairleadError,
  ): Promise<boolean> {
    if (!hasReason(error, 'Forbidden')) return false;
    const verdict = await this.#options.onForbidden?.(ctx, resource, namespace).catch(() => 'fail' as const);
    return verdict === 'skip';
  }

  async #forget(kind: string): Promise<void> {
    for (const gate of this.#kinds.get(kind)?.synced ?? []) this.#sight.forget(gate);
    this.#kinds.delete(kind);
    await this.#tasks.stop(kind);
    const [group = '', name = ''] = kind.split('/');
    for (const key of [...this.#index.ofKind(group, name)]) this.#held.forget(key);
  }

  /** Sleeps until a definition changes; after a failure, for a growing while. */
  async #untilRedraw(ctx: Ctx, failures: number): Promise<void> {
    const { signal, release } = joined(ctx.signal, this.#redraw.signal);
    const ms = failures > 0 ? Math.min(30_000, 500 * 2 ** failures) : 10 * 60_000;
    await ctx.clock.sleep(ms, signal).catch(() => {});
    release();
    if (ctx.signal.aborted) return;
    await ctx.clock.sleep(failures > 0 ? 0 : rediscoverMs, ctx.signal).catch(() => {});
    this.#options.kube.invalidate();
  }
}
