import { linkSync, lstatSync, unlinkSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileTree } from '#base/model';
import { Lru } from '#base/std';
import { sumOf } from './render-key.ts';

export type ContentLimits = {
  /** Bytes, and files, of contents cached on disk for the next run of an engine. */
  readonly readyBytes: number;
  readonly readyFiles: number;
};

/** Puts files of a tree where an engine will read them. */
export type Placing = {
  place(tree: FileTree, path: string, to: string): Promise<void>;
  /** No placed file has been written to since. */
  isIntact(): boolean;
};

/** A content on disk, and its state when it was written. */
type Ready = {
  readonly key: string;
  readonly at: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
};

/**
 * Contents of files by their hash, written once and linked into the folder of every run that needs them: a second run
 * costs a link for each file, and a new commit the writing of what it changed. Files are read-only. An engine that
 * writes to one all the same, as root could, is detected by `isIntact` before a result is used. Bounded: the least
 * recently used content is evicted; runs that still link it keep it. Nothing is kept from one process to the next.
 */
export class Contents {
  readonly #folder: () => Promise<string>;
  readonly #ready: Lru<Ready>;
  readonly #writing = new Map<string, Promise<Ready>>();

  constructor(folder: () => Promise<string>, { readyBytes, readyFiles }: ContentLimits) {
    this.#folder = folder;
    // a file takes at least a block of the disk, and the average size keeps the number of files within its limit
    const least = Math.max(1, Math.floor(readyBytes / readyFiles));
    this.#ready = new Lru({
      capacity: readyBytes,
      weigh: ({ size }) => Math.max(size, least),
      onEvict: (_key, { at }) => removeQuietly(at),
    });
  }

  /** Placing by links, for one run. */
  linking(): Placing {
    const used: { readonly ready: Ready; readonly to: string }[] = [];
    return {
      place: async (tree, path, to) => {
        const key = keyOf(tree, path);
        const ready = this.#ready.get(key) ?? (await this.#written(key, tree, path));
        if (linked(ready.at, to)) {
          used.push({ ready, to });
          return;
        }
        this.#drop(ready);
        await writeCopy(tree, path, to);
      },
      isIntact: () => {
        const touched = used.filter(({ ready, to }) => !isAsWritten(ready, to));
        for (const { ready } of touched) this.#drop(ready);
        return touched.length === 0;
      },
    };
  }

  #written(key: string, tree: FileTree, path: string): Promise<Ready> {
    const known = this.#writing.get(key);
    if (known !== undefined) return known;
    const writing = this.#write(key, tree, path).finally(() => this.#writing.delete(key));
    this.#writing.set(key, writing);
    return writing;
  }

  async #write(key: string, tree: FileTree, path: string): Promise<Ready> {
    const dir = join(await this.#folder(), 'contents', key.slice(0, 2));
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const at = join(dir, key.slice(2));
    removeQuietly(at); // an evicted file may still be there
    await writeCopy(tree, path, at);
    const { size, mtimeMs, ino } = await stat(at);
    const ready = { key, at, size, mtimeMs, ino };
    this.#ready.set(key, ready);
    return ready;
  }

  /** Prevents further links to a content that is gone or does not match its hash. */
  #drop(ready: Ready): void {
    if (this.#ready.get(ready.key) !== ready) return;
    this.#ready.delete(ready.key);
    removeQuietly(ready.at);
  }
}

/** Placing by private copies: for a run whose program may write anywhere in its folder. */
export const copying: Placing = { place: writeCopy, isIntact: () => true };

async function writeCopy(tree: FileTree, path: string, to: string): Promise<void> {
  await writeFile(to, await tree.read(path), { mode: tree.isExecutable(path) ? 0o500 : 0o400 });
}

const keyOf = (tree: FileTree, path: string): string =>
  sumOf(`${tree.isExecutable(path) ? 'x' : '-'} ${tree.hash(path)}`);

/** False where the file cannot be linked: it is gone, has too many links, or its file system has none. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** The placed file may have been replaced or removed, which is harmless; the linked content may not have changed. */
function isAsWritten({ size, mtimeMs, ino }: Ready, to: string): boolean {
  const now = lstatSync(to, { throwIfNoEntry: false });
  return !now || now.ino !== ino || (now.size === size && now.mtimeMs === mtimeMs);
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // already gone
  }
}
