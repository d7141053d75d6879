/**
 * Go templates: a text and data in, text out, as Go's text/template makes it with sprig's functions.
 *
 * A text is split into tokens (`lex`), read to a tree (`parse`) and executed (`evaluate`, `execute`) on values that
 * carry Go's types (`value`). A function is an entry of a table with the types of its parameters (`functions`).
 *
 * Promises:
 * 1. The same output as Go 1.26 and sprig 3.3.0, or the same error: text, place and innermost message. `testdata/`
 *    has their answers.
 * 2. Types are Go's, and nothing is converted in silence: a number of the data is a float64, a number of the template
 *    an int, and `until .n` fails as it does there. `goValue` is where data becomes Go values: every number, bigints
 *    included, is a float64, as JSON and YAML give it to Go.
 * 3. A template reads its data and calls its functions, nothing else. The clock, randomness and ciphers come from the
 *    host that the caller passes.
 * 4. Every execution ends: steps, bytes, nesting and (with a clock of the caller's) time are counted, and going over
 *    a limit is LimitExceeded, which names the limit. Bytes are counted before they are allocated.
 * 5. A compiled template keeps nothing between executions, and an execution changes no plain data of the caller.
 * 6. A key is never more than a key: maps are Maps.
 *
 * Refuses: templates of more than a million characters; blocks and parentheses nested deeper than 200.
 */
export { applicationSetFunctions, normalize, slugify } from './application-set-functions.ts';
export { fn, type TemplateFunctions } from './functions.ts';
export type { TemplateBudget } from './meter.ts';
export { formatFloat, parseFloatText, parseInteger } from './number-text.ts';
export { goDuration, goTime } from './sprig/dates.ts';
export { durationText, parseDuration } from './sprig/duration.ts';
export { formatTime } from './sprig/format-time.ts';
export { clockOf, type GoMoment, inZone, unixOf, utcMoment } from './sprig/moment.ts';
export { parseTime } from './sprig/parse-time.ts';
export { sha1 } from './sprig/sha.ts';
export { sprigFunctions } from './sprig/sprig.ts';
export { compileTemplate, type Template, type TemplateOptions } from './template.ts';
export { byteLength, byteSlice, printable } from './text.ts';
export { GoError, goValue, type TemplateHost } from './value.ts';
