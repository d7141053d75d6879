import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type FileTree, joinPath, parentPath, walk } from '#base/model';
import { FairleadError } from '#base/std';
import type { Placing } from './contents.ts';
import type { RecordedTree } from './output.ts';

/** Parts of a tree that an engine is to see: single files, and folders with all their contents. */
export type Parts = { readonly files: readonly string[]; readonly folders: readonly string[] };

export type MaterializeLimits = { readonly files: number; readonly bytes: number };

/** Contents read concurrently: enough to keep git busy, little enough to hold in memory. */
const batch = 64;

/**
 * Puts parts of a tree below a folder of the disk, and records that the result depends on them. Links are written so
 * that each leads straight to the real thing inside the folder; one that leads out of the tree, or nowhere, is not
 * written at all, so nothing an engine opens below the folder can be outside it. Throws LimitExceeded before anything
 * is written.
 */
export async function materialize(
  { requested, files: tree }: RecordedTree,
  parts: Parts,
  into: string,
  { limits, placing }: { readonly limits: MaterializeLimits; readonly placing: Placing },
): Promise<void> {
  const found = new Found(tree, limits);
  for (const path of [...parts.files, ...parts.folders]) {
    requested.hash(path);
    found.add(path);
  }
  for (const target of found.links.values()) requested.hash(target); // it may be outside every part
  // there are few of them, and waiting for each would take longer than making it
  for (const dir of [...found.folders].sort()) mkdirSync(join(into, dir), { recursive: true, mode: 0o700 });
  const files = [...found.files];
  for (let at = 0; at < files.length; at += batch) {
    const some = files.slice(at, at + batch);
    await Promise.all(some.map((path) => placing.place(tree, path, join(into, path))));
  }
  for (const [path, target] of found.links) {
    symlinkSync(relative(dirname(join(into, path)), join(into, target)), join(into, path));
  }
}

/** Gathers real files and folders, and links to them, from wherever the parts lead. */
class Found {
  readonly files = new Set<string>();
  readonly folders = new Set<string>(['']);
  readonly links = new Map<string, string>();
  readonly #tree: FileTree;
  readonly #limits: MaterializeLimits;
  /** Folders whose entries were all gathered; others are there only because something below them is. */
  readonly #whole = new Set<string>();
  #bytes = 0;

  constructor(tree: FileTree, limits: MaterializeLimits) {
    this.#tree = tree;
    this.#limits = limits;
  }

  add(path: string): void {
    const real = this.#linked(path);
    if (real === undefined) return;
    if (this.#tree.kind(real) === 'file') this.#file(real);
    else this.#folder(real);
  }

  /** Records every link on the way to a path; the path behind them, undefined when they lead nowhere. */
  #linked(path: string): string | undefined {
    let at = '';
    for (const name of path === '' ? [] : path.split('/')) {
      at = joinPath(at, name);
      if (this.#tree.kind(at) !== 'symlink') continue;
      const target = this.#target(at);
      if (target === undefined) return undefined;
      this.#link(at, target);
      at = target;
    }
    return this.#tree.has(at) ? at : undefined;
  }

  #target(link: string): string | undefined {
    try {
      return this.#tree.resolve(link);
    } catch {
      return undefined; // it leaves the tree, or goes in circles
    }
  }

  #link(path: string, target: string): void {
    if (this.links.has(path)) return;
    this.links.set(path, target);
    this.#parents(path);
    this.#count(0);
  }

  #file(path: string): void {
    if (this.files.has(path)) return;
    this.files.add(path);
    this.#parents(path);
    this.#count(this.#tree.size(path) ?? 0);
  }

  #folder(dir: string): void {
    if (this.#whole.has(dir)) return;
    this.#whole.add(dir);
    this.folders.add(dir);
    this.#parents(dir);
    for (const { path, kind } of walk(this.#tree, dir)) {
      if (kind === 'file') this.#file(path);
      else if (kind === 'dir' || kind === 'submodule') this.folders.add(path);
      else this.#linkInside(path);
    }
  }

  #linkInside(path: string): void {
    const target = this.#target(path);
    if (target === undefined || this.links.has(path)) return;
    this.#link(path, target);
    this.add(target);
  }

  #parents(path: string): void {
    for (let dir = parentPath(path); !this.folders.has(dir); dir = parentPath(dir)) this.folders.add(dir);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { files, bytes: most } = this.#limits;
    if (this.files.size + this.links.size > files || this.#bytes > most) {
      throw new FairleadError(
        'LimitExceeded',
        `the source needs more than ${files} files or ${most} bytes of its repository: narrow its path`,
      );
    }
  }
}
