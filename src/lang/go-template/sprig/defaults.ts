import { fn } from '../functions.ts';
import { type CallContext, GoError, type GoFunction, kindOf, typeOf, type Value } from '../value.ts';
import { deepEqual, isEmpty } from './coerce.ts';
import { parseGoJson, printGoJson } from './json.ts';

const compact = { html: true, indent: '' };
const pretty = { html: true, indent: '  ' };
const raw = { html: false, indent: '' };

const typeName = (value: Value): string =>
  value === null || value === undefined ? '<nil>' : typeOf(value).name;
const kindName = (value: Value): string =>
  value === null || value === undefined ? 'invalid' : kindOf(value);

/** sprig's functions for defaults, JSON and types. */
export const defaultFunctions: [string, GoFunction][] = [
  ['hello', fn('', () => 'Hello!')],
  ['default', fn('any ...any', (_run, fallback, ...given) => (isEmpty(given[0]) ? fallback : given[0]))],
  ['empty', fn('any', (_run, value) => isEmpty(value))],
  ['coalesce', fn('...any', (_run, ...values) => values.find((value) => !isEmpty(value)) ?? null)],
  ['all', fn('...any', (_run, ...values) => values.every((value) => !isEmpty(value)))],
  ['any', fn('...any', (_run, ...values) => values.some((value) => !isEmpty(value)))],
  ['ternary', fn('any any bool', (_run, yes, no, test) => (test ? yes : no))],
  [
    'fail',
    fn('string', (_run, message) => {
      throw new GoError(message);
    }),
  ],
  ['fromJson', fn('string', (run, value) => orElse(() => parseGoJson(run, value), null))],
  ['mustFromJson', fn('string', (run, value) => parseGoJson(run, value))],
  ['toJson', fn('any', (run, value) => orElse(() => printGoJson(run, value, compact), ''))],
  ['mustToJson', fn('any', (run, value) => printGoJson(run, value, compact))],
  ['toPrettyJson', fn('any', (run, value) => orElse(() => printGoJson(run, value, pretty), ''))],
  ['mustToPrettyJson', fn('any', (run, value) => printGoJson(run, value, pretty))],
  ['toRawJson', fn('any', (run, value) => printGoJson(run, value, raw))],
  ['mustToRawJson', fn('any', (run, value) => printGoJson(run, value, raw))],
  ['typeOf', fn('any', (_run, value) => typeName(value))],
  ['typeIs', fn('string any', (_run, name, value) => name === typeName(value))],
  ['typeIsLike', fn('string any', (_run, name, value) => [name, `*${name}`].includes(typeName(value)))],
  ['kindOf', fn('any', (_run, value) => kindName(value))],
  ['kindIs', fn('string any', (_run, name, value) => name === kindName(value))],
  ['deepEqual', fn('any any', (run: CallContext, left, right) => deepEqual(run, left, right))],
];

/** What sprig gives where it swallows an error. */
function orElse(work: () => Value, instead: Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof GoError) return instead;
    throw error;
  }
}
