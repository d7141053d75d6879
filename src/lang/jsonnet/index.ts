/**
 * Jsonnet: a program in, plain data out.
 *
 * The language and the library of go-jsonnet 0.21, which Argo CD evaluates `*.jsonnet` files with: objects
 * that inherit, lazy values, comprehensions, formats, all of `std`. A text is lexed, parsed and its names are
 * resolved once (`parseProgram`); nodes become JavaScript closures when they are first run, and stay so for
 * every later run.
 *
 * Promises:
 * 1. Accepts the programs that go-jsonnet accepts, with the same result: the tables in `testdata/` are its
 *    own results, every function of `std` among them. Numbers are doubles, as there, and their texts have the
 *    digits of `%.17g`.
 * 2. It reads nothing. Import paths are literals, so `Program.imports` names them before anything runs; the
 *    caller reads the files and passes in a synchronous importer. The caller passes in the YAML parser as
 *    well.
 * 3. Hostile programs end. Steps, nested calls, the length of strings and the size of the result are counted
 *    against `Limits`; large values are rejected before they are allocated. A JavaScript stack overflow is
 *    LimitExceeded too.
 * 4. A failure is a FairleadError with `file:line:column` of the innermost position and never quotes the
 *    parsed text.
 * 5. A name is never more than a name: `__proto__` is an ordinary field.
 *
 * Deliberate differences: two parameters of one name are rejected; `std.range(3, 1)` is empty and
 * objectRemoveKey takes objects with several layers (go-jsonnet crashes on both); a value that depends on
 * itself is reported at once instead of filling the stack; sines, powers and their kin may differ in the last
 * bit. `std.trace` prints nothing, `std.native` has no functions. Missing from `std`: `$objectFlatMerge` and
 * `$flatMapArray`, which only its own desugaring uses.
 */
export { type EvaluateOptions, evaluate, type Imported, type Importer, type Variable } from './evaluate.ts';
export type { JsonnetJson } from './manifest.ts';
export { type JsonnetProgram, parseProgram } from './program.ts';
