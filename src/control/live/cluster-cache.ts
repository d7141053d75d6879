import { type KubeObject, keyOf, parseKey, type ResourceKey } from '#base/model';
import { type Ctx, FailureNews, FairleadError, joined, Tasks } from '#base/std';
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

/** What a chart may query about a cluster. */
export type Capabilities = { readonly version: string; readonly apiVersions: readonly string[] };

export type ClusterChange = ObjectChange & { readonly key: ResourceKey };

/** A definition is served a moment after it is established. */
const rediscoverMs = 100;
/** compat engine T-16: everything is listed again this often, whatever the watches deliver. */
const resyncMs = 12 * 3_600_000;

/**
 * The live state of one cluster: every listable kind has its own watch, so that a failing one does not affect the others. New
 * definitions are picked up, deleted ones dropped.
 */
export class ClusterCache {
  readonly #options: ClusterCacheOptions;
  readonly #held: ObjectStore;
  readonly #index: ClusterIndex;
  readonly #feed = new Feed<ClusterChange>(100_000);
  readonly #tasks = new Tasks();
  readonly #kinds = new Map<string, WatchedKind>();
  readonly #discovered = new ReadyGate();
  readonly #failures = new FailureNews<''>();
  readonly #sight = new WatchHealth(() => this.#gates().length);
  readonly #batches: Batches;
  /** Objects that no application tracks yet and that are compared all the same. */
  readonly #kept = new Set<ResourceKey>();
  #tracking: Tracking;
  #capabilities: Capabilities = { version: '', apiVersions: [] };
  #redraw = new AbortController();
  /** Open when the watched kinds match the settings; undefined: the settings never changed. */
  #inLine: ReadyGate | undefined;
  /** The gates of changes that no discovery has begun after yet: callers may wait at each of them. */
  #outOfLine: ReadyGate[] = [];
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
        this.#redraw = new AbortController(); // before the discovery: a definition created meanwhile is not missed
        const outOfLine = this.#outOfLine.splice(0);
        attempt = (await this.#discover(inner)) ? 0 : attempt + 1;
        for (const gate of outOfLine) gate.open();
        await this.#untilRedraw(inner, attempt);
      }
    });
  }

  /**
   * Resolves when every kind has been listed once. Throws why, when the cluster or a kind (that `concerns` requires) cannot
   * be read.
   */
  async whenSynced(ctx: Ctx, concerns?: NeedsKind): Promise<void> {
    await this.#discovered.pass(ctx);
    while (this.#inLine && !this.#inLine.isOpen) await this.#inLine.pass(ctx); // the settings may change meanwhile
    await whenKnown(ctx, this.#kinds.values(), concerns);
    this.#wasRead = true;
  }

  /** The cluster has not been read yet, and nothing has failed either: a caller should requeue rather than wait. */
  get isPending(): boolean {
    if (this.#wasRead) return false; // a kind added since is listed in a moment
    return this.#discovered.isClosed || this.#gates().some(({ isClosed }) => isClosed);
  }

  /** The cluster has been silent for so long that waiting callers get `reason` as an error; it may still respond. */
  doubt(reason: FairleadError): void {
    if (this.#discovered.isClosed) this.#discovered.fail(reason);
  }

  /** compat server §7.1: the cluster was read completely, and it is reachable now. */
  get isConnected(): boolean {
    return this.#discovered.isOpen && this.#gates().every(({ isOpen }) => isOpen) && !this.#sight.isLost;
  }

  /** Whether the cluster is reachable, at each change, until `ctx` stops. */
  readonly sightings: WatchHealth['changes'] = (ctx) => this.#sight.changes(ctx);

  /** Since when it is unreachable and why; undefined also in the first moments, in which it may be restarting. */
  readonly outage: WatchHealth['lasting'] = (ctx) => this.#sight.lasting(ctx);

  /** For the heartbeat: reports its success, or why it failed. */
  readonly heard: WatchHealth['heard'] = (ctx, error) => this.#sight.heard(ctx, error);

  #gates(): ReadyGate[] {
    return [...this.#kinds.values()].flatMap(({ synced }) => synced);
  }

  get(key: ResourceKey): KubeObject | undefined {
    return this.#held.get(key);
  }

  /**
   * compat engine T-12: an object with all its fields, fetched if only a slim one is cached; undefined: it is deleted.
   * `keep`: from now on it is cached with all fields.
   */
  async whole(ctx: Ctx, key: ResourceKey, keep = false): Promise<KubeObject | undefined> {
    const held = this.#held.get(key);
    if (!held || !isSlim(held)) return held;
    if (keep) this.#kept.add(key); // before the fetch: a change that arrives meanwhile is kept with all fields
    const found = await this.#options.kube.find(ctx, refOf(held));
    if (!found) return undefined;
    if (keep) this.#held.complete(found);
    return found;
  }

  /**
   * compat engine T-18: managed objects and definitions are cached with all fields; any other object with those that a tree
   * shows.
   */
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

  /** Objects tracked by an application. */
  readonly trackedBy = (instance: string): KubeObject[] => this.#each(this.#index.trackedBy(instance));

  /** The instance names of the applications that track any object here. */
  readonly instances = (): Iterable<string> => this.#index.instances();

  /** Objects that name this owner: by its uid, or another of the engine's namesOf() it (engine T-9). */
  ownedBy(name: string): KubeObject[] {
    return this.#each(this.#index.ownedBy(name));
  }

  /** Objects in a namespace; the empty one holds cluster-scoped objects. */
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

  /** compat engine R-2: our next read returns our own write, before the watch delivers it. */
  put(object: KubeObject): void {
    if (this.#kinds.has(kindOf(keyOf(object)))) this.#held.write(this.#fitting(object));
  }

  /** Whether the watches have yet to deliver an object that was `put`, or the deletion of one that we deleted (`isGone`). */
  readonly owes: ObjectStore['owes'] = (object, isGone) => this.#held.owes(object, isGone);
  readonly drop: ObjectStore['drop'] = (seen) => this.#held.drop(seen); // for objects that we deleted: a late watch event does not bring them back

  /** Every change from this call on, until `ctx` stops. */
  readonly changes: Feed<ClusterChange>['follow'] = (ctx) => this.#feed.follow(ctx);

  /** Discovers again what the cluster serves and which kinds to watch (engine T-21). Until then the cache is not synced. */
  redraw(): void {
    this.#inLine = new ReadyGate();
    this.#outOfLine.push(this.#inLine);
    this.#redraw.abort();
  }

  /** The tracking method in the settings changed. */
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

  /** False when discovery failed. */
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
      this.#failures.ended('');
      return true;
    } catch (error) {
      if (!ctx.signal.aborted) this.#undiscovered(ctx, FairleadError.from(error));
      return false;
    }
  }

  #undiscovered({ log, clock }: Ctx, error: FairleadError): void {
    this.#discovered.fail(error);
    const isNews = this.#failures.isNews('', error.message, clock.now());
    log[isNews ? 'warn' : 'debug'](unreadable(error), { error });
  }

  #isWatched({ group, kind, verbs, preferred, namespaced }: ApiResource): boolean {
    const isReadable = verbs.includes('list') && verbs.includes('watch');
    const { namespaces = [], clusterResources = true } = this.#options.scope ?? {};
    const isInReach = namespaced || namespaces.length === 0 || clusterResources;
    return isReadable && preferred && isInReach && !this.#options.isExcluded(group, kind);
  }

  /** Whether a watched kind must be read with other fields now, or may be readable by now (engine T-21). */
  #isOutdated(kind: string, { group, kind: name }: ApiResource): boolean {
    const known = this.#kinds.get(kind);
    if (!known) return false;
    return known.isSkipped || known.isWhole !== (this.#options.keepsWhole?.(group, name) === true);
  }

  /** The cached objects of a kind that is listed again stay until then. */
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

  /** The namespaces a kind is watched in; undefined is all of them. */
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
      await pause(); // a sync of a large application may be writing to the cluster at this very moment
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

  /**
   * compat engine T-17: whether other kinds may be served now: a definition or an aggregated API was added, removed or
   * changed.
   */
  #isServing({ group, kind }: ApiResource, event: ListWatchEvent): boolean {
    const name = `${group}/${kind}`;
    if (name === definitions) return event.type !== 'RESUMED';
    if (name !== services || !('object' in event)) return false;
    const before = this.#held.get(keyOf(event.object));
    return servedBy(event.type === 'DELETED' ? undefined : event.object) !== servedBy(before);
  }

  /** True: the kind is not watched any more. */
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

  /** compat engine T-20: a forbidden kind is treated as absent, if the settings say so. */
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

  /** Sleeps until a definition changes; after a failure, backs off. */
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

/** A cluster that responds and refuses is reachable. */
const unreadable = ({ code }: FairleadError): string =>
  code === 'Unavailable' ? 'cluster is unreachable' : 'cluster cannot be read';
