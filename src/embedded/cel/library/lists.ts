import { compareValues, equals } from '../compare.ts';
import type { Charge, Rows } from '../function-table.ts';
import { listWork, sizeOf } from '../meter.ts';
import {
  CelError,
  type CelValue,
  Duration,
  durationOr,
  intOr,
  ListValue,
  none,
  OptionalValue,
  Uint,
  uintOr,
} from '../value.ts';

const sortable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

const noOverload = new CelError('no such overload');

function isSorted({ items }: ListValue): CelValue {
  for (let i = 1; i < items.length; i++) {
    if ((compareValues(items[i - 1] as CelValue, items[i] as CelValue) ?? 0) > 0) return false;
  }
  return true;
}

const extreme =
  (name: string, sign: number) =>
  ({ items }: ListValue): CelValue => {
    const [first, ...rest] = items;
    if (first === undefined) return new CelError(`${name} called on empty list`);
    return rest.reduce<CelValue>(
      (best, item) => (Math.sign(compareValues(best, item) ?? 0) === sign ? item : best),
      first,
    );
  };

const sums: Readonly<Record<string, readonly [initial: CelValue, add: (a: never, b: never) => CelValue]>> = {
  int: [0n, (a: bigint, b: bigint) => intOr(a + b)],
  uint: [new Uint(0n), (a: Uint, b: Uint) => uintOr(a.value + b.value)],
  double: [0, (a: number, b: number) => a + b],
  duration: [new Duration(0n), (a: Duration, b: Duration) => durationOr(a.nanos + b.nanos)],
};

function sumRow(type: string): readonly [string, (list: ListValue) => CelValue] {
  const [initial, add] = sums[type] as readonly [CelValue, (a: CelValue, b: CelValue) => CelValue];
  const run = ({ items }: ListValue): CelValue => {
    let total = initial;
    for (const item of items) {
      if (typeof item !== typeof initial) return noOverload;
      total = add(total, item);
      if (total instanceof CelError) return total;
    }
    return total;
  };
  return [`list(${type}).() -> ${type}`, run];
}

const each = (result: (type: string) => string, run: (list: ListValue) => CelValue): Rows[string] =>
  sortable.map((type) => [`list(${type}).() -> ${result(type)}`, run] as const);

const indexIn = ({ items }: ListValue, item: CelValue): CelValue =>
  BigInt(items.findIndex((one) => equals(one, item)));
const lastIndexIn = ({ items }: ListValue, item: CelValue): CelValue =>
  BigInt(items.findLastIndex((one) => equals(one, item)));

function slice({ items }: ListValue, start: bigint, end: bigint): CelValue {
  const size = BigInt(items.length);
  if (start < 0n || end < 0n)
    return new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    return new CelError(
      `cannot slice(${start}, ${end}), start index must be less than or equal to end index`,
    );
  if (size < end) return new CelError(`cannot slice(${start}, ${end}), list is length ${size}`);
  return new ListValue(items.slice(Number(start), Number(end)));
}

function flatten(list: ListValue, depth: bigint): CelValue {
  if (depth < 0n) return new CelError('level must be non-negative');
  return new ListValue(flat(list.items, Number(depth)));
}

function flat(items: readonly CelValue[], depth: number): CelValue[] {
  return items.flatMap((item) =>
    item instanceof ListValue && depth > 0 ? flat(item.items, depth - 1) : [item],
  );
}

function distinct({ items }: ListValue): CelValue {
  const kept: CelValue[] = [];
  for (const item of items) if (!kept.some((one) => equals(one, item))) kept.push(item);
  return new ListValue(kept);
}

/** The items in the order of their keys; keys of different kinds have none. */
function sortedBy({ items }: ListValue, { items: keys }: ListValue): CelValue {
  if (keys.some((key) => typeof key !== typeof keys[0])) {
    return new CelError('list elements must have the same type');
  }
  const order = items.map((_item, index) => index);
  order.sort((a, b) => compareValues(keys[a] as CelValue, keys[b] as CelValue) ?? 0);
  return new ListValue(order.map((index) => items[index] as CelValue));
}

