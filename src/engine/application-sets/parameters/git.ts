import { baseName, compareBytes, type GitGenerator, type GitPathItem, parentPath } from '#base/model';
import { compilePathPattern, FairleadError, isObject } from '#base/std';
import { normalize } from '#lang/go-template';
import { parse } from '#lang/yaml';
import type { SetRenderer } from '../template/set-renderer.ts';
import { flatten } from './flatten.ts';
import { doublestar, type PathTest, pathspec } from './globbing.ts';
import type { SetParameters } from './set-parameters.ts';
import { withValues } from './values.ts';

export type GitGlobbing = {
  /** `enable-new-git-file-globbing`: the doublestar dialect for files. */
  readonly isDoublestar?: boolean;
  /** Directories whose name begins with a dot take part. */
  readonly withHidden?: boolean;
};

/** compat sources ASG-1: directories win when both are present. */
export const isDirectoryGenerator = ({ directories = [] }: GitGenerator): boolean => directories.length > 0;

/**
 * compat sources ASG-3: of all directories of a tree, in their order, those that a pattern selects and none excludes. A
 * pattern that cannot be read selects nothing.
 */
export function selectDirectories(
  items: readonly GitPathItem[],
  directories: readonly string[],
  { withHidden = false }: GitGlobbing = {},
): string[] {
  const [wanted, excluded] = split(items, (pattern) => compilePathPattern(pattern) ?? (() => false));
  return directories.filter(
    (path) =>
      path !== '' &&
      path !== '.' &&
      (withHidden || !path.split('/').some((part) => part.startsWith('.'))) &&
      wanted.some((test) => test(path)) &&
      !excluded.some((test) => test(path)),
  );
}

/** compat sources ASG-4: the selected files without the excluded ones, in ascending order. Throws InvalidSpec. */
export function selectFiles(
  items: readonly GitPathItem[],
  files: readonly string[],
  { isDoublestar = false }: GitGlobbing = {},
): string[] {
  const [wanted, excluded] = split(items, isDoublestar ? doublestar : pathspec);
  return files
    .filter((path) => wanted.some((test) => test(path)) && !excluded.some((test) => test(path)))
    .sort(compareBytes);
}

function split(
  items: readonly GitPathItem[],
  compile: (pattern: string) => PathTest,
): [PathTest[], PathTest[]] {
  const tests = (isExcluded: boolean) =>
    items.filter(({ exclude = false }) => exclude === isExcluded).map(({ path }) => compile(path));
  return [tests(false), tests(true)];
}

/** compat sources ASG-6, ASG-7: one set for each selected directory. */
export function directoryParameters(
  generator: GitGenerator,
  directories: readonly string[],
  renderer: SetRenderer,
): SetParameters[] {
  return directories.map((path) =>
    withValues(pathParameters(generator, { directory: path }, renderer), generator.values, renderer),
  );
}

/**
 * compat sources ASG-5 … ASG-7: the sets of one selected file: one for an object, one for each object of a list, one for an
 * empty file. Throws RenderFailed for anything else.
 */
export function fileParameters(
  generator: GitGenerator,
  { path, text }: { readonly path: string; readonly text: string },
  renderer: SetRenderer,
): SetParameters[] {
  const where = { directory: parentPath(path) || '.', filename: baseName(path) };
  const own = pathParameters(generator, where, renderer);
  return objectsIn(path, text).map((object) => {
    // the path is set last: a key of the file that is called `path` is overwritten
    const set = { ...(renderer.mode === 'go' ? object : flatten(object)), ...own };
    return withValues(set, generator.values, renderer);
  });
}

function objectsIn(path: string, text: string): SetParameters[] {
  const unparsable = (cause?: unknown): FairleadError =>
    new FairleadError(
      'RenderFailed',
      `unable to parse file ${path}: ${cause instanceof Error ? cause.message : 'expected an object or a list of objects'}`,
      cause,
    );
  let value: unknown;
  try {
    value = parse(text, { name: path });
  } catch (thrown) {
    throw unparsable(thrown);
  }
  if (value === null || value === undefined) return [{}];
  if (!Array.isArray(value)) {
    if (isObject(value)) return [value];
    throw unparsable();
  }
  return value.map((item: unknown) => {
    if (item === null || isObject(item)) return item ?? {};
    throw unparsable();
  });
}

type GitPath = { readonly directory: string; readonly filename?: string };

function pathParameters(
  { pathParamPrefix: prefix = '' }: GitGenerator,
  path: GitPath,
  { mode }: SetRenderer,
): Record<string, unknown> {
  if (mode === 'go') {
    const nested = goPath(path);
    return prefix === '' ? { path: nested } : { [prefix]: { path: nested } };
  }
  return flatPath(prefix === '' ? 'path' : `${prefix}.path`, path);
}

const segmentsOf = (directory: string): string[] => directory.split('/').filter((part) => part !== '');

function facts({ directory, filename }: GitPath): Record<string, string> {
  const basename = baseName(directory);
  return {
    basename,
    basenameNormalized: normalize(basename),
    ...(filename === undefined ? {} : { filename, filenameNormalized: normalize(filename) }),
  };
}

function goPath(path: GitPath): Record<string, unknown> {
  return { path: path.directory, ...facts(path), segments: segmentsOf(path.directory) };
}

function flatPath(name: string, path: GitPath): Record<string, string> {
  return {
    [name]: path.directory,
    ...Object.fromEntries(Object.entries(facts(path)).map(([key, text]) => [`${name}.${key}`, text])),
    ...Object.fromEntries(segmentsOf(path.directory).map((part, at) => [`${name}[${at}]`, part])),
  };
}
