/**
 * Jsonnet: a program in, plain data out.
 *
 * The language and the library of go-jsonnet 0.21, which Argo CD evaluates `*.jsonnet` files with: objects that inherit,
 * lazy values, comprehensions, formats, all of `std`. A text is lexed, parsed and its names are resolved once
 * (`parseProgram`); nodes become JavaScript closures when they are first run, and stay so for every later run.
 *
 * Promises:
 *  1. What go-jsonnet accepts we accept, with the same result: the tables in `testdata/` are its own answers, every
 *     function of `std` among them. Numbers are doubles, as there, and their texts have the digits of `%.17g`.
 *  2. It reads nothing. Import paths are literals, so `Program.imports` names them before anything runs; who calls finds
 *     the files and lends an importer that need not wait. YAML is read by a function that is lent as well.
 *  3. Hostile programs end. Steps, calls within one another, the length of strings and the size of the result are counted
 *     against `Limits`; what is large is refused before it is made. Running out of JavaScript stack is LimitExceeded too.
 *  4. A failure is a FairleadError with `file:line:column` of the innermost place and never quotes what was parsed.
 *  5. A name is never more than a name: `__proto__` is an ordinary field.
 *
 * Where it differs on purpose: two parameters of one name are refused; `std.range(3, 1)` is empty and objectRemoveKey takes
 * objects with several layers (go-jsonnet crashes on both); a value that needs itself is told at once instead of filling
 * the stack; sines, powers and their kin may differ in the last bit. `std.trace` says nothing, `std.native` has nothing.
 * Missing from `std`: `$objectFlatMerge` and `$flatMapArray`, which only its own desugaring uses.
 */
export { type EvaluateOptions, evaluate, type Imported, type Importer, type Variable } from './evaluate.ts';
export type { JsonnetJson } from './manifest.ts';
export { type JsonnetProgram, parseProgram } from './program.ts';
