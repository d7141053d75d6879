import { type FileTree, isWithin, joinPath, parentPath } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { parseAll } from '#lang/yaml';
import { kustomizationNames } from './detect.ts';
import { type AbsentChart, absentCharts, inflatedCharts, placeOf } from './kustomize-charts.ts';
import { mentionOf, placeFields, type RemoteMention, refuseRemote } from './kustomize-mention.ts';

/**
 * What a build of a folder may read: files, and folders with all their contents. Names without a file are queried in
 * the tree as well, so that a recorded tree contains that they were missing.
 */
export type KustomizeClosure = {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Charts that are not in the tree, to be put there before the build. */
  readonly charts: readonly AbsentChart[];
  /** Remote URLs in the text of a kustomization. */
  readonly remotes: readonly RemoteMention[];
};

/** Fields whose files are themselves read for names of further files. */
const configFields = new Set(['generators', 'transformers', 'validators']);

/**
 * Follows a kustomization through everything it names (decision 16). Its own fields are a closed list; in the files of
 * generators and transformers every text that names a file counts: too many inputs cost a render, too few would serve a
 * stale one. `edited` replaces the root's own file. `contained`: the tree is itself a remote base, and a name that
 * leads out of it is refused rather than ignored (sources KL-5).
 */
export async function kustomizeClosure(
  tree: FileTree,
  path: string,
  edited: { readonly path: string; readonly text: string } | undefined,
  { contained = false } = {},
): Promise<KustomizeClosure> {
  const walk = new ClosureWalk(tree, edited, contained);
  await walk.folder(path);
  return {
    files: [...walk.files].sort(),
    folders: [...walk.folders].sort(),
    charts: [...walk.charts.values()],
    remotes: [...walk.remotes.values()],
  };
}

/**
 * The role of a text: a kustomization, or the file of a generator or transformer, in which any text may name a file. A
 * kustomization of its own can generate such files with any content: there, and in all that it names, no remote URL is
 * allowed (`made`).
 */
type Role = { readonly is: 'kustomization' | 'config'; readonly made: boolean };

type Names = 'file' | 'config' | 'made config';

type Reading = Role & { readonly file: string; readonly dirs: readonly string[] };

class ClosureWalk {
  readonly files = new Set<string>();
  readonly folders = new Set<string>();
  readonly charts = new Map<string, AbsentChart>();
  readonly remotes = new Map<string, RemoteMention>();
  readonly #tree: FileTree;
  readonly #edited: { readonly path: string; readonly text: string } | undefined;
  readonly #contained: boolean;
  readonly #seen = new Set<string>();

  constructor(
    tree: FileTree,
    edited: { readonly path: string; readonly text: string } | undefined,
    contained: boolean,
  ) {
    this.#tree = tree;
    this.#edited = edited;
    this.#contained = contained;
  }

