/**
 * Regular expressions as Go's regexp package reads them, which is how Argo CD, Helm and Kustomize read what users
 * write. The engine is re2js; this room gives it Go's habits and a limit.
 *
 * Promises:
 *  1. A pattern is accepted or refused as Go accepts or refuses it: no look-around, no back-references, at most a
 *     thousand repeats. `testdata/go-regexp.json` holds Go's own answers.
 *  2. Matching takes time linear in the text, whatever the pattern: nothing backtracks. `cost` is the factor, so that
 *     an interpreter with a budget can charge for a match before it makes one.
 *  3. Matches are leftmost-first; an empty match directly after another match is not a match; `replace` expands
 *     `$1`, `${1}`, `${name}` and `$$` as Go's Expand does, so `$1x` means the group named `1x`.
 *  4. Offsets count UTF-16 units, as JavaScript's do; a match never begins or ends inside a surrogate pair.
 *  5. A Regex keeps nothing between calls; compiled patterns are remembered, the least used forgotten first.
 *
 * Refuses: patterns longer than 10,000 characters (LimitExceeded), patterns RE2 cannot run (InvalidSpec).
 */
export { compileRegex, cutAt, Regex, type RegexMatch } from './regex.ts';
