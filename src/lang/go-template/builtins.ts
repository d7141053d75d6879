import { preparedFor } from './call.ts';
import { equalBasic, lessThan } from './compare.ts';
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts';
import { sprint, text } from './format.ts';
import { fn, type TemplateFunctions } from './functions.ts';
import { types } from './go-type.ts';
import { sprintf } from './printf.ts';
import { byteLength, byteSlice, rejoined, toBytes } from './text.ts';
import {
  type CallContext,
  GoError,
  GoInt,
  GoList,
  GoMap,
  GoObject,
  integerOf,
  isTrue,
  typeOf,
  type Value,
  zeroOf,
} from './value.ts';

/** The functions that every template has (compat sources HT-10). `and`, `or` and `call` are done where calls are. */
export const builtins: TemplateFunctions = new Map([
  ['and', fn('raw ...raw', (_run, first) => first)],
  ['or', fn('raw ...raw', (_run, first) => first)],
  ['call', fn('raw ...raw', (_run, first) => first)],
  ['not', fn('raw', (_run, value) => !isTrue(value))],
  ['len', fn('raw', (_run, value) => BigInt(lengthOf(value)))],
  ['index', fn('raw ...raw', (_run, item, ...indexes) => indexed(item, indexes))],
  ['slice', fn('raw ...raw', (_run, item, ...indexes) => sliced(item, indexes))],
  ['print', fn('...any', (run, ...args) => sprint(run, args))],
  ['printf', fn('string ...any', (run, format, ...args) => sprintf(run, format, args))],
  ['println', fn('...any', (run, ...args) => `${rejoined(args.map((arg) => text(run, arg)).join(' '))}\n`)],
  ['html', fn('...any', (run, ...args) => escapeHtml(joined(run, args)))],
  ['js', fn('...any', (run, ...args) => escapeJs(joined(run, args)))],
  ['urlquery', fn('...any', (run, ...args) => escapeQuery(joined(run, args)))],
  ['eq', fn('raw ...raw', (run, left, ...rights) => isEqual(run, left, rights))],
  ['ne', fn('raw raw', (run, left, right) => !isEqual(run, left, [right]))],
  ['lt', fn('raw raw', (_run, left, right) => lessThan(left, right))],
  ['le', fn('raw raw', (run, left, right) => lessThan(left, right) || isEqual(run, left, [right]))],
  ['gt', fn('raw raw', (run, left, right) => !(lessThan(left, right) || isEqual(run, left, [right])))],
  ['ge', fn('raw raw', (_run, left, right) => !lessThan(left, right))],
]);

/** compat: like Sprint, but an absent value prints as one does in a template. */
const joined = (run: CallContext, args: readonly Value[]): string =>
  sprint(
    run,
    args.map((arg) => (arg === null || arg === undefined ? '<no value>' : arg)),
  );

function isEqual(run: CallContext, left: Value, rights: readonly Value[]): boolean {
  if (rights.length === 0) throw new GoError('missing argument for comparison');
  return rights.some((right) => equalBasic(run, left ?? undefined, right ?? undefined));
}

function lengthOf(value: Value): number {
  if (value === null) throw new GoError('len of nil pointer');
  if (value === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  if (typeof value === 'string') return byteLength(value);
  if (value instanceof GoList) return value.items.length;
  if (value instanceof GoMap) return value.entries.size;
  throw new GoError(`len of type ${nameOf(value)}`);
}

/** The type of what a pointer points to. */
const nameOf = (value: Exclude<Value, undefined>): string =>
  value instanceof GoObject ? value.type.name.replace(/^\*/, '') : typeOf(value).name;

function indexed(item: Value, indexes: readonly Value[]): Value {
  if (item === null || item === undefined) throw new GoError('index of untyped nil');
  let value: Value = item;
  for (const index of indexes) {
    if (value === null || value === undefined) throw new GoError('index of nil pointer');
    value = indexedOnce(value, index ?? undefined);
  }
  return value;
}

function indexedOnce(item: Exclude<Value, undefined | null>, index: Value): Value {
  if (item instanceof GoMap) {
    const key = preparedFor(index, types.string);
    return typeof key === 'string' && item.entries.has(key)
      ? item.entries.get(key)
      : zeroOf(item.type.elem ?? types.any);
  }
  if (item instanceof GoList) {
    const at = position(index, item.items.length);
    if (at === item.items.length) throw new GoError('reflect: slice index out of range');
    return item.items[at];
  }
  if (typeof item !== 'string') throw new GoError(`can't index item of type ${nameOf(item)}`);
  const bytes = toBytes(item);
  const at = position(index, bytes.length);
  if (at === bytes.length) throw new GoError('reflect: string index out of range');
  return new GoInt(types.uint8, BigInt(bytes[at] ?? 0));
}

function position(index: Value, capacity: number): number {
  if (index === undefined) throw new GoError('cannot index slice/array with nil');
  const at = integerOf(index);
  if (at === undefined)
    throw new GoError(
      `cannot index slice/array with type ${index === null ? 'interface {}' : typeOf(index).name}`,
    );
  const signed = BigInt.asIntN(64, at);
  if (signed < 0n || signed > BigInt(capacity)) throw new GoError(`index out of range: ${signed}`);
  return Number(at);
}

function sliced(item: Value, indexes: readonly Value[]): Value {
  if (item === null || item === undefined) throw new GoError('slice of untyped nil');
  if (indexes.length > 3) throw new GoError(`too many slice indexes: ${indexes.length}`);
  if (typeof item === 'string' && indexes.length === 3) throw new GoError('cannot 3-index slice a string');
  if (typeof item !== 'string' && !(item instanceof GoList))
    throw new GoError(`can't slice item of type ${nameOf(item)}`);
  const length = typeof item === 'string' ? byteLength(item) : item.items.length;
  const [from = 0, to = length, end = to] = indexes.map((index) => position(index, length));
  if (from > to) throw new GoError(`invalid slice index: ${from} > ${to}`);
  if (to > end) throw new GoError(`invalid slice index: ${to} > ${end}`);
  return typeof item === 'string'
    ? byteSlice(item, from, to)
    : new GoList(item.type, item.items.slice(from, to));
}
