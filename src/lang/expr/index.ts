/**
 * expr: conditions that users write: an expression and an environment in, one value out.
 *
 * The dialect is that of Go's expr 1.17 with an environment of unknown types, which is how Argo CD reads `when`, `oncePer`
 * and the `if` of links, and Argo Rollouts (an older version of it) the conditions of an analysis. A text is split into
 * tokens (`lex`), read to a tree (`parse`) and compiled to closures (`compile`) over values with Go's types (`value`).
 *
 * Promises:
 * 1. The same results as expr 1.17.5; `testdata/` has its answers. Messages are our own.
 * 2. An int is a 64-bit integer and a float a double: `/` and `**` give floats, `%` takes ints.
 * 3. An expression reads its environment and calls the functions in it, nothing else; the clock comes from the caller.
 * 4. Every run ends: steps are counted as they are made and space before it is allocated; going over is LimitExceeded.
 * 5. The environment is not changed, and a key is never more than an own key.
 *
 * Deliberate differences:
 * - A part that has the wrong type fails when it is evaluated, not when the text is compiled: `true || 1 + "a"` is true here.
 * - `keys`, `values` and `toPairs` are in the order of the keys, where Go has none. Sorting is stable.
 * - With `isNilSafe` a member of nil is nil (compat server §6.2).
 *
 * Refuses: texts longer than 20,000 characters, more than 10,000 parts, nesting deeper than 200.
 */
export { compileExpr } from './expr.ts';
export { ExprDuration, ExprFunction, ExprTime } from './value.ts';
