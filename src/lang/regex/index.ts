/**
 * Regular expressions as Go's regexp package reads them, which is how Argo CD, Helm and Kustomize read users'
 * patterns. The engine is re2js; this room adds Go's behaviour and a limit.
 *
 * Promises:
 * 1. A pattern is accepted or rejected as Go accepts or rejects it: no look-around, no back-references, at
 *    most a thousand repeats. `testdata/go-regexp.json` has Go's own results.
 * 2. Matching takes time linear in the text, whatever the pattern: nothing backtracks. `cost` is the factor,
 *    so that an interpreter with a budget can charge for a match before it makes one.
 * 3. Matches are leftmost-first; an empty match directly after another match is not a match; `replace`
 *    expands `$1`, `${1}`, `${name}` and `$$` as Go's Expand does, so `$1x` means the group named `1x`.
 * 4. Offsets count UTF-16 units, as JavaScript's do; a match never begins or ends inside a surrogate pair.
 * 5. A Regex keeps nothing between calls; compiled patterns are cached, the least recently used evicted
 *    first.
 *
 * Rejects: patterns longer than 10,000 characters (LimitExceeded), patterns RE2 cannot run (InvalidSpec).
 */
export { compileRegex, cutAt, Regex, type RegexMatch } from './regex.ts';
