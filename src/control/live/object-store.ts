import { type KubeObject, keyOf, type ResourceKey } from '#base/model';
import { Lru } from '#base/std';
import { isSlim } from './slim.ts';

/** A change of one object. At least one side is set. */
export type ObjectChange = { readonly before?: KubeObject; readonly after?: KubeObject };

/**
 * Objects by key, never moving backwards: our own writes are put in at once, and an older event or list that arrives later
 * does not undo them.
 */
export class ObjectStore {
  readonly #objects = new Map<ResourceKey, KubeObject>();
  /** Objects that we wrote and the watch has not delivered yet. */
  readonly #ahead = new Set<ResourceKey>();
  readonly #onChange: (key: ResourceKey, change: ObjectChange) => void;
  /** UIDs of deleted objects: a UID is never reused, so a late event or response about one is outdated. */
  readonly #gone = new Lru<true>({ capacity: 10_000 });

  constructor(onChange: (key: ResourceKey, change: ObjectChange) => void) {
    this.#onChange = onChange;
  }

  get(key: ResourceKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  get size(): number {
    return this.#objects.size;
  }

  values(): IterableIterator<KubeObject> {
    return this.#objects.values();
  }

  /** Like put, for our own writes. */
  write(object: KubeObject): void {
    if (this.put(object)) this.#ahead.add(keyOf(object));
  }

  /** Whether the watch has yet to deliver our change of an object: the version that we wrote, or its deletion (`isGone`). */
  owes(object: KubeObject, isGone: boolean): boolean {
    const key = keyOf(object);
    return isGone ? this.#objects.get(key)?.metadata.uid === object.metadata.uid : this.#ahead.has(key);
  }

  /** False when the stored object is as new or newer. */
  put(object: KubeObject): boolean {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    if (before && isAtLeast(before, object.metadata.resourceVersion)) {
      if (!isSameVersion(before, object)) return false;
      // keep the watch's copy, which other watches share
      if (!isSlim(object)) this.#objects.set(key, object);
      this.#ahead.delete(key);
      return false;
    }
    if (this.#gone.get(object.metadata.uid ?? '')) return false;
    this.#objects.set(key, object);
    this.#ahead.delete(key);
    this.#onChange(key, before ? { before, after: object } : { after: object });
    return true;
  }

  /** The same object with more fields than are stored, or a newer one. */
  complete(object: KubeObject): void {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    if (before && isSameVersion(before, object)) this.#objects.set(key, object);
    else this.put(object);
  }

  /** `seen` is the object as it was when it was deleted; one that was recreated since then stays. */
  drop(seen: KubeObject): void {
    const key = keyOf(seen);
    const before = this.#objects.get(key);
    this.#bury(seen);
    if (!before) return;
    const isAnother = before.metadata.uid !== seen.metadata.uid;
    if (isAnother && isAtLeast(before, seen.metadata.resourceVersion)) return;
    this.#lose(key, before);
  }

  /** Drops an object that is no longer watched; it may still exist, and may be put again. */
  forget(key: ResourceKey): void {
    const before = this.#objects.get(key);
    if (before) this.#lose(key, before);
  }

  /** A full list of these objects as of a version: those missing from it are deleted, unless they are newer. */
  replace(held: Iterable<ResourceKey>, objects: readonly KubeObject[], version: string): void {
    const named = new Set<ResourceKey>();
    for (const object of objects) {
      named.add(keyOf(object));
      this.put(object);
    }
    for (const key of [...held]) {
      const before = this.#objects.get(key);
      if (!before || named.has(key) || isNewer(before, version)) continue;
      this.#bury(before);
      this.#lose(key, before);
    }
  }

  #lose(key: ResourceKey, before: KubeObject): void {
    this.#objects.delete(key);
    this.#ahead.delete(key);
    this.#onChange(key, { before });
  }

  #bury({ metadata: { uid } }: KubeObject): void {
    if (uid) this.#gone.set(uid, true);
  }
}

function isAtLeast(object: KubeObject, version: string | undefined): boolean {
  return version !== undefined && compareVersions(object.metadata.resourceVersion ?? '', version) >= 0;
}

const isSameVersion = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.resourceVersion === b.metadata.resourceVersion;

function isNewer(object: KubeObject, version: string): boolean {
  return compareVersions(object.metadata.resourceVersion ?? '', version) > 0;
}

/** Resource versions are decimal counters; longer is larger. */
function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
