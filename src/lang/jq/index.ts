/**
 * jq: an expression and a JSON value in, JSON values out, lazily.
 *
 * The dialect is gojq's, because gojq is what Argo CD runs for `jqPathExpressions`. A text is parsed to a
 * tree (`parse`), the tree is compiled to filters (`compile`), and a filter maps one position to any number
 * of positions. A position is a value and, in path mode, the trail that led to it; so every filter can be
 * evaluated for values or for paths, and `del`, `path` and the assignments work on whatever a filter can
 * reach.
 *
 * Promises:
 * 1. The same results as gojq 0.12.17: values, their order, and whether there is an error. `testdata/` has
 *    its results for 1,763 expressions and for a sample of 30,000 random ones. Messages are our own.
 * 2. Inputs are never changed. A result shares with the input everything that lies beside the changed paths,
 *    so `del` costs the spine and not the object. Treat inputs and results as read-only.
 * 3. Integers are exact, however large; beyond 2^53 they are bigints, as in '#base/std'.
 * 4. Every evaluation ends: work is counted as it is done and space before it is allocated, and exceeding
 *    either limit is LimitExceeded. That takes about a tenth of a second by default. Neither input nor
 *    expression can exhaust the stack.
 * 5. An expression reads its input and nothing else: no files, no environment, no clock, no time zone, no
 *    other inputs. The same input gives the same results always.
 * 6. Errors name types and positions in the expression and never quote a value: it may be part of a Secret.
 * 7. A key is never more than a key: `__proto__` is an own field like any other.
 *
 * Deliberate differences from gojq:
 * - Deleting inside `null` leaves null. gojq makes it an empty object or array, which then may not fit the
 *   next path; Argo CD writes that object as null again.
 * - `?//` does not catch a `break`, and variables of the patterns not used are null rather than what they
 *   were before.
 * - A longer array assigned to a slice moves what follows it; gojq sometimes overwrites it.
 * - nan and infinities inside a result are an error, as they are where Argo CD writes JSON; gojq alone prints
 *   them.
 * - There is no negative zero, and no difference between `1` and `1.0`.
 * - `now`, `modulemeta`, gamma, error and Bessel functions fail where they are used; `localtime` is UTC;
 *   `strftime` and `strptime` support the common directives, without widths and weeks of the year. `module`
 *   headers are rejected.
 *
 * Rejects: expressions longer than 20,000 characters or nested 500 deep, chains of more than 2,000 links, integers of more than 1,000 digits.
 */
export { compileJq, Jq } from './jq.ts';
export type { JsonValue } from './value.ts';
