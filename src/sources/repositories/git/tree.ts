import { decodeText, type EntryKind } from '#base/model';
import { FairleadError } from '#base/std';
import type { FolderCache } from './folder-cache.ts';
import type { ObjectReader } from './objects.ts';

/** A directory of a commit, with everything below it. Equal directories of different commits are one value. */
export type Folder = {
  readonly hash: string;
  readonly names: readonly string[];
  readonly entries: ReadonlyMap<string, Entry>;
  /** The number of entries in and below it, duplicates included: what a walk would visit. */
  readonly expanse: number;
  /** Links in and below it, by their path from here. */
  readonly links: readonly Link[];
  /** Commits of other repositories in and below it. */
  readonly gitlinks: readonly Gitlink[];
};

/** An unfilled submodule: its path, and its commit. */
export type Gitlink = { readonly path: string; readonly commit: string };

/** Returns the content of a blob by its hash. */
export type ReadBlob = (hash: string) => Promise<Uint8Array>;

export type Link = { readonly path: string; readonly target: string };

export type Entry = {
  readonly kind: EntryKind;
  readonly hash: string;
  readonly executable: boolean;
  readonly size?: number;
  readonly target?: string;
  readonly folder?: Folder;
  /** The reader of the content below, where that is another repository than the enclosing one. */
  readonly read?: ReadBlob;
};

type Row = { readonly mode: string; readonly name: string; readonly hash: string };

export type TreeLimits = {
  /** Entries one tree may have. A hostile tree of a few kilobytes can claim billions. */
  readonly entries: number;
  /** Caches the folders of all mirrors, those of this one under `name`. */
  readonly cache: FolderCache<Folder>;
  readonly name: string;
};

const deepest = 256;
const longestLink = 4096;

/** Reads trees of one mirror. Folders that two commits share are read once and kept once. */
export class TreeReader {
  readonly #contents: ObjectReader;
  readonly #sizes: ObjectReader;
  readonly #limits: TreeLimits;
  readonly #loading = new Map<string, Promise<Folder>>();
  /** The number of calls of `clear`: earlier folders are cached under another name. */
  #cleared = 0;
  /** A required object is missing: the mirror is damaged. */
  isTorn = false;

  constructor(contents: ObjectReader, sizes: ObjectReader, limits: TreeLimits) {
    this.#contents = contents;
    this.#sizes = sizes;
    this.#limits = limits;
  }

  /** The folder of the hash of a commit's root. Throws Unavailable when the mirror does not have all of it. */
  folder(rootHash: string): Promise<Folder> {
    return this.#folder(rootHash, '', 0);
  }

  /** The content of a file. Throws Unavailable when the mirror does not have it. */
  readonly read: ReadBlob = async (hash) => {
    const object = await this.#contents.read(hash);
    if (object?.type !== 'blob') throw this.#missing(hash);
    return object.bytes;
  };

  /** Evicts everything; the next read is from the mirror. */
  clear(): void {
    this.#cleared += 1;
    this.#loading.clear();
    this.isTorn = false;
  }

