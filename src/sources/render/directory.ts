import {
  type DirectoryOptions,
  decodeMarkedText,
  type EntryKind,
  type FileTree,
  type KubeObject,
  walk,
} from '#base/model';
import { compileGlob, FairleadError, type Glob } from '#base/std';
import type { YamlLimits } from '#lang/yaml';
import { JsonnetFolder } from './jsonnet.ts';
import { readFile } from './parse.ts';

export type DirectorySettings = {
  readonly jsonnetEnabled: boolean;
  /** Bytes all files together may have; 0 means any (sources 1.18). */
  readonly maxCombinedBytes: number;
  /** Called between documents, of which there may be thousands, to yield the thread to other work. */
  readonly pause?: () => Promise<void> | undefined;
};

export type Rendered = { readonly objects: readonly KubeObject[]; readonly warnings: readonly string[] };

const skipMarker = '+argocd:skip-file-rendering';
const extensions = /\.(?:yaml|yml|json|jsonnet)$/;

/** Renders a folder of plain manifests (sources 2). `path` is a folder of the tree, cleaned. */
export async function renderDirectory(
  tree: FileTree,
  path: string,
  options: DirectoryOptions,
  settings: DirectorySettings,
): Promise<Rendered> {
  const warnings: string[] = [];
  const files = selectFiles(tree, path, options, warnings).filter(
    (file) => settings.jsonnetEnabled || !file.endsWith('.jsonnet'), // compat sources DET-1
  );
  checkSize(tree, files, settings.maxCombinedBytes);
  const limits = settings.maxCombinedBytes === 0 ? { bytes: Number.MAX_SAFE_INTEGER } : {};
  const jsonnet = new JsonnetFolder(tree, path, options.jsonnet ?? {});
  const texts = await Promise.all(files.map(async (file) => decodeMarkedText(await tree.read(file))));
  const objects: KubeObject[] = [];
  for (const [index, file] of files.entries()) {
    const readers = { limits, jsonnet, ...(settings.pause && { pause: settings.pause }) };
    for (const object of await renderFile(texts[index] ?? '', file, readers)) objects.push(object);
  }
  return { objects, warnings };
}

type Readers = Pick<DirectorySettings, 'pause'> & {
  readonly limits: Partial<YamlLimits>;
  readonly jsonnet: JsonnetFolder;
};

async function renderFile(
  text: string,
  file: string,
  { limits, jsonnet, pause }: Readers,
): Promise<readonly KubeObject[]> {
  if (text.includes(skipMarker)) return []; // compat sources DIR-5
  if (file.endsWith('.jsonnet')) return jsonnet.render(file, text);
  const steps = readFile(text, file, limits);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await pause?.();
  }
}

/** Files that may be manifests, in walk order (sources 2.2). */
function selectFiles(tree: FileTree, path: string, options: DirectoryOptions, warnings: string[]): string[] {
  const chosen = chooser(options, warnings);
  const below = (file: string): string => (path === '' ? file : file.slice(path.length + 1));
  const fits = ({ path: file, kind }: { path: string; kind: EntryKind }): boolean => {
    if (kind === 'dir' || kind === 'submodule') return false;
    if (!options.disableExtensionFilter && !extensions.test(file)) return false; // compat sources DIR-2
    return (kind === 'file' || isUsableLink(tree, file, warnings)) && chosen(below(file));
  };
  return [...walk(tree, path, () => options.recurse === true)].filter(fits).map((entry) => entry.path);
}

/** compat sources DIR-3: a link out of the repository fails; one to nothing, or to no file, is skipped. */
function isUsableLink(tree: FileTree, file: string, warnings: string[]): boolean {
  const target = targetOf(tree, file);
  if (target !== undefined && tree.kind(target) === 'file') return true;
  warnings.push(
    `symlink ${file} is passed over: it points to ${target === undefined ? 'nothing' : 'no file'}`,
  );
  return false;
}

function targetOf(tree: FileTree, file: string): string | undefined {
  try {
    return tree.resolve(file);
  } catch (error) {
    throw new FairleadError('RenderFailed', `illegal filepath in symlink at ${file}`, error);
  }
}

/** compat sources DIR-4: exclude first; a bad exclude excludes nothing, a bad include everything. */
function chooser({ include = '', exclude = '' }: DirectoryOptions, warnings: string[]): Glob {
  const excluded = exclude === '' ? never : pattern(exclude, 'exclude', warnings);
  const included = include === '' ? always : pattern(include, 'include', warnings);
  return (file) => !excluded(file) && included(file);
}

const never: Glob = () => false;
const always: Glob = () => true;

function pattern(text: string, option: 'include' | 'exclude', warnings: string[]): Glob {
  const glob = compileGlob(text);
  if (glob) return glob;
  warnings.push(`directory.${option} "${text}" is no pattern and matches nothing: check its brackets`);
  return never;
}

/** compat sources DIR-6: before anything is parsed, and without jsonnet. */
function checkSize(tree: FileTree, files: readonly string[], most: number): void {
  if (most === 0) return;
  let total = 0;
  for (const file of files) {
    if (file.endsWith('.jsonnet')) continue;
    total += tree.size(file) ?? 0;
    if (total > most) {
      throw new FairleadError(
        'LimitExceeded',
        `exceeded max combined manifest file size: ${file} brings the total above ${most} bytes; split the application or exclude files`,
      );
    }
  }
}
