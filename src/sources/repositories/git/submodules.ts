import { type Ctx, FairleadError, Lru } from '#base/std';
import { type SubmoduleContent, withSubmodules } from './fill-submodules.ts';
import type { Library, MirrorAccess } from './library.ts';
import type { SourceLimits } from './limits.ts';
import { submoduleRepository } from './submodule-url.ts';
import type { Folder, Gitlink, ReadBlob } from './tree.ts';

/** Submodules of one tree that are fetched concurrently. */
const atOnce = 4;

type Module = { readonly url: string; readonly isWanted: boolean };

/** Fills the submodules of trees with the files of the commits they name. */
export class Submodules {
  readonly #library: Library;
  readonly #limits: SourceLimits;
  readonly #readerOf: (place: MirrorAccess) => ReadBlob;
  readonly #modules = new Lru<ReadonlyMap<string, Module>>({ capacity: 500 });

  constructor(library: Library, limits: SourceLimits, readerOf: (place: MirrorAccess) => ReadBlob) {
    this.#library = library;
    this.#limits = limits;
    this.#readerOf = readerOf;
  }

  /**
   * The folder with every submodule filled, recursively. One that cannot be fetched fails the whole (sources SUB-2),
   * because a render without it would delete its resources.
   */
  async fill(ctx: Ctx, place: MirrorAccess, root: Folder): Promise<Folder> {
    const filled = await this.#fill(ctx, place, root, { depth: 0, left: { count: this.#limits.submodules } });
    if (filled.expanse > this.#limits.treeEntries) {
      throw new FairleadError(
        'LimitExceeded',
        `repository ${place.remote.shown} has more than ${this.#limits.treeEntries} files and folders with its submodules`,
      );
    }
    return filled;
  }

  async #fill(ctx: Ctx, place: MirrorAccess, root: Folder, level: Level): Promise<Folder> {
    if (root.gitlinks.length === 0) return root;
    const modules = await this.#modulesOf(ctx, place, root);
    const wanted = root.gitlinks.filter(({ path }) => modules.get(path)?.isWanted ?? true);
    level.left.count -= wanted.length;
    if (level.left.count < 0 || level.depth >= this.#limits.submoduleDepth) throw this.#tooMany(place);
    const grafts = new Map<string, SubmoduleContent>();
    for (let at = 0; at < wanted.length; at += atOnce) {
      const some = wanted.slice(at, at + atOnce);
      const found = await Promise.all(
        some.map((gitlink) =>
          this.#graft(ctx, place, gitlink, { url: modules.get(gitlink.path)?.url, level }),
        ),
      );
      some.forEach(({ path }, index) => {
        const graft = found[index];
        if (graft) grafts.set(path, graft);
      });
    }
    return withSubmodules(root, grafts);
  }

  async #graft(
    ctx: Ctx,
    parent: MirrorAccess,
    { path, commit }: Gitlink,
    { url, level }: { url: string | undefined; level: Level },
  ): Promise<SubmoduleContent> {
    try {
      if (url === undefined) {
        throw new FairleadError(
          'InvalidSpec',
          'it has no URL: add it to .gitmodules, or remove it from the commit',
        );
      }
      const place = await this.#library.place(ctx, submoduleRepository(parent.repository, url));
      const root = await this.#library.folder(ctx, place, commit);
      const folder = await this.#fill(ctx, place, root, { ...level, depth: level.depth + 1 });
      return { folder, read: this.#readerOf(place) };
    } catch (error) {
      if (!(error instanceof FairleadError)) throw error;
      throw new FairleadError(
        error.code,
        `submodule ${path} of repository ${parent.remote.shown}: ${error.message}`,
        error,
      );
    }
  }

  /** Git parses its own file format; nothing in the file is run or followed. */
  async #modulesOf(ctx: Ctx, place: MirrorAccess, root: Folder): Promise<ReadonlyMap<string, Module>> {
    const file = root.entries.get('.gitmodules');
    if (file?.kind !== 'file') return new Map();
    const known = this.#modules.get(file.hash);
    if (known) return known;
    const args = ['config', '--null', '--no-includes', `--blob=${file.hash}`, '--list'];
    const modules = parseModules(await this.#library.inspect(ctx, place, args));
    this.#modules.set(file.hash, modules);
    return modules;
  }

  #tooMany({ remote }: MirrorAccess): FairleadError {
    const { submodules, submoduleDepth } = this.#limits;
    return new FairleadError(
      'LimitExceeded',
      `repository ${remote.shown} has more than ${submodules} submodules, or nests them deeper than ${submoduleDepth}`,
    );
  }
}

type Level = { readonly depth: number; readonly left: { count: number } };

/** `submodule.<name>.<field>\n<value>`, one after the other; the last value of a field wins. */
function parseModules(listing: string): ReadonlyMap<string, Module> {
  const sections = new Map<string, Record<string, string>>();
  for (const row of listing.split('\0')) {
    const [, name, field, value] = /^submodule\.(.*)\.([^.\n]+)\n([\s\S]*)$/.exec(row) ?? [];
    if (name === undefined || field === undefined) continue;
    const section = sections.get(name) ?? {};
    section[field] = value ?? '';
    sections.set(name, section);
  }
  const modules = new Map<string, Module>();
  for (const { path, url, update } of sections.values()) {
    if (path && url) modules.set(path.replace(/\/+$/, ''), { url, isWanted: update !== 'none' });
  }
  return modules;
}
