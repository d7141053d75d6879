import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';

/** The file grows by this much at a time while there is room for it. */
const step = 1024 * 1024;
/** Pages of the tree above a changed entry, and those that LMDB splits. */
const pagesPerChange = 8;
const slack = 64;

/**
 * Reserves room for the next commit on disk before LMDB begins it. LMDB does not survive a second commit that fails for want
 * of room (decision 27); a file that cannot grow is harmless, and the next write tries again.
 */
export class DiskReserve {
  readonly #root: RootDatabase<Uint8Array, string>;
  readonly #file: number;
  #size = 0;

  constructor(root: RootDatabase<Uint8Array, string>, path: string) {
    this.#root = root;
    this.#file = openSync(path, 'r+');
  }

  /**
   * Returns when values of these sizes can be committed, even if no page were free. Throws the system's error when they
   * cannot.
   */
  reserve(sizes: readonly number[]): void {
    const { pageSize, lastPageNumber } = this.#root.getStats() as Stats;
    const used = (lastPageNumber + 1) * pageSize;
    const pages = sizes.reduce((sum, size) => sum + Math.ceil(size / pageSize) + pagesPerChange, slack);
    // the list of free pages may be rewritten as a whole: eight bytes for each page at most
    const wanted = used + pages * pageSize + Math.ceil((lastPageNumber * 8) / pageSize) * pageSize;
    if (wanted <= this.#size) return;
    try {
      this.#grow(Math.ceil(wanted / step) * step);
    } catch {
      this.#grow(wanted); // the last free bytes of a disk are used as well
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /**
   * Writes zeros: a sparse file has no room reserved on the disk. In one call: LMDB itself extends the file when a table is
   * opened, and its data must not be overwritten.
   */
  #grow(to: number): void {
    this.#size = fstatSync(this.#file).size;
    if (this.#size >= to) return;
    const zeros = Buffer.alloc(Math.min(step, to - this.#size));
    while (this.#size < to) {
      const length = Math.min(zeros.length, to - this.#size);
      this.#size += writeSync(this.#file, zeros, 0, length, this.#size);
    }
  }
}

type Stats = { readonly pageSize: number; readonly lastPageNumber: number };
