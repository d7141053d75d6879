import { JqError, tooBig } from './run.ts';
import type { JsonValue } from './value.ts';

/**
 * compat gojq: integers are exact, however large; everything else is a double. Here a double with a safe
 * integer value is that integer, so only integers beyond 2^53 need a bigint.
 */
export type Numeric = number | bigint;

const maxDigits = 1_000;
const maxBits = BigInt(maxDigits) * 4n;

/** A bigint where it is needed, a number where that has the same value. */
export function normalize(value: bigint): Numeric {
  if (value <= 9007199254740991n && value >= -9007199254740991n) return Number(value);
  if (value >> maxBits !== 0n && value >> maxBits !== -1n) {
    throw tooBig(`an integer of more than ${maxDigits} digits`);
  }
  return value;
}

const isExact = (value: Numeric): boolean => typeof value === 'bigint' || Number.isSafeInteger(value);

type Operation = { double(left: number, right: number): number; exact(left: bigint, right: bigint): bigint };

const addition: Operation = { double: (left, right) => left + right, exact: (left, right) => left + right };
const difference: Operation = { double: (left, right) => left - right, exact: (left, right) => left - right };
const product: Operation = { double: (left, right) => left * right, exact: (left, right) => left * right };

function apply(operation: Operation, left: Numeric, right: Numeric): Numeric {
  if (typeof left === 'number' && typeof right === 'number') {
    const result = operation.double(left, right);
    if (Number.isSafeInteger(result)) return result + 0;
    if (!isExact(left) || !isExact(right)) return result;
  } else if (!isExact(left) || !isExact(right)) {
    return operation.double(Number(left), Number(right));
  }
  return normalize(operation.exact(BigInt(left), BigInt(right)));
}

export const add = (left: Numeric, right: Numeric): Numeric => apply(addition, left, right);
export const subtract = (left: Numeric, right: Numeric): Numeric => apply(difference, left, right);
export const multiply = (left: Numeric, right: Numeric): Numeric => apply(product, left, right);
export const negate = (value: Numeric): Numeric =>
  typeof value === 'bigint' ? normalize(-value) : 0 - value;

export function divide(left: Numeric, right: Numeric): Numeric {
  if (Number(right) === 0) throw new JqError('cannot divide by zero');
  if (typeof left === 'number' && typeof right === 'number') return left / right;
  if (isExact(left) && isExact(right) && BigInt(left) % BigInt(right) === 0n) {
    return normalize(BigInt(left) / BigInt(right));
  }
  return Number(left) / Number(right);
}

/** compat gojq: both sides are cut to 64-bit integers first; the sign is the left side's. */
export function modulo(left: Numeric, right: Numeric): Numeric {
  if (typeof left === 'bigint' && typeof right === 'bigint') return normalize(left % right);
  const divisor = integerOf(right);
  if (divisor === 0 || divisor === 0n) throw new JqError('cannot divide by zero');
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  const dividend = integerOf(left);
  if (typeof dividend === 'number' && typeof divisor === 'number') return (dividend % divisor) + 0;
  return normalize(BigInt(dividend) % BigInt(divisor));
}

const maxInt = 9223372036854775807n;
const minInt = -9223372036854775808n;

/** The integer part; beyond 64 bits the nearest that fits, for bigints the value itself. */
function integerOf(value: Numeric): Numeric {
  if (typeof value === 'bigint') return value;
  if (Number.isNaN(value)) return minInt;
  const whole = Math.trunc(value) + 0;
  if (Number.isSafeInteger(whole)) return whole;
  if (whole >= 2 ** 63) return maxInt;
  return whole < -(2 ** 63) ? minInt : BigInt(whole);
}

/** A position in a list or a text. A value too large for one is far outside any of them. */
export function positionOf(value: Numeric): number {
  if (Number.isNaN(value)) return Number.MIN_SAFE_INTEGER;
  const whole = Math.trunc(Number(value)) + 0;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, whole));
}

export const asNumber = (value: JsonValue): number | undefined =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined;

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A numeral as jq writes one, or undefined. Integers of any length keep their digits. */
export function parseNumeral(text: string): Numeric | undefined {
  if (!numeral.test(text)) return undefined;
  if (!/^[+-]?\d+$/.test(text)) return Number(text) + 0;
  const number = Number(text) + 0;
  if (Number.isSafeInteger(number)) return number;
  if (text.length > maxDigits) throw tooBig(`an integer of more than ${maxDigits} digits`);
  return normalize(BigInt(text.startsWith('+') ? text.slice(1) : text));
}
