import { ExprError } from './errors.ts';
import type { ExprRun } from './evaluation.ts';
import { goPower } from './power.ts';
import {
  ExprDuration,
  ExprTime,
  type ExprValue,
  entriesOf,
  isList,
  isMap,
  itemsOf,
  typeOf,
} from './value.ts';

const isNumber = (value: ExprValue): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number';

const int = (value: bigint): bigint => BigInt.asIntN(64, value);

const undefinedFor = (operator: string, left: ExprValue, right: ExprValue): ExprError =>
  new ExprError(`${operator} is not defined for ${typeOf(left)} and ${typeOf(right)}`);

/** Values of different kinds are not equal, but 1 is 1.0. Lists and maps are equal by what is in them. */
export function equal(run: ExprRun, left: ExprValue, right: ExprValue): boolean {
  run.step();
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right) && sameInts(left, right);
  if (left instanceof ExprTime && right instanceof ExprTime) return left.at.unix === right.at.unix;
  if (left instanceof ExprDuration && right instanceof ExprDuration)
    return left.nanoseconds === right.nanoseconds;
  if (isList(left) && isList(right)) return equalLists(run, left, right);
  if (isMap(left) && isMap(right)) return equalMaps(run, left, right);
  return left === right;
}

const sameInts = (left: bigint | number, right: bigint | number): boolean =>
  typeof left !== 'bigint' || typeof right !== 'bigint' || left === right;

type ListValue = Parameters<typeof itemsOf>[0];
type MapValue = Parameters<typeof entriesOf>[0];

function equalLists(run: ExprRun, left: ListValue, right: ListValue): boolean {
  const [a, b] = [itemsOf(left, run.numbers), itemsOf(right, run.numbers)];
  return a.length === b.length && a.every((item, index) => equal(run, item, b[index] as ExprValue));
}

function equalMaps(run: ExprRun, left: MapValue, right: MapValue): boolean {
  const [a, b] = [entriesOf(left, run.numbers), entriesOf(right, run.numbers)];
  if (a.length !== b.length) return false;
  return a.every(([key, item], index) => {
    const [otherKey, other] = b[index] as [ExprValue, ExprValue];
    return equal(run, key, otherKey) && equal(run, item, other);
  });
}

/** Below zero, zero or above; NaN where a number is not one. Throws for values without an order. */
export function order(operator: string, left: ExprValue, right: ExprValue): number {
  if (isNumber(left) && isNumber(right)) return orderNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareBytes(left, right);
  if (left instanceof ExprTime && right instanceof ExprTime) return signOf(left.at.unix - right.at.unix);
  if (left instanceof ExprDuration && right instanceof ExprDuration)
    return signOf(left.nanoseconds - right.nanoseconds);
  throw undefinedFor(operator, left, right);
}

function orderNumbers(left: bigint | number, right: bigint | number): number {
  if (typeof left === 'bigint' && typeof right === 'bigint') return signOf(left - right);
  const [a, b] = [Number(left), Number(right)];
  if (a === b) return 0;
  return a < b ? -1 : a > b ? 1 : Number.NaN;
}

const signOf = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

/** Go compares bytes, which for UTF-8 is the order of code points; UTF-16 differs beyond the basic plane only. */
function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [Array.from(left), Array.from(right)];
  const at = a.findIndex((char, index) => char !== b[index]);
  if (at < 0) return -1;
  return (a[at]?.codePointAt(0) ?? 0) < (b[at]?.codePointAt(0) ?? -1) ? -1 : 1;
}

export function add(run: ExprRun, left: ExprValue, right: ExprValue): ExprValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') return int(left + right);
  if (isNumber(left) && isNumber(right)) return Number(left) + Number(right);
  if (typeof left === 'string' && typeof right === 'string') {
    run.allocate(left.length + right.length);
    return left + right;
  }
  if (left instanceof ExprTime && right instanceof ExprDuration) return later(left, right.nanoseconds);
  if (left instanceof ExprDuration && right instanceof ExprTime) return later(right, left.nanoseconds);
  if (left instanceof ExprDuration && right instanceof ExprDuration)
    return new ExprDuration(left.nanoseconds + right.nanoseconds);
  throw undefinedFor('+', left, right);
}

export const later = ({ at }: ExprTime, nanoseconds: bigint): ExprTime =>
  new ExprTime({ ...at, unix: at.unix + nanoseconds });

export function subtract(left: ExprValue, right: ExprValue): ExprValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') return int(left - right);
  if (isNumber(left) && isNumber(right)) return Number(left) - Number(right);
  if (left instanceof ExprTime && right instanceof ExprTime) return between(left, right);
  if (left instanceof ExprTime && right instanceof ExprDuration) return later(left, -right.nanoseconds);
  if (left instanceof ExprDuration && right instanceof ExprDuration)
    return new ExprDuration(left.nanoseconds - right.nanoseconds);
  throw undefinedFor('-', left, right);
}

const longest = 2n ** 63n - 1n;

/** Time.Sub: a distance that a ExprDuration cannot hold is the longest that it can. */
export function between(left: ExprTime, right: ExprTime): ExprDuration {
  const distance = left.at.unix - right.at.unix;
  if (distance === BigInt.asIntN(64, distance)) return new ExprDuration(distance);
  return new ExprDuration(distance > 0n ? longest : -longest - 1n);
}

export function multiply(left: ExprValue, right: ExprValue): ExprValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') return int(left * right);
  if (isNumber(left) && isNumber(right)) return Number(left) * Number(right);
  const [a, b] = [left, right].map((side) => (side instanceof ExprDuration ? side.nanoseconds : side));
  if (typeof a === 'bigint' && typeof b === 'bigint') return new ExprDuration(a * b);
  // a float beside a duration gives a float of nanoseconds
  if (isNumber(a as ExprValue) && isNumber(b as ExprValue)) return Number(a) * Number(b);
  throw undefinedFor('*', left, right);
}

/** Always a float: 5 / 2 is 2.5, and 1 / 0 is infinite. */
export function divide(left: ExprValue, right: ExprValue): number {
  if (isNumber(left) && isNumber(right)) return Number(left) / Number(right);
  throw undefinedFor('/', left, right);
}

export function modulo(left: ExprValue, right: ExprValue): bigint {
  if (typeof left !== 'bigint' || typeof right !== 'bigint') throw undefinedFor('%', left, right);
  if (right === 0n) throw new ExprError('division by zero');
  return left % right;
}

export function power(left: ExprValue, right: ExprValue): number {
  if (!isNumber(left) || !isNumber(right)) throw undefinedFor('**', left, right);
  return goPower(Number(left), Number(right));
}

export function negate(value: ExprValue): ExprValue {
  if (typeof value === 'bigint') return int(-value);
  if (typeof value === 'number') return -value;
  throw new ExprError(`- is not defined for ${typeOf(value)}`);
}

/** A whole number for an index or a size; a float is cut. */
export function toInt(value: ExprValue): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'number') throw new ExprError(`${typeOf(value)} is not a number`);
  return intOfFloat(value);
}

/** Go on amd64: what a 64-bit integer cannot hold is its smallest. */
export function intOfFloat(value: number): bigint {
  const isHeld = value >= -(2 ** 63) && value < 2 ** 63;
  return isHeld ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}

/** Only true and false decide; nothing else counts as either. */
export function truth(value: ExprValue, where: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ExprError(`${where} takes true or false, not ${typeOf(value)}`);
}
