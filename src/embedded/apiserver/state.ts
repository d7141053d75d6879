import { type Clock, FairleadError, type Logger, realClock } from '#base/std';
import { json, type Store, type StoreChange, type Table } from '#platform/store';
import { History, type HistoryLimits } from './history.ts';
import { type Item, withMeta } from './item.ts';
import { ObjectTable } from './object-table.ts';
import { internalError } from './status.ts';
import { Stored, storedJson } from './stored.ts';

/** The table and the key of one object. */
export type StoredAt = { readonly collection: ObjectTable; readonly key: string };

/** Called for every committed change, synchronously and in order; must not throw and must not write. */
export type CommitListener = (change: Committed) => void;
export type Committed = {
  readonly collection: ObjectTable;
  readonly next: Stored | undefined;
  readonly previous: Stored | undefined;
};

/** A write that is in memory and not in the store yet. */
type Unpublished = Committed & { readonly rv: number; readonly key: string };

/** The whole state at one moment, by reference: taking one copies pointers, and its content never changes. */
export type Snapshot = {
  readonly rv: number;
  readonly collections: readonly { readonly id: string; readonly items: readonly Stored[] }[];
};

type Options = {
  readonly store: Store;
  readonly history: Partial<HistoryLimits>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the cluster closes. */
  readonly closing: AbortSignal;
  /** The initial state when the store is empty. */
  readonly from?: Snapshot | undefined;
};

/** How often a refused write is retried. */
const retryMs = 1_000;

/**
 * The whole state of the cluster, in memory, backed by the store. A write changes memory at once, so the next
 * writer sees it, and becomes visible to clients when it is in the store (invariant 2 of the room).
 */
export class State {
  readonly #options: Options;
  readonly history: History;
  readonly #objects: Table<Stored>;
  readonly #counters: Table<number>;
  readonly #collections = new Map<string, ObjectTable>();
  readonly #byUid = new Map<string, StoredAt>();
  readonly #byOwner = new Map<string, Map<string, StoredAt>>();
  readonly #listeners: CommitListener[] = [];
  readonly #unpublished: Unpublished[] = [];
  #rv: number;
  #durable: number;
  /** The content of the next transaction; a later write of the same object replaces an earlier one. */
  readonly #changes = new Map<string, StoreChange>();
  #waiting: { readonly rv: number; readonly done: (error?: FairleadError) => void }[] = [];
  #committing: Promise<void> | undefined;
  #failure: FairleadError | undefined;
  readonly #resumed: (() => void)[] = [];

  /** Reads the whole store. Throws when an entry cannot be read. */
  constructor(options: Options) {
    this.#options = options;
    this.history = new History(options.history, options.clock);
    this.#objects = options.store.table('cluster-objects', storedJson);
    this.#counters = options.store.table('cluster-counters', json<number>());
    this.#rv = this.#counters.get('resource-version') ?? 1;
    this.#durable = this.#rv;
    for (const [id, stored] of this.#objects.range()) this.#load(id, stored);
    if (options.from && this.#rv === 1) this.#begin(options.from);
  }

  /** The current state. */
  snapshot(): Snapshot {
    const collections = [...this.#collections.values()].map((collection) => ({
      id: collection.id,
      items: collection.list(),
    }));
    return { rv: this.#rv, collections };
  }

  /** The memory in use. */
  usage(): { objects: number; objectBytes: number; historyEvents: number; historyBytes: number } {
    const items = [...this.#collections.values()].flatMap((collection) => collection.list());
    const { events: historyEvents, bytes: historyBytes } = this.history;
    const objectBytes = items.reduce((sum, { bytes }) => sum + bytes, 0);
    return { objects: items.length, objectBytes, historyEvents, historyBytes };
  }

  /** The number of the newest write. */
  get rv(): number {
    return this.#rv;
  }

  /** The number of the newest write that is visible to clients. */
  get durableRv(): number {
    return this.#durable;
  }

  collection(id: string): ObjectTable {
    let collection = this.#collections.get(id);
    if (!collection) {
      collection = new ObjectTable(id, this.history.open(this.#rv));
      this.#collections.set(id, collection);
    }
    return collection;
  }

  collections(): Iterable<ObjectTable> {
    return this.#collections.values();
  }

  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /** The object with this uid, if it still exists. */
  byUid(uid: string): (StoredAt & { readonly stored: Stored }) | undefined {
    const place = this.#byUid.get(uid);
    const stored = place?.collection.get(place.key);
    return place && stored ? { ...place, stored } : undefined;
  }

  /** Objects that name this uid among their owners. */
  dependents(uid: string): (StoredAt & { readonly stored: Stored })[] {
    const found = [];
    for (const place of this.#byOwner.get(uid)?.values() ?? []) {
      const stored = place.collection.get(place.key);
      if (stored) found.push({ ...place, stored });
    }
    return found;
  }

  /** Stores `item` with the next resourceVersion. The caller has made all checks. */
  put(collection: ObjectTable, key: string, item: Item): Stored {
    this.#mustWork();
    const previous = collection.get(key);
    const rv = ++this.#rv;
    const stored = new Stored(key, withMeta(item, { resourceVersion: String(rv) }), rv);
    collection.set(stored);
    this.#reindex({ collection, key }, previous, stored);
    collection.log.append({ rv, type: previous ? 'MODIFIED' : 'ADDED', stored, previous });
    this.#persist({ collection, key, rv, next: stored, previous });
    return stored;
  }

  /** Changes how the object is read, without a write: no resourceVersion and no watch event. */
  reread({ collection, key }: StoredAt, item: Item): void {
    const stored = collection.get(key);
    if (stored) collection.set(new Stored(key, item, stored.rv));
  }

  /** Removes the object; the watch event has its last stored state. */
  remove(collection: ObjectTable, key: string): Stored | undefined {
    this.#mustWork();
    const previous = collection.get(key);
    if (!previous) return undefined;
    const rv = ++this.#rv;
    const gone = previous.at(rv);
    collection.delete(key);
    this.#reindex({ collection, key }, previous, undefined);
    collection.log.append({ rv, type: 'DELETED', stored: gone, previous });
    this.#persist({ collection, key, rv, next: undefined, previous });
    return gone;
  }

  /** Resolves when all writes so far are in the store; throws when the store refused them, and they are undone. */
  async durable(): Promise<void> {
    const rv = this.#rv;
    if (this.#durable >= rv) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ rv, done: (error) => (error ? reject(internalError(error.message)) : resolve()) });
    });
  }

  /** The error that prevents writes; undefined when there is none. */
  get failure(): FairleadError | undefined {
    return this.#failure;
  }

  /** Calls `resumed` whenever the store can be written again. */
  onResume(resumed: () => void): void {
    this.#resumed.push(resumed);
  }

  wakeAll(): void {
    for (const collection of this.#collections.values()) collection.log.wakeAll();
  }

  #load(id: string, stored: Stored): void {
    const collection = this.collection(id.slice(0, id.indexOf('|')));
    collection.set(stored);
    this.#reindex({ collection, key: stored.key }, undefined, stored);
  }

  #begin({ rv, collections }: Snapshot): void {
    this.#rv = rv;
    for (const { id, items } of collections) {
      const collection = this.collection(id);
      for (const stored of items) {
        const place = { collection, key: stored.key };
        collection.set(stored);
        this.#reindex(place, undefined, stored);
        this.#changes.set(idOf(place), this.#objects.put(idOf(place), stored));
      }
    }
    this.#committing = this.#commitAll();
  }

  #persist(write: Unpublished): void {
    const id = idOf(write);
    this.#unpublished.push(write);
    this.#changes.set(id, write.next ? this.#objects.put(id, write.next) : this.#objects.remove(id));
    this.#committing ??= this.#commitAll();
    this.#notify(write);
  }

  /** Writes that arrive while a transaction is being stored go into the next one together. */
  async #commitAll(): Promise<void> {
    await Promise.resolve(); // all writes of one synchronous run are one transaction
    while (this.#changes.size > 0) {
      const rv = this.#rv;
      const changes = [...this.#changes.values(), this.#counters.put('resource-version', rv)];
      this.#changes.clear();
      try {
        await this.#options.store.write(changes);
        this.#landed(rv);
      } catch (error) {
        this.#undo(FairleadError.from(error));
      }
    }
    this.#committing = undefined;
  }

  #landed(rv: number): void {
    this.#durable = rv;
    this.#publish(rv);
    this.history.enforce();
    const [done, later] = [
      this.#waiting.filter((one) => one.rv <= rv),
      this.#waiting.filter((one) => one.rv > rv),
    ];
    this.#waiting = later;
    for (const one of done) one.done();
  }

