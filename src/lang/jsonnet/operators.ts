import { charAt, compareText, lengthOf, sliceOf } from './code-points.ts';
import { JsonnetError } from './fault.ts';
import { format } from './format.ts';
import { textOf, visibleNames } from './print-json.ts';
import type { BinaryOperator, UnaryOperator } from './syntax.ts';
import { Fn, force, isList, type JsonnetValue, type Lazy, type List, Obj, typeOf, type Vm } from './value.ts';

type Binary = (a: JsonnetValue, b: JsonnetValue, vm: Vm) => JsonnetValue;

/** A number as the language has it: neither infinite nor none. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new JsonnetError(
    Number.isNaN(value) ? 'the result is not a number' : 'the result is too large for a number',
  );
}

function numberOf(value: JsonnetValue): number {
  if (typeof value === 'number') return value;
  throw new JsonnetError(`expected a number, got ${typeOf(value)}`);
}

function plus(a: JsonnetValue, b: JsonnetValue, vm: Vm): JsonnetValue {
  if (typeof a === 'number' && typeof b === 'number') return finite(a + b);
  if (typeof a === 'string' || typeof b === 'string') return concatenated(textOf(vm, a), textOf(vm, b), vm);
  if (a instanceof Obj && b instanceof Obj) {
    vm.meter.step(a.layers.length + b.layers.length);
    return new Obj([...a.layers, ...b.layers]);
  }
  if (isList(a) && isList(b)) {
    vm.meter.step(a.length + b.length);
    return [...a, ...b];
  }
  throw new JsonnetError(`+ does not take ${typeOf(a)} and ${typeOf(b)}`);
}

function concatenated(a: string, b: string, vm: Vm): string {
  vm.meter.joined(a.length + b.length);
  return a + b;
}

const arithmetic =
  (operate: (a: number, b: number) => number): Binary =>
  (a, b) =>
    finite(operate(numberOf(a), numberOf(b)));

function divided(a: number, b: number): number {
  if (b === 0) throw new JsonnetError('a number is divided by zero');
  return a / b;
}

/** The rest of a division, with the sign of the first number. */
export function modulo(a: number, b: number): number {
  if (b === 0) throw new JsonnetError('a number is divided by zero');
  return a % b;
}

const ordered =
  (holds: (order: number) => boolean): Binary =>
  (a, b) =>
    holds(compare(a, b));

/** Bits are those of 64-bit integers. */
const bitwise =
  (operate: (a: bigint, b: bigint) => bigint): Binary =>
  (a, b) =>
    Number(BigInt.asIntN(64, operate(bits(a), bits(b))));

const shifted =
  (operate: (a: bigint, by: bigint) => bigint): Binary =>
  (a, b, vm) => {
    if (numberOf(b) < 0) throw new JsonnetError('a number cannot be shifted by a negative count');
    return bitwise((x, by) => operate(x, by % 64n))(a, b, vm);
  };

function bits(value: JsonnetValue): bigint {
  const number = numberOf(value);
  if (Math.abs(number) > 2 ** 63) throw new JsonnetError('a number is too large for operations on bits');
  const whole = BigInt(Math.trunc(number));
  return whole === 2n ** 63n ? whole - 1n : whole;
}

export const binaryOperators: Record<Exclude<BinaryOperator, '&&' | '||'>, Binary> = {
  '+': plus,
  '-': arithmetic((a, b) => a - b),
  '*': arithmetic((a, b) => a * b),
  '/': arithmetic(divided),
  '%': (a, b, vm) => {
    if (typeof a === 'string') return format(vm, a, b);
    return finite(modulo(numberOf(a), numberOf(b)));
  },
  '<<': shifted((a, by) => a << by),
  '>>': shifted((a, by) => a >> by),
  '<': ordered((order) => order < 0),
  '>': ordered((order) => order > 0),
  '<=': ordered((order) => order <= 0),
  '>=': ordered((order) => order >= 0),
  in: (a, b) => {
    if (typeof a !== 'string')
      throw new JsonnetError(`the name of a field must be a string, got ${typeOf(a)}`);
    if (!(b instanceof Obj)) throw new JsonnetError(`in looks into an object, got ${typeOf(b)}`);
    return b.has(a);
  },
  '==': (a, b, vm) => isEqual(vm, a, b),
  '!=': (a, b, vm) => !isEqual(vm, a, b),
  '&': bitwise((a, b) => a & b),
  '^': bitwise((a, b) => a ^ b),
  '|': bitwise((a, b) => a | b),
};

