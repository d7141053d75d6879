import { ExprError } from '../errors.ts';
import type { ExprRun } from '../evaluation.ts';
import { find } from '../member.ts';
import { equal, order } from '../operators.ts';
import { ExprList, ExprMap, type ExprValue, isList, isMap, itemsOf, typeOf } from '../value.ts';
import { intArg, listArg, pairsArg } from './arguments.ts';
import type { Builtin } from './builtin.ts';
import { directionOf } from './predicates.ts';

/** A function of one list that makes another. */
const ofList = (
  name: string,
  call: (items: readonly ExprValue[], run: ExprRun) => readonly ExprValue[],
): [string, Builtin] => [
  name,
  { arity: [1], call: (run, list) => made(run, call(listArg(run, name, list), run)) },
];

function made(run: ExprRun, items: readonly ExprValue[]): ExprList {
  run.allocate(items.length);
  return new ExprList(items);
}

function lengthOf(run: ExprRun, value: ExprValue): bigint {
  if (typeof value === 'string') {
    run.step(1 + Math.floor(value.length / 64));
    return BigInt(Array.from(value).length);
  }
  if (isList(value)) return BigInt(value instanceof ExprList ? value.items.length : value.length);
  if (isMap(value)) return BigInt(value instanceof ExprMap ? value.entries.size : Object.keys(value).length);
  throw new ExprError(`len takes a string, a list or a map, not ${typeOf(value)}`);
}

/** The element at the place; nil where there is none, of whatever value. */
const at = (name: string, index: bigint): [string, Builtin] => [
  name,
  {
    arity: [1],
    call: (run, list = null) =>
      (isList(list) || typeof list === 'string' ? find(run, list, index) : null) ?? null,
  },
];

function flat(run: ExprRun, items: readonly ExprValue[], depth = 0): ExprValue[] {
  if (depth > 500) throw new ExprError('flatten: a list nests deeper than 500');
  return items.flatMap((item) => {
    run.step();
    return isList(item) ? flat(run, itemsOf(item, run.numbers), depth + 1) : [item];
  });
}

function unique(items: readonly ExprValue[], run: ExprRun): ExprValue[] {
  const kept: ExprValue[] = [];
  for (const item of items) if (!kept.some((one) => equal(run, one, item))) kept.push(item);
  return kept;
}

function pairOf(run: ExprRun, pair: ExprValue): [ExprValue, ExprValue] {
  const [key = null, value = null, ...more] = listArg(run, 'fromPairs', pair);
  if (more.length > 0 || listArg(run, 'fromPairs', pair).length !== 2)
    throw new ExprError('fromPairs takes pairs: lists of a key and a value');
  return [key, value];
}

function take(run: ExprRun, list: ExprValue, count: bigint): ExprList {
  const items = listArg(run, 'take', list);
  if (count < 0n) throw new ExprError('take takes a positive count');
  return made(run, items.slice(0, count > BigInt(items.length) ? items.length : Number(count)));
}

export const listFunctions: Readonly<Record<string, Builtin>> = Object.fromEntries<Builtin>([
  ['len', { arity: [1], call: (run, value = null) => lengthOf(run, value) }],
  ['type', { arity: [1], call: (_run, value = null) => typeOf(value) }],
  at('first', 0n),
  at('last', -1n),
  [
    'get',
    {
      arity: [2],
      call: (run, from = null, key = null) => (from === null ? null : (find(run, from, key) ?? null)),
    },
  ],
  ['take', { arity: [2], call: (run, list = null, count) => take(run, list, intArg('take', count)) }],
  [
    'keys',
    {
      arity: [1],
      call: (run, map) =>
        made(
          run,
          pairsArg(run, 'keys', map).map(([key]) => key),
        ),
    },
  ],
  [
    'values',
    {
      arity: [1],
      call: (run, map) =>
        made(
          run,
          pairsArg(run, 'values', map).map(([, item]) => item),
        ),
    },
  ],
  [
    'toPairs',
    {
      arity: [1],
      call: (run, map) =>
        made(
          run,
          pairsArg(run, 'toPairs', map).map((pair) => new ExprList(pair)),
        ),
    },
  ],
  [
    'fromPairs',
    {
      arity: [1],
      call: (run, list) =>
        new ExprMap(new Map(listArg(run, 'fromPairs', list).map((pair) => pairOf(run, pair))), true),
    },
  ],
  ofList('reverse', (items) => items.toReversed()),
  ofList('uniq', unique),
  ofList('flatten', (items, run) => flat(run, items)),
  [
    'concat',
    {
      arity: [1, 1000],
      call: (run, ...lists) =>
        made(
          run,
          lists.flatMap((list) => listArg(run, 'concat', list)),
        ),
    },
  ],
  [
    'sort',
    {
      arity: [1, 2],
      call: (run, list, direction = 'asc') => {
        const sign = directionOf(direction);
        // nil is sorted as an empty list
        const items = list === null ? [] : listArg(run, 'sort', list);
        run.step(items.length * Math.ceil(Math.log2(items.length + 1)));
        return made(
          run,
          items.toSorted((left, right) => sign * (order('sort', left, right) || 0)),
        );
      },
    },
  ],
]);
