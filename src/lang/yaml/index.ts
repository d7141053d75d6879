/**
 * YAML: text in, plain data out, and back.
 *
 * js-yaml finds the structure of a text; everything that gives it meaning is decided here, after the two Go libraries
 * whose reading Kubernetes has made law. `v2` is go-yaml v2 as sigs.k8s.io/yaml uses it: Kubernetes, Helm, directories
 * of manifests. `v3` is go-yaml v3 as Kustomize uses it. They differ:
 *
 *                        v2                        v3
 *   y, yes, on, off      booleans                  strings
 *   2001-01-01           the string as written     "2001-01-01T00:00:00Z"
 *   the key `y:`         "true" (the value's text) "y" (as written)
 *   a repeated key       the last one wins         an error
 *   `<<` below a key     overrides it              does not
 *
 * Promises:
 *  1. Results are plain data: objects, arrays, strings, booleans, null, numbers, and bigint for the integers that
 *     a double cannot hold. No two places share an object, whatever aliases the text used.
 *  2. What a peer accepts, we accept, with the same result: the expectations in `testdata/` are Go's own answers.
 *     Where a peer drops text in silence (a second half of a mapping that is indented less) we report it.
 *  3. A key is never more than a key: `__proto__` becomes an own field and touches no prototype.
 *  4. Hostile text ends in LimitExceeded or a positioned RenderFailed within a second and a few hundred megabytes:
 *     bytes, documents, depth, aliases and expanded nodes are all counted, the last two before they are expanded.
 *  5. Errors name document, line and column, and never quote values: the text may be a Secret.
 *  6. Both dialects read `print(value)` back as `value`, and so does go-yaml. Negative zero prints as 0, as in JSON;
 *     a bigint that a double could hold comes back as a number.
 *  7. Line numbers are those of the whole stream.
 *  8. `layoutsOf` says where each field stands, and an edit made from it changes that field and no other byte: comments,
 *     quoting and order stay as they are.
 *
 * Refuses: NaN and infinities, keys that are null or collections, documents that contain themselves. A parsed value
 * has neither comments nor quoting, and no order among keys that look like array indexes (JavaScript does not).
 */
export type { Dialect } from './dialect.ts';
export { applyEdits, setScalar, type YamlEdit } from './edit.ts';
export { setValue } from './edit-block.ts';
export { compareKeys } from './key-order.ts';
export { layoutsOf, type YamlLayout } from './layout.ts';
export type { YamlLimits } from './limits.ts';
export { parse, parseAll, readDocuments } from './parse.ts';
export { print, printAll } from './print.ts';
