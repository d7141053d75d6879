import type { Tracking } from '#engine';
import { type KubeClient, listWatch, type Resource } from '#kube';
import { type KubeObject, keyOf, parseKey, type ResourceKey } from '#model';
import { type Ctx, FairleadError, parseJson, Tasks } from '#std';
import { ClusterIndex } from './cluster-index.ts';
import { Feed } from './feed.ts';
import { Gate } from './gate.ts';
import { type Change, Held } from './held.ts';

export type ClusterCacheOptions = {
  readonly kube: Pick<KubeClient, 'list' | 'watch' | 'catalog' | 'invalidate' | 'raw'>;
  readonly tracking: Tracking;
  /** Kinds that are not watched and not shown (T-14). */
  isExcluded(group: string, kind: string): boolean;
};

/** What a chart may ask about a cluster. */
export type Capabilities = { readonly version: string; readonly apiVersions: readonly string[] };

export type ClusterChange = Change & { readonly key: ResourceKey };

const definitions = 'apiextensions.k8s.io/CustomResourceDefinition';
/** A definition is served a moment after it is established. */
const rediscoverMs = 100;

/**
 * One cluster as it is right now: every listable kind, watched, each kind on its own so that one that fails does not
 * blind us to the rest. New definitions are picked up, vanished ones dropped.
 */
export class ClusterCache {
  readonly #options: ClusterCacheOptions;
  readonly #held: Held;
  readonly #index: ClusterIndex;
  readonly #feed = new Feed<ClusterChange>(100_000);
  readonly #tasks = new Tasks();
  readonly #kinds = new Map<string, { resource: Resource; synced: Gate }>();
  readonly #discovered = new Gate();
  #capabilities: Capabilities = { version: '', apiVersions: [] };
  #redraw = new AbortController();

