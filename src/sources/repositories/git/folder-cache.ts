/** A folder listing with the names of its entries. */
type Listing = { readonly names: readonly string[] };

type Kept<Folder> = { readonly folder: Folder; readonly bytes: number; isRoot: boolean; isIdle: boolean };

/** Approximate memory of one entry of a folder, and of a folder beside its entries. */
const [entryBytes, folderBytes] = [200, 400];

/**
 * Folders of all mirrors, by a key that names the mirror. Above the memory limit, the least recently used are evicted.
 * Roots, of which every commit adds one, are evicted as well when they have not been opened for a while.
 */
export class FolderCache<Folder extends Listing> {
  readonly #most: number;
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept<Folder>>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string, isRoot: boolean): Folder | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    kept.isIdle = false;
    kept.isRoot ||= isRoot;
    return kept.folder;
  }

  set(key: string, folder: Folder, isRoot: boolean): void {
    this.#evict(key);
    const bytes = folderBytes + folder.names.length * entryBytes;
    this.#kept.set(key, { folder, bytes, isRoot, isIdle: false });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) return;
      this.#evict(oldest);
    }
  }

  /** Evicts the roots that nothing has opened since the last call. */
  evictIdle(): void {
    for (const [key, kept] of [...this.#kept]) {
      if (kept.isRoot && kept.isIdle) this.#evict(key);
      kept.isIdle = true;
    }
  }

  #evict(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
