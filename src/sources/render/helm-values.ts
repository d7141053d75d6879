import { type FileTree, followLinks, type HelmOptions, normalizePath } from '#base/model';
import { FairleadError } from '#base/std';
import type { HelmContext, PlannedFile, PlannedText, TreeFile } from './helm-plan.ts';
import { compilePathGlob } from './path-glob.ts';

/** A chain of links longer than this is refused (sources VFT-6). */
const mostLinks = 10;

/** The value files of a source in the order helm reads them (sources 4.1.1). */
export function valueFiles(
  tree: FileTree,
  path: string,
  { valueFiles: names = [], ignoreMissingValueFiles = false }: HelmOptions,
  context: HelmContext,
): PlannedFile[] {
  const places = names.map((name, at) =>
    schemeOf(name) === undefined ? placeOf(tree, path, name, context) : fromUrl(name, context, at),
  );
  const explicit = new Set(
    places.flatMap((place) => ('text' in place || isGlob(place) ? [] : keyOf(place.file))),
  );
  const files = new Map<string, PlannedFile>();
  for (const place of places) {
    for (const file of 'text' in place ? [place] : expanded(place, explicit)) {
      if (!files.has(keyOf(file))) files.set(keyOf(file), file);
    }
  }
  return [...files.values()];

  function expanded(place: ValuesFile, listed: ReadonlySet<string>): TreeFile[] {
    const found = isGlob(place) ? matching(place, listed) : [place.file];
    const present = found.filter((file) => !ignoreMissingValueFiles || place.tree.has(file.path));
    for (const file of present) checkInside(place.tree, file.path, place.name);
    return present;
  }

  function matching(place: ValuesFile, listed: ReadonlySet<string>): TreeFile[] {
    const matches = globbed(place);
    if (matches.length === 0 && !ignoreMissingValueFiles) {
      throw new FairleadError('NotFound', `values file glob "${place.name}" matched no files`); // compat sources 1.19
    }
    return matches.filter((file) => !listed.has(keyOf(file)));
  }
}

/** The file of a `--set-file` parameter. */
export function fileParameter(tree: FileTree, path: string, name: string, context: HelmContext): TreeFile {
  const { file, tree: owner } = placeOf(tree, path, name, context);
  checkInside(owner, file.path, name);
  return file;
}

const keyOf = (file: PlannedFile): string => ('text' in file ? file.name : `${file.tree}:${file.path}`);

const isGlob = ({ file }: ValuesFile): boolean => /[*?[]/.test(file.path);

/** `name` is the path as the user wrote it. */
type ValuesFile = { readonly name: string; readonly tree: FileTree; readonly file: TreeFile };

/** compat sources PATH-2, MS-3: relative to the source's folder, or to the root after `/`, or to the root of a `$ref`. */
function placeOf(tree: FileTree, path: string, name: string, context: HelmContext): ValuesFile {
  refuseRemote(name);
  if (name.includes('\0')) throw outside(name);
  const [first = ''] = name.split('/');
  if (first.startsWith('$') && context.refs.size > 0) {
    const ref = context.refs.get(first.slice(1));
    if (!ref) throw unknownRef(first, context);
    return { name, tree: ref, file: { tree: first.slice(1), path: inside(name.slice(first.length), name) } };
  }
  return {
    name,
    tree,
    file: { tree: '', path: inside(name.startsWith('/') ? name : `${path}/${name}`, name) },
  };
}

function unknownRef(name: string, { refs }: HelmContext): FairleadError {
  const known = [...refs.keys()].map((ref) => `$${ref}`).join(', ');
  return new FairleadError(
    'InvalidSpec',
    `source referenced "${name}", which is not one of the available sources (${known})`, // compat sources MS-4
  );
}

function inside(path: string, name: string): string {
  try {
    const clean = normalizePath(path);
    if (clean !== '') return clean;
  } catch {}
  throw outside(name);
}

/** compat sources PATH-2. */
function outside(name: string): FairleadError {
  return new FairleadError('InvalidSpec', `file '${name}' resolved to outside repository root`);
}

function checkInside(tree: FileTree, path: string, name: string): void {
  let real: string | undefined;
  try {
    real = followLinks(tree, path, mostLinks);
  } catch (error) {
    // compat sources VFT-6: the error does not reveal where a link leads
    const message = 'internal error: failed to resolve path. Check logs for more details';
    throw new FairleadError('InvalidSpec', message, error);
  }
  if (real === undefined) {
    throw new FairleadError(
      'NotFound',
      `value file ${name} does not exist (no such file): correct helm.valueFiles, or set helm.ignoreMissingValueFiles`,
    );
  }
  if (tree.kind(real) !== 'file') {
    throw new FairleadError('InvalidSpec', `value file ${name} is a folder: name a file in it`);
  }
}

/** compat sources 4.1.1: matches in lexical order per folder, a folder's own files before those of its sub-folders. */
function globbed({ tree, file }: ValuesFile): TreeFile[] {
  const glob = compilePathGlob(file.path);
  const found: string[] = [];
  const visit = (dir: string): void => {
    const paths = tree.list(dir).map((name) => (dir === '' ? name : `${dir}/${name}`));
    const folders = paths.filter((path) => tree.kind(path) === 'dir');
    found.push(...paths.filter((path) => !folders.includes(path) && glob.matches(path)));
    for (const folder of folders) if (glob.mayHold(folder)) visit(folder);
  };
  visit('');
  return found.map((path) => ({ tree: file.tree, path }));
}

const schemeOf = (name: string): string | undefined =>
  /^([a-z][a-z0-9+.-]*):\/\//i.exec(name)?.[1]?.toLowerCase();

/**
 * The value files of a source that have to be fetched. Throws InvalidSpec for a scheme that is not allowed (sources
 * PATH-3).
 */
export function remoteValueFiles(
  { valueFiles: names = [] }: HelmOptions,
  valuesFileSchemes: readonly string[],
): string[] {
  const remote = names.filter((name) => schemeOf(name) !== undefined);
  for (const name of remote) refuseScheme(schemeOf(name) ?? '', valuesFileSchemes);
  return [...new Set(remote)];
}

/** compat sources PATH-3: which schemes are allowed is a setting. */
function refuseScheme(scheme: string, allowed: readonly string[]): void {
  if (allowed.some((one) => one.toLowerCase() === scheme)) return;
  throw new FairleadError('InvalidSpec', `the URL scheme '${scheme}' is not allowed`);
}

/** The text that was fetched for a URL. */
function fromUrl(name: string, { remote, valuesFileSchemes }: HelmContext, at: number): PlannedText {
  refuseScheme(schemeOf(name) ?? '', valuesFileSchemes);
  const text = remote?.get(name);
  if (text !== undefined) return { name: `values-from-url-${at}.yaml`, text };
  throw new FairleadError('Internal', `value file ${name.replace(/\/\/[^/@]*@/, '//')} was not fetched`);
}

/** compat sources PATH-3: only value files may come from a URL. */
function refuseRemote(name: string): void {
  if (schemeOf(name) === undefined) return;
  throw new FairleadError(
    'InvalidSpec',
    `file ${name.replace(/\/\/[^/@]*@/, '//')} cannot come from a URL: commit it to the repository, or use helm.valueFiles`,
  );
}
