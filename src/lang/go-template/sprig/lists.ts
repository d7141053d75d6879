import { fn } from '../functions.ts';
import { types } from '../go-type.ts';
import { type CallContext, GoError, type GoFunction, GoList, kindOf, type Value } from '../value.ts';
import { asCount, deepEqual, isEmpty, toInt64 } from './coerce.ts';

const list = (items: readonly Value[] | null): GoList => new GoList(types.anys, items);

/** The elements of a slice; sprig's message for what is none, and Go's panic for nil. */
function itemsOf(value: Value, complaint: string): readonly Value[] {
  if (value === null || value === undefined) throw nilDereference();
  if (value instanceof GoList) return value.items;
  throw new GoError(`${complaint} ${kindOf(value)}`);
}

const nilDereference = (): GoError =>
  new GoError('runtime error: invalid memory address or nil pointer dereference');

/** Each under its own name and under its must name: both report the same error. */
const twice = (name: string, call: GoFunction): [string, GoFunction][] => [
  [name, call],
  [`must${name[0]?.toUpperCase()}${name.slice(1)}`, call],
];

const push = fn('any any', (run, value, item) => {
  const items = itemsOf(value, 'Cannot push on type');
  run.alloc(items.length * 8);
  return list([...items, item]);
});

/** sprig's functions on lists. A result is a new list. */
export const listFunctions: [string, GoFunction][] = [
  ['list', fn('...any', (_run, ...items) => list(items))],
  ['tuple', fn('...any', (_run, ...items) => list(items))],
  ...twice('append', push),
  ...twice('push', push),
  ...twice(
    'prepend',
    fn('any any', (run, value, item) => {
      const items = itemsOf(value, 'Cannot prepend on type');
      run.alloc(items.length * 8);
      return list([item, ...items]);
    }),
  ),
  ...twice(
    'first',
    fn('any', (_run, value) => itemsOf(value, 'Cannot find first on type')[0] ?? null),
  ),
  ...twice(
    'last',
    fn('any', (_run, value) => itemsOf(value, 'Cannot find last on type').at(-1) ?? null),
  ),
  ...twice(
    'rest',
    fn('any', (run, value) => part(run, itemsOf(value, 'Cannot find rest on type'), 1)),
  ),
  ...twice(
    'initial',
    fn('any', (run, value) => part(run, itemsOf(value, 'Cannot find initial on type'), 0, -1)),
  ),
  ...twice(
    'reverse',
    fn('any', (_run, value) => list(itemsOf(value, 'Cannot find reverse on type').toReversed())),
  ),
  ...twice(
    'compact',
    fn('any', (_run, value) =>
      list(itemsOf(value, 'Cannot compact on type').filter((item) => !isEmpty(item))),
    ),
  ),
  ...twice(
    'uniq',
    fn('any', (run, value) => list(unique(run, itemsOf(value, 'Cannot find uniq on type')))),
  ),
  ...twice(
    'without',
    fn('any ...any', (run, value, ...omitted) =>
      list(itemsOf(value, 'Cannot find without on type').filter((item) => !includes(run, omitted, item))),
    ),
  ),
  ...twice(
    'has',
    fn('any any', (run, needle, value) =>
      value === null ? false : includes(run, itemsOf(value, 'Cannot find has on type'), needle),
    ),
  ),
  ...twice(
    'slice',
    fn('any ...any', (_run, value, ...indexes) => slice(value, indexes)),
  ),
  ...twice(
    'chunk',
    fn('int any', (run, size, value) => chunk(run, asCount(size), value)),
  ),
  ['concat', fn('...any', (run, ...values) => concat(run, values))],
];

function part(run: CallContext, items: readonly Value[], from: number, to?: number): GoList {
  run.alloc(items.length * 8);
  return items.length === 0 ? list(null) : list(items.slice(from, to));
}

const includes = (run: CallContext, items: readonly Value[], needle: Value): boolean =>
  items.some((item) => deepEqual(run, needle, item));

function unique(run: CallContext, items: readonly Value[]): Value[] {
  const kept: Value[] = [];
  for (const item of items) if (!includes(run, kept, item)) kept.push(item);
  return kept;
}

function slice(value: Value, indexes: readonly Value[]): Value {
  const items = itemsOf(value, 'list should be type of slice or array but');
  if (items.length === 0 || !(value instanceof GoList)) return null;
  const from = indexes.length > 0 ? Number(toInt64(indexes[0])) : 0;
  const to = indexes.length > 1 ? Number(toInt64(indexes[1])) : items.length;
  if (from < 0 || to < from || to > items.length)
    throw new GoError('reflect.Value.Slice: slice index out of bounds');
  return new GoList(value.type, items.slice(from, to));
}

function chunk(run: CallContext, size: number, value: Value): GoList {
  const items = itemsOf(value, 'Cannot chunk type');
  const count = Math.floor((items.length - 1) / size) + 1;
  // compat: a size of zero or less is an impossible slice in Go
  if (size < 1 && count !== 0) throw new GoError('runtime error: makeslice: len out of range');
  run.alloc(items.length * 8 + count * 32);
  const chunks: GoList[] = [];
  for (let at = 0; at < count; at++) chunks.push(list(items.slice(at * size, (at + 1) * size)));
  return new GoList(types.lists, chunks);
}

function concat(run: CallContext, values: readonly Value[]): GoList {
  const lists = values.map((value) => {
    if (value === null || value === undefined) throw nilDereference();
    if (!(value instanceof GoList)) throw new GoError(`Cannot concat type ${kindOf(value)} as list`);
    return value.items;
  });
  run.alloc(lists.reduce((sum, items) => sum + items.length * 8, 0));
  const items = lists.flat();
  return list(items.length === 0 ? null : items);
}
