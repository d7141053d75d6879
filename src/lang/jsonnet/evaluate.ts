import { FairleadError } from '#base/std';
import { JsonnetError } from './fault.ts';
import { libraryFor } from './library/library.ts';
import { type JsonnetJson, manifest } from './manifest.ts';
import { defaultLimits, type JsonnetLimits, JsonnetMeter } from './meter.ts';
import { asFailure, type JsonnetProgram, parseProgram, rootOf } from './program.ts';
import {
  bindArgs,
  Fn,
  force,
  invoke,
  JsonnetFrame,
  type JsonnetValue,
  type Lazy,
  later,
  type Vm,
} from './value.ts';

/** A file that an import found. `program` is called when it is imported as code, and may throw. */
export type Imported = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly program: () => JsonnetProgram;
};

/**
 * Resolves the `path` that the file `from` imports; undefined when it does not exist. Throws a FairleadError
 * with a reason.
 */
export type Importer = (from: string, path: string) => Imported | undefined;

/** A variable from outside: a string, or with `code` an expression. */
export type Variable = { readonly name: string; readonly value: string; readonly code?: boolean };

export type EvaluateOptions = {
  readonly importer?: Importer;
  readonly extVars?: readonly Variable[];
  /** Arguments by name, for a program that is a function; they are ignored by any other. */
  readonly tlas?: readonly Variable[];
  /** Lends std.parseYaml a reader of one document, which gives plain data. */
  readonly yaml?: (text: string) => unknown;
  readonly limits?: Partial<JsonnetLimits>;
};

/**
 * Runs a program to the end. Throws RenderFailed with file, line and column when it is wrong, LimitExceeded when it
 * costs too much.
 */
export function evaluate(program: JsonnetProgram, options: EvaluateOptions = {}): JsonnetJson {
  try {
    const vm = new Machine(program.path, options);
    return manifest(vm, applied(vm, vm.run(program), options.tlas ?? []));
  } catch (error) {
    throw asFailure(error, program.path);
  }
}

/** compat sources JSN-4: a function is called with the top-level arguments, or with none. */
function applied(vm: Machine, value: JsonnetValue, tlas: readonly Variable[]): JsonnetValue {
  if (!(value instanceof Fn)) return value;
  const named = tlas.map((tla) => [tla.name, vm.variable(tla, 'tla')] as const);
  return invoke(vm, value, bindArgs(value, [], named));
}

/** One evaluation: its costs, its files, its variables. */
class Machine implements Vm {
  readonly meter: JsonnetMeter;
  readonly yaml: Vm['yaml'];
  readonly #importer: Importer | undefined;
  readonly #extVars: ReadonlyMap<string, Lazy>;
  readonly #values = new Map<string, Lazy>();

  constructor(path: string, { importer, extVars = [], yaml, limits = {} }: EvaluateOptions) {
    this.meter = new JsonnetMeter(path, { ...defaultLimits, ...limits });
    this.yaml = yaml;
    this.#importer = importer;
    this.#extVars = new Map(extVars.map((one) => [one.name, this.variable(one, 'extvar')]));
  }

  run(program: JsonnetProgram): JsonnetValue {
    return rootOf(program).code(new JsonnetFrame(undefined, [libraryFor(this, program.path)], this));
  }

  variable({ name, value, code = false }: Variable, kind: 'extvar' | 'tla'): Lazy {
    return code ? later(this, () => this.run(parseProgram(`<${kind}:${name}>`, value))) : value;
  }

  extVar(name: string): JsonnetValue | undefined {
    const found = this.#extVars.get(name);
    return found === undefined ? undefined : force(found);
  }

  load(from: string, path: string, how: 'import' | 'importstr' | 'importbin'): JsonnetValue {
    const file = this.#find(from, path);
    if (!file) throw new JsonnetError(`nothing is found to import at ${JSON.stringify(path)}`);
    const key = `${how} ${file.path}`;
    const known = this.#values.get(key);
    if (known !== undefined) return force(known);
    const made = this.#read(file, how);
    this.#values.set(key, made);
    return force(made);
  }

  /** An error of the importer is reported with the position of that import. */
  #find(from: string, path: string): Imported | undefined {
    try {
      return this.#importer?.(from, path);
    } catch (error) {
      throw error instanceof FairleadError ? new JsonnetError(error.message) : error;
    }
  }

  #read(file: Imported, how: 'import' | 'importstr' | 'importbin'): Lazy {
    if (how === 'import') return later(this, () => this.run(file.program()));
    this.meter.step(file.bytes.length);
    return how === 'importbin'
      ? [...file.bytes]
      : new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes);
  }
}
