import { ExprError } from '../errors.ts';
import type { Closed, ExprRun } from '../evaluation.ts';
import { add, order, truth } from '../operators.ts';
import { ExprList, ExprMap, type ExprValue, isList, itemsOf, typeOf } from '../value.ts';

/** A list, what to do with each element, and what the call says besides. */
type Walk = {
  readonly run: ExprRun;
  readonly items: readonly ExprValue[];
  /** The predicate's value for the element at an index. */
  of(index: number, accumulated?: ExprValue): ExprValue;
  readonly hasPredicate: boolean;
  readonly extra: ExprValue | undefined;
};

const holds = (walk: Walk, index: number): boolean => truth(walk.of(index), 'a predicate');

function firstIndex(walk: Walk): number {
  return walk.items.findIndex((_item, index) => holds(walk, index));
}

function lastIndex(walk: Walk): number {
  for (let index = walk.items.length - 1; index >= 0; index -= 1) if (holds(walk, index)) return index;
  return -1;
}

const countOf = (walk: Walk): number => walk.items.filter((_item, index) => holds(walk, index)).length;

const calls: Readonly<Record<string, (walk: Walk) => ExprValue>> = {
  all: (walk) => walk.items.every((_item, index) => holds(walk, index)),
  any: (walk) => walk.items.some((_item, index) => holds(walk, index)),
  none: (walk) => !walk.items.some((_item, index) => holds(walk, index)),
  one: (walk) => countOf(walk) === 1,
  filter: (walk) =>
    made(
      walk,
      walk.items.filter((_item, index) => holds(walk, index)),
    ),
  map: (walk) =>
    made(
      walk,
      walk.items.map((_item, index) => walk.of(index)),
    ),
  find: (walk) => walk.items[firstIndex(walk)] ?? null,
  findIndex: (walk) => foundIndex(firstIndex(walk)),
  findLast: (walk) => walk.items[lastIndex(walk)] ?? null,
  findLastIndex: (walk) => foundIndex(lastIndex(walk)),
  count: (walk) => BigInt(walk.hasPredicate ? countOf(walk) : countTrue(walk)),
  sum: (walk) =>
    walk.items.reduce<ExprValue>((total, _item, index) => add(walk.run, total, walk.of(index)), 0n),
  groupBy: (walk) => grouped(walk),
  sortBy: (walk) => sorted(walk),
  reduce: (walk) => reduced(walk),
};
export const predicateNames = Object.keys(calls);

const foundIndex = (index: number): ExprValue => (index < 0 ? null : BigInt(index));

function made({ run }: Walk, items: readonly ExprValue[]): ExprList {
  run.allocate(items.length);
  return new ExprList(items);
}

const countTrue = ({ items }: Walk): number => items.filter((item) => truth(item, 'count')).length;

function grouped(walk: Walk): ExprMap {
  walk.run.allocate(walk.items.length);
  const groups = new Map<ExprValue, ExprValue[]>();
  for (const [index, item] of walk.items.entries()) {
    const key = walk.of(index);
    if (typeof key === 'object' && key !== null) throw new ExprError(`${typeOf(key)} is no key of a group`);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return new ExprMap(new Map([...groups].map(([key, items]) => [key, new ExprList(items)])), true);
}

function sorted(walk: Walk): ExprList {
  const sign = directionOf(walk.extra ?? 'asc');
  const keyed = walk.items.map((item, index) => ({ item, key: walk.of(index) }));
  walk.run.step(keyed.length * Math.ceil(Math.log2(keyed.length + 1)));
  keyed.sort((left, right) => sign * (order('sortBy', left.key, right.key) || 0));
  return made(
    walk,
    keyed.map(({ item }) => item),
  );
}

/** 1 for `asc`, -1 for `desc`. */
export function directionOf(value: ExprValue): 1 | -1 {
  if (value === 'asc') return 1;
  if (value === 'desc') return -1;
  throw new ExprError('an order is asc or desc');
}

/** Without a first value it is the first element, and the walk begins with the second. */
function reduced({ items, of, extra }: Walk): ExprValue {
  const isGiven = extra !== undefined;
  if (!isGiven && items.length === 0) throw new ExprError('reduce of an empty list needs a first value');
  let accumulated = isGiven ? extra : (items[0] ?? null);
  for (let index = isGiven ? 0 : 1; index < items.length; index += 1) accumulated = of(index, accumulated);
  return accumulated;
}

export const isPredicate = (name: string): boolean => Object.hasOwn(calls, name);

/** Walks a list with a predicate; `args` are the parts of the call: the list, the predicate, what comes after it. */
export function callPredicate(run: ExprRun, name: string, args: readonly Closed[]): ExprValue {
  const [listPart, predicate, extra] = args;
  const list = listPart?.(run) ?? null;
  const items = elementsOf(run, name, list);
  const of = (index: number, accumulated: ExprValue = null): ExprValue => {
    const item = items[index] ?? null;
    return predicate ? within(run, predicate, { item, index, accumulated }) : item;
  };
  const walk = { run, items, of, hasPredicate: predicate !== undefined, extra: extra?.(run) };
  return calls[name]?.(walk) ?? null;
}

/** A text is walked byte by byte. */
function elementsOf(run: ExprRun, name: string, list: ExprValue): readonly ExprValue[] {
  if (isList(list)) return itemsOf(list, run.numbers);
  if (typeof list !== 'string') throw new ExprError(`${name} takes a list, not ${typeOf(list)}`);
  run.allocate(list.length);
  return Array.from(new TextEncoder().encode(list), BigInt);
}

function within(run: ExprRun, predicate: Closed, scope: NonNullable<ExprRun['scope']>): ExprValue {
  const outer = run.scope;
  run.scope = scope;
  try {
    return predicate(run);
  } finally {
    run.scope = outer;
  }
}
