import {
  type CelValue,
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  Opaque,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from './value.ts';

/** Whether two values are equal; values of different types are not, except numbers, which are compared as numbers. */
export function equals(a: CelValue, b: CelValue): boolean {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (typeof a !== 'object' || a === null) return a === b;
  if (typeof b !== 'object' || b === null) return false;
  if (a instanceof ListValue) return b instanceof ListValue && listsEqual(a, b);
  if (a instanceof MapValue) return b instanceof MapValue && mapsEqual(a, b);
  if (a instanceof ObjectValue) return b instanceof ObjectValue && objectsEqual(a, b);
  return atomsEqual(a, b);
}

function atomsEqual(a: CelValue, b: CelValue): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareByteArrays(a, b) === 0;
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof OptionalValue) return b instanceof OptionalValue && optionalsEqual(a, b);
  return compareValues(a, b) === 0;
}

function optionalsEqual({ value: a }: OptionalValue, { value: b }: OptionalValue): boolean {
  return a === undefined || b === undefined ? a === b : equals(a, b);
}

function listsEqual(a: ListValue, b: ListValue): boolean {
  if (a.items.length !== b.items.length) return false;
  // compat cluster 3.15: lists that are sets or maps have no order
  if (a.kind) return a.items.every((item) => b.items.some((other) => equals(item, other)));
  return a.items.every((item, index) => equals(item, b.items[index] as CelValue));
}

function mapsEqual(a: MapValue, b: MapValue): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const [text, [, value]] of a.entries) {
    const other = b.entries.get(text);
    if (other === undefined || !equals(value, other[1])) return false;
  }
  return true;
}

function objectsEqual(a: ObjectValue, b: ObjectValue): boolean {
  if (a.fields.size !== b.fields.size) return false;
  for (const [name, value] of a.fields) {
    const other = b.fields.get(name);
    if (other === undefined || !equals(value, other)) return false;
  }
  return true;
}

type Numeric = bigint | number | Uint;
export const isNumber = (value: CelValue): value is Numeric =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

const plain = (value: Numeric): bigint | number => (value instanceof Uint ? value.value : value);

/** Exact across int, uint and double; NaN compares as undefined, as it is not equal to anything. */
function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const x = plain(a);
  const y = plain(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return undefined;
  // compat: an integer is converted to the nearest double to compare it with one
  const [left, right] = typeof x === typeof y ? [x, y] : [Number(x), Number(y)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareByteArrays(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** Strings in order of their code points, which is the order of their UTF-8. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codeUnitRank(x) < codeUnitRank(y) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Surrogates encode code points above all others. */
const codeUnitRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Order of two values; undefined when they have none (NaN, or kinds that are not ordered together). */
export function compareValues(a: CelValue, b: CelValue): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareByteArrays(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.nanos, b.nanos);
  return undefined;
}