/** The maximal length of a constructed list; the cost limit is far below it. */
const longest = 1_000_000n;

function range(count: bigint): CelValue {
  if (count > longest) return new ListValue([], undefined);
  return new ListValue(
    Array.from({ length: Number(count < 0n ? 0n : count) }, (_none, index) => BigInt(index)),
  );
}

const contains = (a: ListValue, b: ListValue): boolean =>
  b.items.every((item) => a.items.some((one) => equals(one, item)));

const optional = (value: CelValue | undefined): CelValue =>
  value === undefined ? none : new OptionalValue(value);

/** Lists: Kubernetes' own functions, the list extension, and sets. */
export const listRows: Rows = {
  isSorted: each(() => 'bool', isSorted),
  min: each((type) => type, extreme('min', 1)),
  max: each((type) => type, extreme('max', -1)),
  sum: Object.keys(sums).map(sumRow),
  indexOf: [['list(A).(A) -> int', indexIn]],
  lastIndexOf: [['list(A).(A) -> int', lastIndexIn]],
  slice: [['list(A).(int, int) -> list(A)', slice]],
  flatten: [
    ['list(list(A)).() -> list(A)', (list: ListValue) => flatten(list, 1n)],
    ['list(dyn).(int) -> list(dyn)', flatten],
  ],
  sort: sortable.map(
    (type) => [`list(${type}).() -> list(${type})`, (list: ListValue) => sortedBy(list, list)] as const,
  ),
  '@sortByAssociatedKeys': sortable.map((type) => [`list(A).(list(${type})) -> list(A)`, sortedBy] as const),
  'lists.range': [['(int) -> list(int)', range]],
  reverse: [['list(A).() -> list(A)', ({ items }: ListValue) => new ListValue(items.toReversed())]],
  distinct: [['list(A).() -> list(A)', distinct]],
  first: [['list(A).() -> optional(A)', ({ items }: ListValue) => optional(items[0])]],
  last: [['list(A).() -> optional(A)', ({ items }: ListValue) => optional(items.at(-1))]],
  'sets.contains': [['(list(A), list(A)) -> bool', contains]],
  'sets.equivalent': [
    ['(list(A), list(A)) -> bool', (a: ListValue, b: ListValue) => contains(a, b) && contains(b, a)],
  ],
  'sets.intersects': [
    [
      '(list(A), list(A)) -> bool',
      (a: ListValue, b: ListValue) => a.items.some((item) => b.items.some((one) => equals(one, item))),
    ],
  ],
};

const isText = (value: CelValue): boolean => typeof value === 'string' || value instanceof Uint8Array;

/** One pass over all items of a list, or over all characters of a text. */
const whole: Charge = ([value]) => {
  if (!(value instanceof ListValue)) return Math.floor(sizeOf(value) * 0.1);
  return value.items.reduce<number>(
    (sum, item) => sum + (isText(item) ? Math.floor(sizeOf(item) * 0.1) : 1),
    0,
  );
};

const selfCompare: Charge = (args) => {
  const keys = args.at(-1);
  const size = sizeOf(keys);
  const isText = keys instanceof ListValue && typeof keys.items[0] === 'string';
  return listWork(size * size, isText ? 2.1 : 2);
};

const crossCompare =
  (times: number): Charge =>
  ([a, b]) =>
    Math.floor(sizeOf(a) * sizeOf(b) * times) + 1;

export const listCharges: Readonly<Record<string, Charge>> = {
  isSorted: whole,
  min: whole,
  max: whole,
  sum: whole,
  indexOf: whole,
  lastIndexOf: whole,
  slice: (_args, result) => listWork(sizeOf(result)),
  reverse: (_args, result) => listWork(sizeOf(result)),
  flatten: ([list, depth]) => listWork(sizeOf(list), typeof depth === 'bigint' ? Number(depth) : 1),
  distinct: selfCompare,
  sort: selfCompare,
  '@sortByAssociatedKeys': selfCompare,
  'lists.range': ([count]) => listWork(Math.max(0, Number(count))),
  'sets.contains': crossCompare(1),
  'sets.equivalent': crossCompare(2),
  'sets.intersects': crossCompare(1),
};
