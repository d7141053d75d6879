import {
  decodeText,
  type FileTree,
  followLinks,
  type JsonnetOptions,
  type KubeObject,
  normalizePath,
  parentPath,
} from '#base/model';
import { FairleadError } from '#base/std';
import {
  evaluate,
  type Imported,
  type JsonnetJson,
  type JsonnetProgram,
  parseProgram,
  type Variable,
} from '#lang/jsonnet';
import { parse } from '#lang/yaml';
import { objectsOf } from './parse.ts';

/** A library behind more links than this is refused (sources VFT-6). */
const mostLinks = 10;

/** Evaluates the jsonnet files of one folder; shared libraries are read and parsed once. */
export class JsonnetFolder {
  readonly #tree: FileTree;
  readonly #path: string;
  readonly #options: JsonnetOptions;
  /** Files read so far, by their path in the tree. */
  readonly #files = new Map<string, Promise<Imported>>();
  readonly #places = new Map<string, string | FairleadError>();
  #libs: readonly string[] | undefined;

  constructor(tree: FileTree, path: string, options: JsonnetOptions) {
    this.#tree = tree;
    this.#path = path;
    this.#options = options;
  }

  /**
   * The objects that a program returns (sources JSN-1). Throws RenderFailed or LimitExceeded with the file and the
   * position.
   */
  async render(file: string, text: string): Promise<KubeObject[]> {
    const result = await this.#evaluate(file, text).catch((error: unknown) => {
      throw failure(`Failed to evaluate jsonnet "${file}"`, error); // compat sources JSN-1
    });
    return objects(result, file);
  }

  async #evaluate(file: string, text: string): Promise<JsonnetJson> {
    const { extVars = [], tlas = [] } = this.#options;
    const program = parseProgram(file, text);
    const files = new Map<string, Imported>();
    await this.#collect([program, ...codeOf(extVars), ...codeOf(tlas)], files);
    return evaluate(program, {
      importer: (from, path) => files.get(this.#find(from, path)),
      extVars,
      tlas,
      yaml: (yaml) => parse(yaml),
    });
  }

  /** Reads all imports of the programs, recursively, before evaluation: evaluation is synchronous. */
  async #collect(programs: readonly JsonnetProgram[], files: Map<string, Imported>): Promise<void> {
    for (const { path: from, imports } of programs) {
      for (const { how, path } of imports) {
        const found = this.#found(from, path);
        if (found === undefined || files.has(found)) continue;
        const file = await this.#open(found);
        files.set(found, file);
        if (how === 'import') await this.#collect(quietly(file), files);
      }
    }
  }

  #open(path: string): Promise<Imported> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const opened = this.#tree.read(path).then((bytes) => imported(path, bytes));
    this.#files.set(path, opened);
    return opened;
  }

  /** A missing import fails only when it is evaluated. */
  #found(from: string, path: string): string | undefined {
    try {
      return this.#find(from, path);
    } catch {
      return undefined;
    }
  }

  /** compat sources JSN-3: beside the importing file, then in the source's folder, then in each library. */
  #find(from: string, path: string): string {
    const beside = isVariable(from) ? [] : [parentPath(from)];
    const key = JSON.stringify([...beside, path]);
    const known = this.#places.get(key) ?? this.#search(beside, path);
    this.#places.set(key, known);
    if (typeof known === 'string') return known;
    throw known;
  }

  #search(beside: readonly string[], path: string): string | FairleadError {
    // dev sources DEV-15: imports stay inside the repository
    if (path.startsWith('/'))
      return importFailure(path, 'is absolute: write it relative to the file or to a library');
    let left = false;
    // compat sources JSN-3: the last library named is searched first, the source's own folder last
    for (const dir of [...beside, ...this.#libraries().toReversed(), this.#path]) {
      const place = within(`${dir}/${path}`);
      if (place === undefined) left = true;
      else if (isFile(this.#tree, place)) return place;
    }
    return importFailure(
      path,
      left ? 'leaves the repository' : 'is not found beside the file, in the source or in a library',
    );
  }

  /** Library paths are relative to the root of the repository; the root itself is one. */
  #libraries(): readonly string[] {
    this.#libs ??= (this.#options.libs ?? []).map((lib) => library(this.#tree, lib));
    return this.#libs;
  }
}

/** Code that came as a variable has no folder. */
const isVariable = (path: string): boolean => /^<(?:extvar|tla):/.test(path);

const importFailure = (path: string, why: string): FairleadError =>
  new FairleadError('RenderFailed', `import ${JSON.stringify(path)} ${why}`);

function within(path: string): string | undefined {
  try {
    return normalizePath(path);
  } catch {
    return undefined;
  }
}

function isFile(tree: FileTree, path: string): boolean {
  const real = tree.resolve(path);
  return real !== undefined && tree.kind(real) === 'file';
}

function library(tree: FileTree, lib: string): string {
  const place = within(lib);
  if (place === undefined) {
    throw new FairleadError('InvalidSpec', `directory.jsonnet.libs: ${lib} leaves the repository`);
  }
  try {
    return followLinks(tree, place, mostLinks) ?? place;
  } catch (error) {
    const message = 'internal error: failed to resolve path. Check logs for more details'; // compat sources VFT-6
    throw new FairleadError('InvalidSpec', message, error);
  }
}

function imported(path: string, bytes: Uint8Array): Imported {
  let program: JsonnetProgram | undefined;
  return {
    path,
    bytes,
    program: () => {
      program ??= parseProgram(path, decodeText(bytes));
      return program;
    },
  };
}

/** The program of a file; none when it does not parse, which is reported when it is evaluated. */
function quietly({ program }: Imported): JsonnetProgram[] {
  try {
    return [program()];
  } catch {
    return [];
  }
}

/** Variables that are code may import too. */
function codeOf(variables: readonly Variable[]): JsonnetProgram[] {
  return variables.flatMap(({ name, value, code }) => {
    if (!code) return [];
    try {
      return [parseProgram(`<extvar:${name}>`, value)];
    } catch {
      return [];
    }
  });
}

function failure(what: string, error: unknown): FairleadError {
  const { code, message } = FairleadError.from(error);
  const kept =
    code === 'LimitExceeded' || code === 'Internal' || code === 'Unavailable' ? code : 'RenderFailed';
  return new FairleadError(kept, `${what}: ${message}`, error);
}

/** An array is many objects, anything else is one. */
function objects(result: JsonnetJson, file: string): KubeObject[] {
  const all: readonly JsonnetJson[] = Array.isArray(result) ? result : [result];
  try {
    return all.flatMap((value, i) => objectsOf(value, Array.isArray(result) ? `item ${i}` : 'the result'));
  } catch (error) {
    throw failure(`Failed to unmarshal generated json "${file}"`, error); // compat sources JSN-1
  }
}
