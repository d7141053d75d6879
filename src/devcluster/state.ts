import { FairleadError, type Logger } from '#std';
import { json, type Store, type Table } from '#store';
import { type Item, withMeta } from './item.ts';
import { Shelf } from './shelf.ts';
import { internalError } from './status.ts';
import { Stored } from './stored.ts';

/** Where one object stands. */
export type Place = { readonly shelf: Shelf; readonly key: string };

/** Told about every committed change, at once and in order; must not throw and must not write. */
export type Listener = (change: Committed) => void;
export type Committed = {
  readonly shelf: Shelf;
  readonly next: Stored | undefined;
  readonly previous: Stored | undefined;
};

type Options = { readonly store: Store; readonly history: number; readonly log: Logger };

/**
 * Everything the cluster knows, in memory, with the store behind it. A write changes memory at once, so the next
 * writer sees it, and is shown to nobody outside before the store has it (invariant 2 of the room).
 */
export class State {
  readonly #options: Options;
  readonly #objects: Table<Item>;
  readonly #counters: Table<number>;
  readonly #shelves = new Map<string, Shelf>();
  readonly #byUid = new Map<string, Place>();
  readonly #byOwner = new Map<string, Map<string, Place>>();
  readonly #listeners: Listener[] = [];
  readonly #unpublished: { readonly rv: number; readonly shelf: Shelf }[] = [];
  #rv: number;
  #durable: number;
  #pending: Promise<void> = Promise.resolve();
  #failure: FairleadError | undefined;

  /** Reads the whole store. Throws when an entry cannot be read. */
  constructor(options: Options) {
    this.#options = options;
    this.#objects = options.store.table('cluster-objects', json<Item>());
    this.#counters = options.store.table('cluster-counters', json<number>());
    this.#rv = this.#counters.get('resource-version') ?? 1;
    this.#durable = this.#rv;
    for (const [id, item] of this.#objects.range()) this.#load(id, item);
  }

  /** The number of the newest write. */
  get rv(): number {
    return this.#rv;
  }

  /** The number of the newest write that anybody outside may know of. */
  get durableRv(): number {
    return this.#durable;
  }

  shelf(id: string): Shelf {
    let shelf = this.#shelves.get(id);
    if (!shelf) {
      shelf = new Shelf(id, { history: this.#options.history, startsAt: this.#rv });
      this.#shelves.set(id, shelf);
    }
    return shelf;
  }

  shelves(): Iterable<Shelf> {
    return this.#shelves.values();
  }

  onCommit(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** The object with this uid, if it still exists. */
  byUid(uid: string): (Place & { readonly stored: Stored }) | undefined {
    const place = this.#byUid.get(uid);
    const stored = place?.shelf.get(place.key);
    return place && stored ? { ...place, stored } : undefined;
  }

  /** Objects that name this uid among their owners. */
  dependents(uid: string): (Place & { readonly stored: Stored })[] {
    const found = [];
    for (const place of this.#byOwner.get(uid)?.values() ?? []) {
      const stored = place.shelf.get(place.key);
      if (stored) found.push({ ...place, stored });
    }
    return found;
  }

  /** Puts `item` in place, with the next resourceVersion. The caller has made all checks. */
  put(shelf: Shelf, key: string, item: Item): Stored {
    this.#mustWork();
    const previous = shelf.get(key);
    const rv = ++this.#rv;
    const stored = new Stored(key, withMeta(item, { resourceVersion: String(rv) }), rv);
    shelf.set(stored);
    this.#reindex({ shelf, key }, previous, stored);
    shelf.log.append({ rv, type: previous ? 'MODIFIED' : 'ADDED', stored, previous });
    this.#persist(shelf, key, stored);
    this.#tell({ shelf, next: stored, previous });
    return stored;
  }

  /** Takes the object away; `last` is how it looked at the end, when that differs from what is stored. */
  remove(shelf: Shelf, key: string, last?: Item): Stored | undefined {
    this.#mustWork();
    const previous = shelf.get(key);
    if (!previous) return undefined;
    const rv = ++this.#rv;
    const gone = new Stored(key, withMeta(last ?? previous.item, { resourceVersion: String(rv) }), rv);
    shelf.delete(key);
    this.#reindex({ shelf, key }, previous, undefined);
    shelf.log.append({ rv, type: 'DELETED', stored: gone, previous });
    this.#persist(shelf, key, undefined);
    this.#tell({ shelf, next: undefined, previous });
    return gone;
  }

  /** Resolves when all that has been written so far is in the store. */
  async durable(): Promise<void> {
    const target = this.#rv;
    while (this.#durable < target && !this.#failure) await this.#pending;
    this.#mustWork();
  }

  wakeAll(): void {
    for (const shelf of this.#shelves.values()) shelf.log.wakeAll();
  }

  #load(id: string, item: Item): void {
    const cut = id.indexOf('|');
    const shelf = this.shelf(id.slice(0, cut));
    const stored = new Stored(id.slice(cut + 1), item, Number(item.metadata.resourceVersion));
    shelf.set(stored);
    this.#reindex({ shelf, key: stored.key }, undefined, stored);
  }

  #persist(shelf: Shelf, key: string, stored: Stored | undefined): void {
    const rv = this.#rv;
    const id = idOf({ shelf, key });
    this.#unpublished.push({ rv, shelf });
    this.#pending = this.#options.store
      .write([
        stored ? this.#objects.put(id, stored.item) : this.#objects.remove(id),
        this.#counters.put('resource-version', rv),
      ])
      .then(
        () => this.#landed(rv),
        (error: unknown) => this.#failed(error),
      );
  }

  #landed(rv: number): void {
    if (this.#failure || rv <= this.#durable) return;
    this.#durable = rv;
    let done = 0;
    for (const event of this.#unpublished) {
      if (event.rv > rv) break;
      event.shelf.log.publish(event.rv);
      done += 1;
    }
    this.#unpublished.splice(0, done);
  }

  #failed(error: unknown): void {
    if (this.#failure) return;
    this.#failure = FairleadError.from(error);
    this.#options.log.error('the embedded cluster cannot write', { error: this.#failure });
    this.wakeAll();
  }

  #mustWork(): void {
    // memory is ahead of the disk now: whatever was answered from here on could be undone by a restart
    if (this.#failure) throw internalError(`${this.#failure.message}; restart once that is fixed`);
  }

  #tell(change: Committed): void {
    for (const listener of this.#listeners) listener(change);
  }

  #reindex(place: Place, previous: Stored | undefined, next: Stored | undefined): void {
    const was = previous?.item.metadata;
    const is = next?.item.metadata;
    if (was?.uid !== is?.uid) {
      if (was?.uid) this.#byUid.delete(was.uid);
      if (is?.uid) this.#byUid.set(is.uid, place);
    }
    if (was?.ownerReferences === is?.ownerReferences) return;
    const id = idOf(place);
    for (const { uid } of was?.ownerReferences ?? []) this.#unlink(uid, id);
    for (const { uid } of is?.ownerReferences ?? []) this.#link(uid, id, place);
  }

  #link(owner: string, id: string, place: Place): void {
    const places = this.#byOwner.get(owner);
    if (places) places.set(id, place);
    else this.#byOwner.set(owner, new Map([[id, place]]));
  }

  #unlink(owner: string, id: string): void {
    const places = this.#byOwner.get(owner);
    if (places?.delete(id) && places.size === 0) this.#byOwner.delete(owner);
  }
}

/** The key of an object in the store. A pipe can stand in no group, plural, namespace or name. */
const idOf = ({ shelf, key }: Place): string => `${shelf.id}|${key}`;