  #publish(rv: number): void {
    let done = 0;
    for (const event of this.#unpublished) {
      if (event.rv > rv) break;
      event.collection.log.publish(event.rv);
      done += 1;
    }
    this.#unpublished.splice(0, done);
  }

  /**
   * The store refused a write: memory is reset to the stored state, so that reads stay true, and writes are
   * refused until a trial write succeeds. Versions that were assigned are not used again (invariant 1).
   */
  #undo(error: FairleadError): void {
    this.#options.log.error('the embedded cluster cannot write: its store refused', { error });
    this.#failure = error;
    this.#changes.clear();
    const durable = this.#durable;
    this.#durable = this.#rv;
    for (const { collection, key, next, previous } of this.#unpublished.splice(0).reverse()) {
      if (previous) collection.set(previous);
      else collection.delete(key);
      this.#reindex({ collection, key }, next, previous);
      collection.log.retract(durable);
      this.#notify({ collection, next: previous, previous: next });
    }
    for (const { done } of this.#waiting.splice(0)) done(error);
    this.#resume().catch((thrown: unknown) =>
      this.#options.log.error('the embedded cluster stopped trying to write', {
        error: FairleadError.from(thrown),
      }),
    );
  }

  /** Tries to write until it succeeds or the cluster closes. */
  async #resume(): Promise<void> {
    while (this.#failure && !this.#options.closing.aborted) {
      await realClock.sleep(retryMs, this.#options.closing).catch(() => {});
      try {
        await this.#options.store.write([this.#counters.put('resource-version', this.#rv)]);
        this.#failure = undefined;
      } catch (error) {
        this.#failure = FairleadError.from(error);
      }
    }
    if (this.#failure) return;
    this.#options.log.info('the embedded cluster can write again');
    for (const resumed of this.#resumed) resumed();
  }

  #mustWork(): void {
    if (this.#failure) throw internalError(this.#failure.message);
  }

  #notify(change: Committed): void {
    for (const listener of this.#listeners) listener(change);
  }

  #reindex(place: StoredAt, previous: Stored | undefined, next: Stored | undefined): void {
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

  #link(owner: string, id: string, place: StoredAt): void {
    const places = this.#byOwner.get(owner);
    if (places) places.set(id, place);
    else this.#byOwner.set(owner, new Map([[id, place]]));
  }

  #unlink(owner: string, id: string): void {
    const places = this.#byOwner.get(owner);
    if (places?.delete(id) && places.size === 0) this.#byOwner.delete(owner);
  }
}

/** The key of an object in the store. A group, plural, namespace or name cannot contain a pipe. */
const idOf = ({ collection, key }: StoredAt): string => `${collection.id}|${key}`;