export const unaryOperators: Record<UnaryOperator, (value: JsonnetValue) => JsonnetValue> = {
  '+': numberOf,
  '-': (value) => -numberOf(value),
  '~': (value) => Number(~bits(value)),
  '!': (value) => {
    if (typeof value !== 'boolean') throw new JsonnetError(`! takes true or false, got ${typeOf(value)}`);
    return !value;
  },
};

/** Below, equal or above zero. Numbers, strings and arrays of these have an order. */
export function compare(a: JsonnetValue, b: JsonnetValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (isList(a) && isList(b)) return compareLists(a, b);
  throw new JsonnetError(`${typeOf(a)} and ${typeOf(b)} have no order`);
}

function compareLists(a: List, b: List): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compare(force(a[i] as JsonnetValue), force(b[i] as JsonnetValue));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Equality of what would be shown: hidden fields do not count. Functions cannot be compared. */
export function isEqual(vm: Vm, a: JsonnetValue, b: JsonnetValue): boolean {
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return false;
    vm.meter.step(a.length);
    return a.every((item, i) => isEqual(vm, force(item), force(b[i] as JsonnetValue)));
  }
  if (a instanceof Obj && b instanceof Obj) return isSameObject(vm, a, b);
  if (a instanceof Fn && b instanceof Fn) throw new JsonnetError('functions cannot be compared');
  return a === b;
}

function isSameObject(vm: Vm, a: Obj, b: Obj): boolean {
  const names = visibleNames(a);
  const others = visibleNames(b);
  if (names.length !== others.length || names.some((name, i) => name !== others[i])) return false;
  a.check();
  b.check();
  vm.meter.step(names.length);
  return names.every((name) => isEqual(vm, a.get(name) ?? null, b.get(name) ?? null));
}

/** A field of an object, an item of an array or a character of a string. */
export function indexed(target: JsonnetValue, index: JsonnetValue): JsonnetValue {
  if (target instanceof Obj) return objectField(target, index);
  if (!isList(target) && typeof target !== 'string') {
    throw new JsonnetError(`a value of type ${typeOf(target)} has no fields or items`);
  }
  if (typeof index !== 'number') throw new JsonnetError(`an index must be a number, got ${typeOf(index)}`);
  const at = Math.trunc(index); // compat sources JSN-4
  const found = typeof target === 'string' ? charAt(target, at) : target[at];
  if (found !== undefined) return force(found);
  const length = typeof target === 'string' ? lengthOf(target) : target.length;
  throw new JsonnetError(`index ${index} is out of bounds: there are ${length}`);
}

function objectField(target: Obj, index: JsonnetValue): JsonnetValue {
  if (typeof index !== 'string')
    throw new JsonnetError(`the name of a field must be a string, got ${typeOf(index)}`);
  target.check();
  const value = target.get(index);
  if (value === undefined) throw new JsonnetError(`field ${JSON.stringify(index)} does not exist`);
  return value;
}

type Bounds = readonly [from: JsonnetValue, to: JsonnetValue, step: JsonnetValue];

/** compat sources JSN-4: the slice `target[from:to:step]`; a bound below zero counts from the end. */
export function sliced(vm: Vm, target: JsonnetValue, [from, to, step]: Bounds): JsonnetValue {
  if (!isList(target) && typeof target !== 'string') {
    throw new JsonnetError(`only arrays and strings can be sliced, got ${typeOf(target)}`);
  }
  const length = typeof target === 'string' ? lengthOf(target) : target.length;
  const by = step === null ? 1 : integer(step);
  if (by <= 0) throw new JsonnetError(`the step of a slice must be above zero, got ${by}`);
  const start = from === null ? 0 : bound(integer(from), length);
  const end = to === null ? length : bound(integer(to), length);
  vm.meter.step(Math.max(0, end - start));
  if (by !== 1) return everySo(target, start, end, by);
  return typeof target === 'string' ? sliceOf(target, start, end) : target.slice(start, end);
}

function everySo(target: string | List, start: number, end: number, by: number): JsonnetValue {
  const items: Lazy[] = [];
  for (let i = start; i < end; i += by) {
    items.push((typeof target === 'string' ? charAt(target, i) : target[i]) as Lazy);
  }
  return typeof target === 'string' ? items.join('') : items;
}

const bound = (index: number, length: number): number =>
  index < 0 ? Math.max(0, length + index) : Math.min(index, length);

function integer(value: JsonnetValue): number {
  if (typeof value === 'number') return Math.trunc(value); // compat sources JSN-4
  throw new JsonnetError(`the bounds of a slice must be numbers, got ${typeOf(value)}`);
}
