import { GoError } from '../value.ts';

/** value × 10^exponent, as shopspring/decimal holds numbers. */
export type Decimal = { readonly value: bigint; readonly exponent: number };

const divisionDigits = 16;
const largestShift = 5000; // doubles end near 10^±324; products of many of them may go on

/** The decimal with the fewest digits that reads back as this double. */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value))
    throw new GoError(
      `Cannot create a Decimal from ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`,
    );
  if (value === 0) return { value: 0n, exponent: 0 };
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const exponent = Number(power) - fraction.length;
  const digits = BigInt(whole + fraction);
  // compat: a whole number has no positive exponent, unless it is too long for that
  return exponent > 0 && exponent < 300
    ? { value: digits * 10n ** BigInt(exponent), exponent: 0 }
    : { value: digits, exponent };
}

/** The nearest double. */
export const floatOf = ({ value, exponent }: Decimal): number => Number(`${value}e${exponent}`);

function aligned(left: Decimal, right: Decimal): [left: bigint, right: bigint, exponent: number] {
  const exponent = Math.min(left.exponent, right.exponent);
  return [
    shifted(left.value, left.exponent - exponent),
    shifted(right.value, right.exponent - exponent),
    exponent,
  ];
}

function shifted(value: bigint, places: number): bigint {
  if (places > largestShift) throw new GoError('decimal is too large');
  return value * 10n ** BigInt(places);
}

export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const [a, b, exponent] = aligned(left, right);
  return { value: a + b, exponent };
}

export function subtractDecimals(left: Decimal, right: Decimal): Decimal {
  const [a, b, exponent] = aligned(left, right);
  return { value: a - b, exponent };
}

export function multiplyDecimals(left: Decimal, right: Decimal): Decimal {
  const exponent = left.exponent + right.exponent;
  if (Math.abs(exponent) > largestShift) throw new GoError('decimal is too large');
  return { value: left.value * right.value, exponent };
}

/** Sixteen digits behind the point, the last one rounded half away from zero. */
export function divideDecimals(left: Decimal, right: Decimal): Decimal {
  if (right.value === 0n) throw new GoError('decimal division by 0');
  const places = left.exponent - right.exponent + divisionDigits;
  const numerator = places >= 0 ? shifted(left.value, places) : left.value;
  const denominator = places >= 0 ? right.value : shifted(right.value, -places);
  const quotient = numerator / denominator;
  const rest = magnitude(numerator % denominator) * 2n;
  const isNegative = numerator < 0n !== denominator < 0n;
  const up = rest >= magnitude(denominator) ? (isNegative ? -1n : 1n) : 0n;
  return { value: quotient + up, exponent: -divisionDigits };
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
