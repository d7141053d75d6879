import { compareValues, equals, isNumber } from '../compare.ts';
import type { Charge, Rows } from '../function-table.ts';
import { comparison, sizeOf, traversal } from '../meter.ts';
import {
  CelError,
  type CelValue,
  type Duration,
  durationOr,
  intOr,
  isInt64,
  ListValue,
  MapValue,
  type ObjectValue,
  type Timestamp,
  timestampOr,
  type Uint,
  uintOr,
} from '../value.ts';

const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const numeric = ['int', 'uint', 'double'];

/** Pairs of types that an ordering operator accepts: equal ones, and numbers of different kinds. */
const comparable: string[] = [
  ...ordered.map((type) => `(${type}, ${type}) -> bool`),
  ...numeric.flatMap((a) => numeric.filter((b) => b !== a).map((b) => `(${a}, ${b}) -> bool`)),
];

const comparing = (holds: (order: number) => boolean) =>
  comparable.map(
    (signature) =>
      [
        signature,
        (a: CelValue, b: CelValue): CelValue => {
          const order = compareValues(a, b);
          if (order !== undefined) return holds(order);
          return isNumber(a)
            ? new CelError('NaN values cannot be ordered')
            : new CelError('no such overload');
        },
      ] as const,
  );

/**
 * compat cluster 3.15: adding to a set adds the missing items, adding to a keyed list replaces the items with the
 * same keys.
 */
function joined(a: ListValue, b: ListValue): ListValue {
  if (a.kind === undefined) return new ListValue([...a.items, ...b.items]);
  if (a.kind.as === 'set') {
    const missing = b.items.filter((item) => !a.items.some((one) => equals(one, item)));
    return new ListValue([...a.items, ...missing], a.kind);
  }
  const { keys } = a.kind;
  const sameKeys = (x: CelValue, y: CelValue): boolean =>
    keys.every((key) => equals(keyOf(x, key) ?? null, keyOf(y, key) ?? null));
  const replaced = a.items.map((item) => b.items.find((other) => sameKeys(item, other)) ?? item);
  const missing = b.items.filter((item) => !a.items.some((one) => sameKeys(one, item)));
  return new ListValue([...replaced, ...missing], a.kind);
}

const keyOf = (item: CelValue, key: string): CelValue | undefined =>
  item instanceof MapValue ? item.get(key) : (item as ObjectValue).fields?.get(key);

const concat = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
};

const plus: Rows[string] = [
  ['(int, int) -> int', (a: bigint, b: bigint) => intOr(a + b)],
  ['(uint, uint) -> uint', (a: Uint, b: Uint) => uintOr(a.value + b.value)],
  ['(double, double) -> double', (a: number, b: number) => a + b],
  ['(string, string) -> string', (a: string, b: string) => a + b],
  ['(bytes, bytes) -> bytes', concat],
  ['(list(A), list(A)) -> list(A)', joined],
  ['(timestamp, duration) -> timestamp', (a: Timestamp, b: Duration) => timestampOr(a.nanos + b.nanos)],
  ['(duration, timestamp) -> timestamp', (a: Duration, b: Timestamp) => timestampOr(a.nanos + b.nanos)],
  ['(duration, duration) -> duration', (a: Duration, b: Duration) => durationOr(a.nanos + b.nanos)],
];

const minus: Rows[string] = [
  ['(int, int) -> int', (a: bigint, b: bigint) => intOr(a - b)],
  ['(uint, uint) -> uint', (a: Uint, b: Uint) => uintOr(a.value - b.value)],
  ['(double, double) -> double', (a: number, b: number) => a - b],
  ['(timestamp, timestamp) -> duration', (a: Timestamp, b: Timestamp) => durationOr(a.nanos - b.nanos)],
  ['(timestamp, duration) -> timestamp', (a: Timestamp, b: Duration) => timestampOr(a.nanos - b.nanos)],
  ['(duration, duration) -> duration', (a: Duration, b: Duration) => durationOr(a.nanos - b.nanos)],
];

const byZero = new CelError('division by zero');
const modZero = new CelError('modulus by zero');

const isIn = (item: CelValue, list: ListValue): boolean => list.items.some((one) => equals(one, item));

