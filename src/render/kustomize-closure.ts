import { parseAll } from '#lang/yaml';
import { type FileTree, isWithin, joinPath, parentPath } from '#model';
import { FairleadError, isObject } from '#std';
import { kustomizationNames } from './detect.ts';
import { inflatedCharts, placeOf, refuseAbsent, withoutUser } from './kustomize-charts.ts';

/**
 * What a build of a folder may look at: files, and folders with all they hold. Names that stand for nothing today are
 * asked of the tree as well, so that a recorded tree knows they were missing.
 */
export type Closure = {
  readonly files: readonly string[];
  readonly folders: readonly string[];
};

/** Fields whose text, or list of texts, names files, folders or remote places. */
const placeFields = new Set(
  [
    'resources bases components crds configurations generators transformers validators path paths',
    'patchesStrategicMerge files envs env valuesFile additionalValuesFiles chartHome',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
);

/** Fields whose files are themselves read for names of further files. */
const configFields = new Set(['generators', 'transformers', 'validators']);

/**
 * Follows a kustomization through everything it names (decision 7). Its own fields are a closed list; in the files of
 * generators and transformers every text counts that names something: too much costs a render, too little would
 * serve a stale one. `edited` takes the place of the root's own file.
 */
export async function kustomizeClosure(
  tree: FileTree,
  path: string,
  edited: { readonly path: string; readonly text: string } | undefined,
): Promise<Closure> {
  const walk = new ClosureWalk(tree, edited);
  await walk.folder(path);
  return { files: [...walk.files].sort(), folders: [...walk.folders].sort() };
}

/**
 * What a text is to kustomize: a kustomization, or the file of a generator or transformer, in which any text may name
 * a file. Such files can be made by a kustomization of their own, which can put anything anywhere: there, and in all
 * that it names, no remote place may stand at all (`made`).
 */
type Role = { readonly is: 'kustomization' | 'config'; readonly made: boolean };

type Names = 'file' | 'config' | 'made config';

type Reading = Role & { readonly file: string; readonly dirs: readonly string[] };

class ClosureWalk {
  readonly files = new Set<string>();
  readonly folders = new Set<string>();
  readonly #tree: FileTree;
  readonly #edited: { readonly path: string; readonly text: string } | undefined;
  readonly #seen = new Set<string>();

  constructor(tree: FileTree, edited: { readonly path: string; readonly text: string } | undefined) {
    this.#tree = tree;
    this.#edited = edited;
  }

  /** A folder with a kustomization is followed; any other is taken whole. */
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

  /** What a text names is looked for below each of the folders. */
  async #document(text: string, reading: Reading): Promise<void> {
    const values = documentsIn(text, reading.file);
    // kustomize will say what is wrong with it, with everything in sight
    if (values.length === 0) for (const dir of reading.dirs) this.folders.add(dir);
    for (const value of values) {
      await this.#charts(value, reading);
      for (const found of textsIn(value)) await this.#text(found, reading);
    }
  }

  async #charts(value: unknown, { file, dirs }: Reading): Promise<void> {
    for (const chart of inflatedCharts(value)) {
      refuseAbsent(this.#tree, dirs, chart, file);
      await this.#names([chart.home], dirs, 'file');
    }
  }

  async #text({ text, isPlace, isConfig }: Found, reading: Reading): Promise<void> {
    const { file, dirs, is, made } = reading;
    if (isPlace || made) refuseRemote(text, file, made);
    if (!isPlace && is === 'kustomization') return;
    const names: Names = made ? 'made config' : isConfig ? 'config' : 'file';
    if (text.includes('\n')) {
      // a generator or transformer written in place may name files too
      if (names !== 'file') await this.#document(text, { ...reading, is: 'config' });
    } else await this.#names(candidates(text), dirs, names);
  }

  async #names(texts: readonly string[], dirs: readonly string[], names: Names): Promise<void> {
    for (const dir of dirs) for (const text of texts) await this.#name(text, dir, names);
  }

  async #name(name: string, dir: string, names: Names): Promise<void> {
    const at = placeOf(dir, name);
    const real = at === undefined ? undefined : resolved(this.#tree, at);
    if (at === undefined || real === undefined) return;
    if (this.#tree.kind(real) === 'dir') {
      // a folder around one we are in would be a cycle for kustomize: its name alone means nothing
      if (!isWithin(dir, at)) await this.folder(at, names !== 'file');
      return;
    }
    this.files.add(at);
    if (names !== 'file' && !this.#isKnown(`${names} ${dir} ${at}`)) {
      await this.#config(at, dir, names === 'made config');
    }
  }

  /** The file of a generator or transformer: what it names is relative to whoever names it, or to itself. */
  async #config(file: string, dir: string, made: boolean): Promise<void> {
    const own = parentPath(file);
    const dirs = own === dir ? [dir] : [dir, own];
    await this.#document(await this.#tree.text(file), { file, dirs, is: 'config', made });
  }
}

/** A link that leads nowhere, or round in circles, names nothing. */
function resolved(tree: FileTree, path: string): string | undefined {
  try {
    return tree.resolve(path);
  } catch {
    return undefined;
  }
}

type Found = { readonly text: string; readonly isPlace: boolean; readonly isConfig: boolean };

/** Every text in a value. Texts below a field that names places are marked. */
function* textsIn(value: unknown, mark = { isPlace: false, isConfig: false }): Generator<Found> {
  if (typeof value === 'string') yield { text: value, ...mark };
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item, mark);
  else if (isObject(value)) {
    for (const [field, inner] of Object.entries(value)) {
      const name = field.toLowerCase();
      yield* textsIn(inner, { isPlace: placeFields.has(name), isConfig: configFields.has(name) });
    }
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

const remote =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|git::|[\w.-]+@[\w.-]+:|(?:www\.)?(?:github|gitlab|bitbucket)\.(?:com|org)[/:])/i;

/** The engine would reach out by itself, past every rule about where we may fetch from. */
function refuseRemote(text: string, file: string, anywhere: boolean): void {
  const place = text.slice(text.indexOf('=') + 1);
  const candidates = [text, place, ...(anywhere ? (text.match(/\S*:\/\/\S*/g) ?? []) : [])];
  const found = candidates.find(
    (candidate) => remote.test(candidate) || (anywhere && candidate.includes('://')),
  );
  if (found === undefined) return;
  throw new FairleadError(
    'PermissionDenied',
    `${file} names the remote base ${withoutUser(found)}, and remote bases are not allowed: copy it into the repository`,
  );
}

/** The documents of a text; none when it cannot be read. Throws when it cannot be read and may name remote places. */
function documentsIn(text: string, name: string): unknown[] {
  try {
    return parseAll(text, { name }).map(({ value }) => value);
  } catch (error) {
    if (/:\/\/|@|git(hub|lab)/i.test(text)) throw error;
    return [];
  }
}