  /** A folder with a kustomization is followed; any other is included whole. */
  async folder(dir: string, made = false): Promise<void> {
    if (this.#isKnown(`${made ? 'made' : 'plain'} ${dir}`)) return;
    const names = kustomizationNames
      .map((name) => joinPath(dir, name))
      .filter((file) => this.#tree.has(file));
    if (names.length === 0) this.folders.add(dir);
    for (const file of names) {
      this.files.add(file);
      const text = this.#edited?.path === file ? this.#edited.text : await this.#tree.text(file);
      await this.#document(text, { file, dirs: [dir], is: 'kustomization', made });
    }
  }

  #isKnown(key: string): boolean {
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  /** The names in a text are resolved from each of the folders. */
  async #document(text: string, reading: Reading): Promise<void> {
    const values = documentsIn(text, reading.file);
    // kustomize reports the error, with all files present
    if (values.length === 0) for (const dir of reading.dirs) this.folders.add(dir);
    for (const value of values) {
      await this.#charts(value, reading);
      for (const found of textsIn(value)) await this.#text(found, reading);
    }
  }

  async #charts(value: unknown, { file, dirs }: Reading): Promise<void> {
    for (const chart of inflatedCharts(value)) {
      for (const absent of absentCharts(this.#tree, dirs, chart, file)) {
        this.charts.set(joinPath(absent.into, absent.name), absent);
      }
      await this.#names([chart.home], dirs, 'file');
    }
  }

  async #text({ text, field }: Found, reading: Reading): Promise<void> {
    const { dirs, is, made } = reading;
    const isPlace = placeFields.has(field);
    if ((isPlace || made) && this.#isElsewhere(text, field, reading)) return;
    if (!isPlace && is === 'kustomization') return;
    const names: Names = made ? 'made config' : configFields.has(field) ? 'config' : 'file';
    if (text.includes('\n')) {
      // an inline generator or transformer may name files too
      if (names !== 'file') await this.#document(text, { ...reading, is: 'config' });
    } else await this.#names(candidates(text), dirs, names);
  }

  /** Throws for a URL that is not allowed. */
  #isElsewhere(text: string, field: string, reading: Reading): boolean {
    const { file, is, made } = reading;
    const mention = is === 'kustomization' && !made ? mentionOf(text, field) : undefined;
    if (mention) {
      this.remotes.set(`${file} ${field} ${text}`, { ...mention, file });
      return true;
    }
    refuseRemote(text, file, made);
    if (this.#contained && placeFields.has(field)) this.#refuseEscape(text, reading);
    return false;
  }

  /** compat sources KL-5: the engine runs in one of our folders, which has others around it. */
  #refuseEscape(text: string, { file, dirs }: Reading): void {
    if (text.includes('\n')) return;
    const from = dirs.map((dir) => resolved(this.#tree, dir) ?? dir);
    const escapes = candidates(text).some(
      (name) => !name.startsWith('/') && from.some((dir) => placeOf(dir, name) === undefined),
    );
    if (!escapes) return;
    throw new FairleadError(
      'RenderFailed',
      `security; bases in kustomizations found in cloned git repos must be within the repo, but base '${text}' of ${file} is outside`,
    );
  }

  async #names(texts: readonly string[], dirs: readonly string[], names: Names): Promise<void> {
    for (const dir of dirs) for (const text of texts) await this.#name(text, dir, names);
  }

  async #name(name: string, dir: string, names: Names): Promise<void> {
    const at = placeOf(dir, name);
    const real = at === undefined ? undefined : resolved(this.#tree, at);
    if (at === undefined || real === undefined) return;
    if (this.#tree.kind(real) === 'dir') {
      // an enclosing folder would be a cycle for kustomize: its name is ignored
      if (!isWithin(dir, at)) await this.folder(at, names !== 'file');
      return;
    }
    this.files.add(at);
    if (names !== 'file' && !this.#isKnown(`${names} ${dir} ${at}`)) {
      await this.#config(at, dir, names === 'made config');
    }
  }

  /** The file of a generator or transformer: its names are relative to the folder that names it, or to itself. */
  async #config(file: string, dir: string, made: boolean): Promise<void> {
    const own = parentPath(file);
    const dirs = own === dir ? [dir] : [dir, own];
    await this.#document(await this.#tree.text(file), { file, dirs, is: 'config', made });
  }
}

/** A link that leads nowhere, or in a cycle, names nothing. */
function resolved(tree: FileTree, path: string): string | undefined {
  try {
    return tree.resolve(path);
  } catch {
    return undefined;
  }
}

type Found = { readonly text: string; readonly field: string };

/** Every text in a value, with the name of its field, in lower case. */
function* textsIn(value: unknown, field = ''): Generator<Found> {
  if (typeof value === 'string') yield { text: value, field };
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item, field);
  else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) yield* textsIn(inner, name.toLowerCase());
  }
}

/** `key=path` names a path too. */
function candidates(text: string): string[] {
  const equals = text.indexOf('=');
  const texts = equals < 0 ? [text] : [text, text.slice(equals + 1)];
  return texts.filter(
    (candidate) => candidate !== '' && candidate.length < 4096 && !candidate.includes('\0'),
  );
}

/** The documents of a text; none when it cannot be parsed. Throws when it cannot be parsed and may name remote URLs. */
function documentsIn(text: string, name: string): unknown[] {
  try {
    return parseAll(text, { name }).map(({ value }) => value);
  } catch (error) {
    if (/:\/\/|@|git(hub|lab)/i.test(text)) throw error;
    return [];
  }
}