  constructor(options: ClusterCacheOptions) {
    this.#options = options;
    this.#index = new ClusterIndex(options.tracking);
    this.#held = new Held((key, change) => {
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
        attempt = (await this.#discover(inner)) ? 0 : attempt + 1;
        await this.#untilRedraw(inner, attempt);
      }
    });
  }

  /** Resolves when every kind has been listed once. Throws why, when the cluster or a kind cannot be read. */
  async whenSynced(ctx: Ctx): Promise<void> {
    await this.#discovered.pass(ctx);
    for (const { synced } of [...this.#kinds.values()]) await synced.pass(ctx);
  }

  get(key: ResourceKey): KubeObject | undefined {
    return this.#held.get(key);
  }

  get size(): number {
    return this.#held.size;
  }

  /** Objects of a kind. */
  ofKind(group: string, kind: string): KubeObject[] {
    return this.#each(this.#index.ofKind(group, kind));
  }

  /** Objects that carry an application's mark. */
  trackedBy(instance: string): KubeObject[] {
    return this.#each(this.#index.trackedBy(instance));
  }

  /** Objects that know a parent by this name: its uid, or another of the engine's namesOf() it (T-9). */
  ownedBy(name: string): KubeObject[] {
    return this.#each(this.#index.ownedBy(name));
  }

  /** Objects in a namespace; the empty one holds what is in none. */
  inNamespace(namespace: string): KubeObject[] {
    return this.#each(this.#index.inNamespace(namespace));
  }

  /** How a kind is served; undefined when the cluster does not serve it, or it is not watched. */
  resource(group: string, kind: string): Resource | undefined {
    return this.#kinds.get(`${group}/${kind}`)?.resource;
  }

  /** The server's version and every `group/version` and `group/version/Kind` it serves. */
  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** compat R-2: what we just wrote is seen by our next read, before the watch brings it back. */
  put(object: KubeObject): void {
    if (this.#kinds.has(kindOf(keyOf(object)))) this.#held.put(object);
  }

  /** Every change from this call on, until `ctx` stops. */
  changes(ctx: Ctx): AsyncGenerator<ClusterChange> {
    return this.#feed.follow(ctx);
  }

  /** Looks again at what the cluster serves and what of it is to be watched (T-21). */
  redraw(): void {
    this.#redraw.abort();
  }

  /** The settings now mark objects another way. */
  retrack(tracking: Tracking): void {
    this.#index.retrack(
      tracking,
      [...this.#held.values()].map((object) => [keyOf(object), object] as const),
    );
  }

  *#values(keys: Iterable<ResourceKey>): Generator<KubeObject> {
    for (const key of keys) {
      const object = this.#held.get(key);
      if (object) yield object;
    }
  }

  #each(keys: Iterable<ResourceKey>): KubeObject[] {
    return [...this.#values(keys)];
  }

  /** False when the cluster could not be asked. */
  async #discover(ctx: Ctx): Promise<boolean> {
    try {
      const { resources, stale } = await this.#options.kube.catalog(ctx);
      this.#capabilities = { version: await this.#version(ctx), apiVersions: apiVersionsOf(resources) };
      const wanted = new Map(
        resources.filter((r) => this.#isWatched(r)).map((r) => [`${r.group}/${r.kind}`, r]),
      );
      for (const [kind, { resource }] of [...this.#kinds]) {
        const isUnknown = stale.has(resource.apiVersion);
        if (wanted.get(kind)?.apiVersion !== resource.apiVersion && !isUnknown) await this.#forget(kind);
      }
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

  async #version(ctx: Ctx): Promise<string> {
    const { text } = await this.#options.kube.raw(ctx, { method: 'GET', path: '/version' });
    return (parseJson(text) as { gitVersion?: string }).gitVersion ?? '';
  }

  #isWatched({ group, kind, verbs, preferred }: Resource): boolean {
    const isReadable = verbs.includes('list') && verbs.includes('watch');
    return isReadable && preferred && !this.#options.isExcluded(group, kind);
  }

  #watch(kind: string, resource: Resource): void {
    if (this.#kinds.has(kind)) return;
    const synced = new Gate();
    this.#kinds.set(kind, { resource, synced });
    this.#tasks.start(kind, (ctx) => this.#mirror(ctx, resource, synced));
  }

  async #mirror(ctx: Ctx, resource: Resource, synced: Gate): Promise<void> {
    const { apiVersion, kind, group } = resource;
    for await (const event of listWatch(ctx, this.#options.kube, { apiVersion, kind })) {
      switch (event.type) {
        case 'SYNCED':
          this.#held.replace(
            this.#index.ofKind(group, kind),
            named(event.objects, resource),
            event.resourceVersion,
          );
          synced.open();
          break;
        case 'FAILED':
          synced.fail(event.error);
          ctx.log.warn('watch failed', { apiVersion, kind, error: event.error });
          break;
        case 'DELETED':
          this.#held.drop(event.object);
          break;
        case 'RESUMED':
          break;
        default:
          this.#held.put(event.object);
      }
      if (`${group}/${kind}` === definitions && event.type !== 'RESUMED') this.#redraw.abort();
    }
  }

  async #forget(kind: string): Promise<void> {
    this.#kinds.delete(kind);
    await this.#tasks.stop(kind);
    const [group = '', name = ''] = kind.split('/');
    for (const key of [...this.#index.ofKind(group, name)]) this.#held.forget(key);
  }

  /** Sleeps until a definition changes; after a failure, for a growing while. */
  async #untilRedraw(ctx: Ctx, failures: number): Promise<void> {
    const signal = AbortSignal.any([ctx.signal, this.#redraw.signal]);
    const ms = failures > 0 ? Math.min(30_000, 500 * 2 ** failures) : 10 * 60_000;
    await ctx.clock.sleep(ms, signal).catch(() => {});
    if (ctx.signal.aborted) return;
    await ctx.clock.sleep(failures > 0 ? 0 : rediscoverMs, ctx.signal).catch(() => {});
    this.#options.kube.invalidate();
  }
}

/** Items of a list may come without their own apiVersion and kind. */
function named(objects: readonly KubeObject[], { apiVersion, kind }: Resource): KubeObject[] {
  return objects.map((object) => (object.kind ? object : { ...object, apiVersion, kind }));
}

function kindOf(key: ResourceKey): string {
  const { group, kind } = parseKey(key);
  return `${group}/${kind}`;
}

function apiVersionsOf(resources: readonly Resource[]): string[] {
  const names = resources.flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`]);
  return [...new Set(names)].sort();
}