/** The operators of the language. */
export const operatorRows: Rows = {
  '_==_': [['(A, A) -> bool', equals]],
  '_!=_': [['(A, A) -> bool', (a: CelValue, b: CelValue) => !equals(a, b)]],
  '_<_': comparing((order) => order < 0),
  '_<=_': comparing((order) => order <= 0),
  '_>_': comparing((order) => order > 0),
  '_>=_': comparing((order) => order >= 0),
  '_+_': plus,
  '_-_': minus,
  '_*_': [
    ['(int, int) -> int', (a: bigint, b: bigint) => intOr(a * b)],
    ['(uint, uint) -> uint', (a: Uint, b: Uint) => uintOr(a.value * b.value)],
    ['(double, double) -> double', (a: number, b: number) => a * b],
  ],
  '_/_': [
    ['(int, int) -> int', (a: bigint, b: bigint) => (b === 0n ? byZero : intOr(a / b))],
    ['(uint, uint) -> uint', (a: Uint, b: Uint) => (b.value === 0n ? byZero : uintOr(a.value / b.value))],
    ['(double, double) -> double', (a: number, b: number) => a / b],
  ],
  '_%_': [
    ['(int, int) -> int', remainder],
    ['(uint, uint) -> uint', (a: Uint, b: Uint) => (b.value === 0n ? modZero : uintOr(a.value % b.value))],
  ],
  '-_': [
    ['(int) -> int', (a: bigint) => intOr(-a)],
    ['(double) -> double', (a: number) => -a],
  ],
  '!_': [['(bool) -> bool', (a: boolean) => !a]],
  '_&&_': [['(bool, bool) -> bool', (a: boolean, b: boolean) => a && b]],
  '_||_': [['(bool, bool) -> bool', (a: boolean, b: boolean) => a || b]],
  '_?_:_': [['(bool, A, A) -> A', (test: boolean, a: CelValue, b: CelValue) => (test ? a : b)]],
  '@not_strictly_false': [['(bool) -> bool', (a: CelValue) => a !== false]],
  '@in': [
    ['(A, list(A)) -> bool', isIn],
    ['(A, map(A, B)) -> bool', (key: CelValue, map: MapValue) => map.get(key) !== undefined],
  ],
  '_[_]': [
    ['(list(A), int) -> A', (list: ListValue, at: bigint) => list.items[Number(at)] as CelValue],
    ['(map(A, B), A) -> B', (map: MapValue, key: CelValue) => map.get(key) as CelValue],
    ['(optional(list(A)), int) -> optional(A)', (list: CelValue) => list],
    ['(optional(map(A, B)), A) -> optional(B)', (map: CelValue) => map],
  ],
  '_[?_]': [
    ['(list(A), int) -> optional(A)', (list: CelValue) => list],
    ['(optional(list(A)), int) -> optional(A)', (list: CelValue) => list],
    ['(map(A, B), A) -> optional(B)', (map: CelValue) => map],
    ['(optional(map(A, B)), A) -> optional(B)', (map: CelValue) => map],
  ],
  size: sizes(),
  'cel.@mapInsert': [
    ['(map(A, B), A, B) -> map(A, B)', inserted],
    ['(map(A, B), map(A, B)) -> map(A, B)', insertedAll],
  ],
};

function remainder(a: bigint, b: bigint): CelValue {
  if (b === 0n) return modZero;
  // compat: the one quotient that overflows makes its remainder an overflow too
  return isInt64(a / b) ? a % b : new CelError('integer overflow');
}

function sizes(): Rows[string] {
  const size = (value: CelValue): bigint => BigInt(sizeOf(value));
  return ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => [
    [`(${type}) -> int`, size] as const,
    [`${type}.() -> int`, size] as const,
  ]);
}

/** Adds to the map in place: it is under construction and not shared. */
function inserted(map: MapValue, key: CelValue, value: CelValue): CelValue {
  const text = MapValue.from([[key, value]]);
  return insertedAll(map, text);
}

function insertedAll(map: MapValue, added: MapValue): CelValue {
  for (const [text, entry] of added.entries) {
    if (map.entries.has(text)) return new CelError(`insert failed: key ${String(entry[0])} already exists`);
    (map.entries as Map<string, readonly [CelValue, CelValue]>).set(text, entry);
  }
  return map;
}

/** compat: the real server's cost of operators, where it is more than that of any call. */
export const operatorCharges: Readonly<Record<string, Charge>> = {
  '_==_': comparison,
  '_!=_': comparison,
  '_<_': ([a, b]) => (isText(a) ? Math.min(traversal(a), traversal(b)) : 1),
  '_<=_': ([a, b]) => (isText(a) ? Math.min(traversal(a), traversal(b)) : 1),
  '_>_': ([a, b]) => (isText(a) ? Math.min(traversal(a), traversal(b)) : 1),
  '_>=_': ([a, b]) => (isText(a) ? Math.min(traversal(a), traversal(b)) : 1),
  '_+_': ([a, b]) => (isText(a) ? Math.ceil((sizeOf(a) + sizeOf(b)) * 0.1) : 1),
  '@in': ([, b]) => (b instanceof ListValue ? sizeOf(b) : 1),
};

const isText = (value: CelValue | undefined): boolean =>
  typeof value === 'string' || value instanceof Uint8Array;
