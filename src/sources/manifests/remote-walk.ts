import { relative } from 'node:path/posix';
import { type FileTree, joinPath, parentPath } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type KustomizeClosure, kustomizeClosure, type RemoteMention, withPlaces } from '#sources/render';
import type { RecordedTree } from './output.ts';
import type { RemoteTree } from './remote-tree.ts';
import type { RemotePointer } from './trace.ts';

/** A tree of the build: the source's own, or that of a remote base. */
export type Site = {
  /** Below the folder of a run. */
  readonly root: string;
  readonly tree: RecordedTree;
  readonly files: Set<string>;
  readonly folders: Set<string>;
  readonly charts: Map<string, KustomizeClosure['charts'][number]>;
  /** Kustomizations that are given to the engine with rewritten paths. */
  readonly edits: Map<string, string>;
  /** Downloaded files, by where they are put. */
  readonly placed: Map<string, RecordedTree & { readonly file: string }>;
};

type Text = { readonly path: string; readonly text: string };

/** The kustomization to build, its tree, and access to the remote files it names. */
export type Start = {
  readonly tree: RecordedTree;
  readonly path: string;
  readonly edited: Text | undefined;
  /** The folders of a run for the source's own files and for others. */
  readonly roots: { readonly own: string; readonly others: string };
  open(ctx: Ctx, pointer: RemotePointer): Promise<RemoteTree>;
  /** Records that the result depends on it. */
  borrow(found: RemoteTree, pointer: RemotePointer): RecordedTree;
};

/** Everything a build may read. `spoken`: generated names that the engine may print, and what users call them. */
export type Gathered = {
  readonly sites: readonly Site[];
  readonly spoken: ReadonlyMap<string, string>;
};

/** Remote bases that name remote bases, and so on; and how many URLs in all. */
const deepest = 10;
const most = 100;

/**
 * Follows a kustomization through its own tree and every remote base (sources KL-5), however these name each other, and
 * decides where each is put and under which name, so that the engine finds without a network what it would have
 * fetched.
 */
export async function gather(ctx: Ctx, start: Start): Promise<Gathered> {
  const walk = new RemoteWalk(ctx, start);
  await walk.begin();
  return { sites: [...walk.sites.values()], spoken: walk.spoken };
}

/** The URLs of the enclosing remote bases, from the outermost in. */
type Chain = readonly string[];

class RemoteWalk {
  readonly sites = new Map<string, Site>();
  readonly spoken = new Map<string, string>();
  readonly #ctx: Ctx;
  readonly #start: Start;
  readonly #seen = new Set<string>();
  readonly #places = new Set<string>();

  constructor(ctx: Ctx, start: Start) {
    this.#ctx = ctx;
    this.#start = start;
  }

  async begin(): Promise<void> {
    const { tree, path, edited, roots } = this.#start;
    const site = this.#site('', roots.own, () => tree);
    if (edited) site.edits.set(edited.path, edited.text);
    await this.#visit(site, { path, edited, chain: [] });
  }

  #site(name: string, root: string, tree: () => RecordedTree): Site {
    const known = this.sites.get(name);
    if (known) return known;
    const [files, folders, charts] = [new Set<string>(), new Set<string>(), new Map()];
    const site = { root, tree: tree(), files, folders, charts, edits: new Map(), placed: new Map() };
    this.sites.set(name, site);
    return site;
  }

  async #visit(
    site: Site,
    { path, edited, chain }: { path: string; edited: Text | undefined; chain: Chain },
  ): Promise<void> {
    if (this.#seen.has(`${site.root} ${path}`)) return;
    this.#seen.add(`${site.root} ${path}`);
    const contained = chain.length > 0;
    const closure = await kustomizeClosure(site.tree.requested, path, edited, { contained });
    for (const file of closure.files) site.files.add(file);
    for (const folder of closure.folders) site.folders.add(folder);
    for (const chart of closure.charts) site.charts.set(joinPath(chart.into, chart.name), chart);
    const places = new Map<string, Map<string, string>>();
    for (const mention of closure.remotes) {
      const renamed = places.get(mention.file) ?? new Map<string, string>();
      places.set(mention.file, renamed.set(mention.text, await this.#follow(site, mention, chain)));
    }
    for (const [file, renamed] of places) {
      const text = edited?.path === file ? edited.text : await site.tree.requested.text(file);
      site.edits.set(file, withPlaces(text, file, renamed));
    }
  }

  /** The path to write instead of a remote URL. */
  async #follow(site: Site, { file, text, place, as }: RemoteMention, chain: Chain): Promise<string> {
    this.#check(place, chain);
    const pointer = { place, as };
    const found = await this.#start.open(this.#ctx, pointer);
    const dir = realFolder(site.tree.files, parentPath(file));
    const to =
      found.kind === 'file'
        ? this.#placed(site, dir, found, pointer)
        : await this.#base(found, pointer, chain);
    const name = relative(`/${site.root}/${dir}`, `/${to}`);
    this.spoken.set(name, place);
    return text.slice(0, text.length - place.length) + name;
  }

  /** compat sources KL-5: a URL that begins one on the way here is a cycle. */
  #check(place: string, chain: Chain): void {
    this.#places.add(place);
    const before = chain.find((one) => one.startsWith(place));
    if (before !== undefined) {
      const [now, then] = [place, before].map(shown);
      throw new FairleadError(
        'RenderFailed',
        `cycle detected: URI '${now}' referenced by previous URI '${then}'`,
      );
    }
    if (this.#places.size > most || chain.length >= deepest) {
      throw new FairleadError(
        'LimitExceeded',
        `${shown(place)} is one remote base too many: a build may name ${most} places elsewhere, and nest them ${deepest} deep`,
      );
    }
  }

  /** compat sources KL-2: a file must be below the kustomization that names it. */
  #placed(site: Site, dir: string, found: RemoteTree & { kind: 'file' }, pointer: RemotePointer): string {
    const watched = this.#start.borrow(found, pointer);
    watched.requested.hash(found.file);
    const key = joinPath(dir, this.#folder(found.name), found.file);
    site.placed.set(key, { ...watched, file: found.file });
    return joinPath(site.root, key);
  }

  async #base(found: RemoteTree & { kind: 'folder' }, pointer: RemotePointer, chain: Chain): Promise<string> {
    const { name, tree, path } = found;
    const root = joinPath(this.#start.roots.others, this.#folder(name));
    const site = this.#site(name, root, () => this.#start.borrow(found, pointer));
    const real = site.tree.requested.resolve(path);
    if (real === undefined || tree.kind(real) !== 'dir') {
      const why = real === undefined ? 'has no such folder' : 'is a file there; expecting directory';
      throw new FairleadError('RenderFailed', `remote base ${shown(pointer.place)}: '${path}' ${why}`);
    }
    await this.#visit(site, { path: real, edited: undefined, chain: [...chain, pointer.place] });
    return joinPath(root, real);
  }

  /** A folder per remote base, by a unique name. */
  #folder(name: string): string {
    const known = [...this.#names].indexOf(name);
    if (known < 0) this.#names.add(name);
    const folder = `.fairlead-remote-${known < 0 ? this.#names.size - 1 : known}`;
    this.spoken.set(`${folder}/`, `${name}//`);
    return folder;
  }

  readonly #names = new Set<string>();
}

function realFolder(tree: FileTree, dir: string): string {
  return tree.resolve(dir) ?? dir;
}

const shown = (place: string): string => place.replace(/\/\/[^/?#]*@/, '//');
