import { type KubeObject, keyFrom, keyOf, type ResourceKey } from '#base/model';
import { type Ctx, joined } from '#base/std';
import { type Collection, type KubeClient, listWatch } from '#kubernetes/client';
import { Feed } from './change-feed.ts';
import { DeletedObjects } from './deleted-objects.ts';
import { type ObjectChange, ObjectStore } from './object-store.ts';
import { ReadyGate } from './ready-gate.ts';

export type InformerOptions = Collection & {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
};

/** Readers are in this process and read at once; one that forwards changes over a network may be slow. */
const followers = 100_000;

/** One collection of a cluster, mirrored in memory for as long as `run` runs. */
export class Informer<T extends KubeObject = KubeObject> {
  readonly #kube: Pick<KubeClient, 'list' | 'watch'>;
  readonly #read: (object: KubeObject) => KubeObject;
  readonly #synced = new ReadyGate();
  readonly #feed = new Feed<ObjectChange>(followers);
  readonly #held: ObjectStore;
  readonly #keys = new Set<ResourceKey>();
  readonly #indexes: ((change: ObjectChange) => void)[] = [];
  #deleted: DeletedObjects | undefined;
  #from: InformerOptions;
  #accepts: (object: KubeObject) => boolean = () => true;
  #moved = new AbortController();

  /** `read` converts and validates an object from the cluster. */
  constructor(
    kube: Pick<KubeClient, 'list' | 'watch'>,
    from: InformerOptions,
    read: (object: KubeObject) => KubeObject = (object) => object,
  ) {
    this.#kube = kube;
    this.#read = read;
    this.#from = from;
    this.#held = new ObjectStore((key, change) => {
      if (change.after) this.#keys.add(key);
      else this.#keys.delete(key);
      for (const index of this.#indexes) index(change);
      this.#feed.publish(change);
    });
  }

  /**
   * Groups the objects by a text that is derived from each, from now on, and returns the lookup. It is never behind `get`
   * and `list`. Undefined: the object is in no group.
   */
  indexBy(groupOf: (object: T) => string | undefined): (group: string) => readonly T[] {
    const groups = new Map<string, Set<ResourceKey>>();
    const leave = (object: T): void => {
      const group = groupOf(object);
      const members = group === undefined ? undefined : groups.get(group);
      if (members?.delete(keyOf(object)) && members.size === 0) groups.delete(group ?? '');
    };
    const enter = (object: T): void => {
      const group = groupOf(object);
      if (group !== undefined) groups.set(group, (groups.get(group) ?? new Set()).add(keyOf(object)));
    };
    this.list().forEach(enter);
    this.#indexes.push(({ before, after }) => {
      if (before) leave(before as T);
      if (after) enter(after as T);
    });
    return (group) => [...(groups.get(group) ?? [])].map((key) => this.#held.get(key) as T);
  }

  /** Keeps the newest so many deleted objects from now on. */
  keepDeleted(most: number): void {
    const deleted = new DeletedObjects(most);
    this.#deleted = deleted;
    this.#indexes.push((change) => deleted.note(change));
  }

  /** Their identity and spec, newest last; none of a name that is taken again. */
  listDeleted(): T[] {
    return (this.#deleted?.list() ?? []) as T[];
  }

  /** Mirrors another part of the collection from now on, and of it only the accepted objects. */
  move(from: InformerOptions, accepts: (object: KubeObject) => boolean): void {
    this.#from = from;
    this.#accepts = accepts;
    this.#moved.abort();
  }

  async run(ctx: Ctx): Promise<void> {
    while (!ctx.signal.aborted) {
      this.#moved = new AbortController();
      const { signal, release } = joined(ctx.signal, this.#moved.signal);
      await this.#mirror({ ...ctx, signal }).finally(release);
    }
  }

  async #mirror(ctx: Ctx): Promise<void> {
    const { labelSelector, fieldSelector, kind } = this.#from;
    for await (const event of listWatch(ctx, this.#kube, this.#from, { labelSelector, fieldSelector })) {
      if (event.type === 'SYNCED') {
        const objects = event.objects.filter((object) => this.#accepts(object)).map(this.#read);
        this.#held.replace(this.#keys, objects, event.resourceVersion);
        this.#synced.open();
      } else if (event.type === 'FAILED') {
        ctx.log.warn('watch failed', { kind, error: event.error });
      } else if (event.type === 'DELETED') this.#held.drop(event.object);
      else if (event.type !== 'RESUMED' && this.#accepts(event.object))
        this.#held.put(this.#read(event.object));
    }
  }

  /** Resolves when the first list is complete. */
  whenSynced(ctx: Ctx): Promise<void> {
    return this.#synced.pass(ctx);
  }

  get(namespace: string, name: string): T | undefined {
    const { apiVersion, kind } = this.#from;
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return this.#held.get(keyFrom({ group, kind, namespace, name })) as T | undefined;
  }

  list(): T[] {
    return [...this.#held.values()] as T[];
  }

  /** compat engine R-2: our next read returns our own write, before the watch delivers it. */
  put(object: T): void {
    this.#held.put(this.#read(object));
  }

  /** Drops an object that is known to be gone, before the watch delivers that. */
  drop(object: T): void {
    this.#held.drop(object);
  }

  /** Every change from this call on, until `ctx` stops; throws LimitExceeded when the reader is too slow. */
  changes(ctx: Ctx): AsyncGenerator<ObjectChange> {
    return this.#feed.follow(ctx);
  }
}
