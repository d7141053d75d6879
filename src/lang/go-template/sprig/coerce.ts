import { text } from '../format.ts';
import { types } from '../go-type.ts';
import { parseFloatText, parseInteger } from '../number-text.ts';
import { fromBytes } from '../text.ts';
import {
  type CallContext,
  GoComplex,
  GoError,
  GoInt,
  GoList,
  GoMap,
  GoObject,
  integerOf,
  type Value,
} from '../value.ts';

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** A float as Go converts it to int64 on amd64: what does not fit is the smallest integer. */
function truncated(value: number): bigint {
  if (!Number.isFinite(value)) return minInt64;
  const whole = BigInt(Math.trunc(value));
  return whole > maxInt64 || whole < minInt64 ? minInt64 : whole;
}

/** cast.ToInt64: integers, floats, booleans and strings in Go's notation; 0 for everything else. */
export function toInt64(value: Value): bigint {
  const whole = integerOf(value);
  if (whole !== undefined)
    return value instanceof GoInt && value.type === types.duration ? 0n : BigInt.asIntN(64, whole);
  if (typeof value === 'number') return truncated(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string') return 0n;
  const parsed = parseInteger(withoutZeroDecimals(value));
  return parsed === undefined || parsed > maxInt64 || parsed < minInt64 ? 0n : parsed;
}

/** compat: `10.00` counts as 10. */
const withoutZeroDecimals = (value: string): string => value.replace(/\.0+$/, '');

/** cast.ToFloat64; 0 for what is no number. */
export function toFloat64(value: Value): number {
  const whole = integerOf(value);
  if (whole !== undefined) return value instanceof GoInt && value.type === types.duration ? 0 : Number(whole);
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' ? (parseFloatText(value) ?? 0) : 0;
}

/** sprig's text of a value: bytes are text, everything else prints as `%v`. */
export function strval(run: CallContext, value: Value): string {
  if (value instanceof GoList && value.type === types.bytes)
    return fromBytes(Uint8Array.from(value.items, (item) => Number(integerOf(item) ?? 0n)));
  return text(run, value);
}

/** sprig's list of texts: nil elements are left out, and what is no list is a list of one. */
export function strslice(run: CallContext, value: Value): readonly string[] {
  if (value === null || value === undefined) return [];
  if (!(value instanceof GoList)) return [strval(run, value)];
  const kept = value.items.filter((item) => item !== null && item !== undefined);
  return kept.map((item) => strval(run, item));
}

/** sprig's emptiness: zero, false, nil and what has no elements. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === undefined) return true;
  if (value instanceof GoList) return value.items.length === 0;
  if (value instanceof GoMap) return value.entries.size === 0;
  if (value instanceof GoInt) return value.value === 0n;
  if (value instanceof GoComplex) return value.real === 0 && value.imaginary === 0;
  return !Number.isNaN(value) && !value;
}

/** reflect.DeepEqual: types count, so 1 and 1.0 differ. */
export function deepEqual(run: CallContext, left: Value, right: Value): boolean {
  run.step();
  if (left instanceof GoList) return right instanceof GoList && equalLists(run, left, right);
  if (left instanceof GoMap) return right instanceof GoMap && equalMaps(run, left, right);
  return equalScalars(left, right);
}

function equalScalars(left: Value, right: Value): boolean {
  if (left instanceof GoInt)
    return right instanceof GoInt && left.type === right.type && left.value === right.value;
  if (left instanceof GoComplex && right instanceof GoComplex)
    return left.real === right.real && left.imaginary === right.imaginary;
  if (left instanceof GoObject && right instanceof GoObject)
    return left.type === right.type && left.text?.() === right.text?.();
  return (left ?? null) === (right ?? null);
}

function equalLists(run: CallContext, left: GoList, right: GoList): boolean {
  if (left.type !== right.type || left.isNil !== right.isNil || left.items.length !== right.items.length)
    return false;
  if (left.items === right.items && left.items.length > 0) return true;
  return left.items.every((item, at) => deepEqual(run, item, right.items[at]));
}

function equalMaps(run: CallContext, left: GoMap, right: GoMap): boolean {
  if (left.type !== right.type || left.isNil !== right.isNil || left.entries.size !== right.entries.size)
    return false;
  if (left === right) return true;
  return [...left.entries].every(
    ([key, value]) => right.entries.has(key) && deepEqual(run, value, right.entries.get(key)),
  );
}

/** An int parameter as a number; beyond what a list could have it is an error of ours. */
export function asCount(value: bigint): number {
  if (value > 2n ** 53n || value < -(2n ** 53n)) throw new GoError(`${value} is out of range`);
  return Number(value);
}