  async #folder(hash: string, path: string, depth: number): Promise<Folder> {
    if (depth > deepest) {
      throw new FairleadError(
        'LimitExceeded',
        `folders are nested deeper than ${deepest} at ${path.slice(0, 80)}…`,
      );
    }
    const { cache, name } = this.#limits;
    const key = `${name} ${this.#cleared} ${hash}`;
    const known = cache.get(key, depth === 0) ?? this.#loading.get(key);
    if (known !== undefined) return known;
    const loading = this.#load(hash, path, depth);
    this.#loading.set(key, loading);
    try {
      const folder = await loading;
      cache.set(key, folder, depth === 0);
      return folder;
    } finally {
      this.#loading.delete(key);
    }
  }

  async #load(hash: string, path: string, depth: number): Promise<Folder> {
    const object = await this.#contents.read(hash);
    if (object?.type !== 'tree') throw this.#missing(hash);
    const rows = parseTree(object.bytes, path);
    const entries = await Promise.all(rows.map((row) => this.#entry(row, path, depth)));
    const expanse = entries.reduce((sum, { folder }) => sum + 1 + (folder?.expanse ?? 0), 0);
    if (expanse > this.#limits.entries) {
      throw new FairleadError(
        'LimitExceeded',
        `the repository has more than ${this.#limits.entries} files and folders at ${path || 'its root'}`,
      );
    }
    const byName = new Map(rows.map(({ name }, at) => [name, entries[at] as Entry]));
    const links = rows.flatMap(({ name }, at) => linksAt(name, entries[at]));
    const gitlinks = rows.flatMap(({ name }, at) => gitlinksAt(name, entries[at]));
    return { hash, names: inByteOrder(rows), entries: byName, expanse, links, gitlinks };
  }

  async #entry({ mode, name, hash }: Row, path: string, depth: number): Promise<Entry> {
    const executable = mode === '100755';
    if (mode === '40000') {
      const folder = await this.#folder(hash, path === '' ? name : `${path}/${name}`, depth + 1);
      return { kind: 'dir', hash, executable: false, folder };
    }
    if (mode === '160000') return { kind: 'submodule', hash, executable: false };
    const size = (await this.#sizes.read(hash))?.size;
    if (size === undefined) throw this.#missing(hash);
    if (mode !== '120000') return { kind: 'file', hash, executable, size };
    return { kind: 'symlink', hash, executable: false, target: await this.#linkTarget(hash, size) };
  }

  async #linkTarget(hash: string, size: number): Promise<string> {
    // too long for any file system: counts as a link out of the tree
    if (size > longestLink) return '/';
    return decodeText(await this.read(hash));
  }

  #missing(hash: string): FairleadError {
    this.isTorn = true;
    return new FairleadError('Unavailable', `object ${hash} is missing from the mirror`);
  }
}

/** The links in and below one entry, by their path from its folder. */
export function linksAt(name: string, entry: Entry | undefined): readonly Link[] {
  if (entry?.target !== undefined) return [{ path: name, target: entry.target }];
  const links = entry?.folder?.links ?? [];
  return links.map(({ path, target }) => ({ path: `${name}/${path}`, target }));
}

/** The unfilled submodules in and below one entry, by their path from its folder. */
export function gitlinksAt(name: string, entry: Entry | undefined): readonly Gitlink[] {
  if (entry?.kind === 'submodule') return [{ path: name, commit: entry.hash }];
  const gitlinks = entry?.folder?.gitlinks ?? [];
  return gitlinks.map(({ path, commit }) => ({ path: `${name}/${path}`, commit }));
}

/** Reads a tree object: `<mode> <name>\0<20 bytes>`, again and again. Throws InvalidSpec for names no checkout allows. */
function parseTree(bytes: Uint8Array, path: string): Row[] {
  const rows: Row[] = [];
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > bytes.length) {
      throw new FairleadError('InvalidSpec', `the listing of folder ${path || '/'} is broken`);
    }
    const name = decodeText(bytes.subarray(space + 1, end));
    refuseTrick(name, path);
    const mode = decodeText(bytes.subarray(at, space)).replace(/^0+/, '');
    rows.push({ mode, name, hash: Buffer.from(bytes.subarray(end + 1, end + 21)).toString('hex') });
    at = end + 21;
  }
  return rows;
}

/** Git itself would not check these out; a tree that contains one was made by hand. */
function refuseTrick(name: string, path: string): void {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.toLowerCase() === '.git') {
    throw new FairleadError(
      'InvalidSpec',
      `the repository holds an entry named "${name}" in ${path || 'its root'}: remove it from the commit`,
    );
  }
}

/** Git orders a folder as if its name ended in a slash; we order by the bare name (sources VFT-2). */
function inByteOrder(rows: readonly Row[]): string[] {
  const names = rows.map(({ name }) => name);
  const sorted = names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name);
  return sorted && names.every((name) => /^[\x20-\x7e]*$/.test(name))
    ? names
    : names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
