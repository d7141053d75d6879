import { FairleadError } from '#base/std';

type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An exact amount, `mantissa × 10^exponent`. Never finer than a nano; the format is how it wants to be printed. */
export type Quantity = {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** Set where Kubernetes prints what was written although it is not canonical, such as `1.500` or `+1`. */
  readonly text?: string;
};

/** The values that a manifest may have where a quantity is expected. */
export type QuantityLike = Quantity | string | number | bigint;

type Suffix = { format: QuantityFormat; exponent: number };
type Digits = { negative: boolean; whole: string; fraction: string; text: string };

const nano = -9;
const maxBinary = 2n ** 63n - 1n;
const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...(['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const).map((name, at): [string, Suffix] => [
    name,
    { format: 'DecimalSI', exponent: at * 3 - 9 },
  ]),
  ...(['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const).map((name, at): [string, Suffix] => [
    name,
    { format: 'BinarySI', exponent: (at + 1) * 10 },
  ]),
]);
const decimalNames: ReadonlyMap<number, string> = new Map(
  [...suffixes].filter(([, s]) => s.format === 'DecimalSI').map(([name, s]) => [s.exponent, name]),
);
const binaryNames = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const largestDecimal = 18;

const shape = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const decimalExponent = /^[eE]([-+]?[0-9]+)$/;
// only an attacker writes an exponent beyond this
const maxExponent = 2 ** 31 - 1;
const maxAddedDigits = 10_000;

/** Reads a quantity as Kubernetes does, rounding what is finer than a nano up. Throws InvalidSpec. */
export function parseQuantity(value: QuantityLike): Quantity {
  if (typeof value === 'object') return value;
  const text = String(value).trim();
  const [, sign, digits = '', fraction = '', suffixText = ''] = shape.exec(text) ?? [];
  if (sign === undefined || text === '') {
    throw invalid(text, "must be a number with an optional suffix, such as '500m', '1.5Gi' or '2e3'");
  }
  const suffix = suffixes.get(suffixText) ?? exponentSuffix(suffixText);
  if (!suffix)
    throw invalid(
      text,
      `has an unknown suffix '${suffixText}'; use one of n u m k M G T P E or Ki Mi Gi Ti Pi Ei`,
    );
  const whole = digits.replace(/^0+/, '') || '0';
  const parts = { negative: sign === '-', whole, fraction, text };
  if (isShort(parts, suffix)) return exactQuantity(parts, suffix);
  if (digits === '' && fraction === '') throw invalid(text, 'has no digits');
  return roundedQuantity(parts, suffix);
}

/** As parseQuantity, of anything a manifest may hold; undefined where Kubernetes would find no quantity. */
export function quantityOf(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}

function exponentSuffix(text: string): Suffix | undefined {
  const exponent = Number(decimalExponent.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(exponent) || Math.abs(exponent) > maxExponent) return undefined;
  return { format: 'DecimalExponent', exponent };
}

/**
 * compat: Kubernetes has a fast path for short numbers, and it shows: a number on that path that looks
 * canonical keeps its spelling, so `1.500` stays `1.500` while `1.5` becomes `1500m`.
 */
function isShort({ whole, fraction }: Digits, { format, exponent }: Suffix): boolean {
  if (format === 'BinarySI') {
    return fraction === '' && 14 - whole.length - Math.trunc((exponent * 3) / 10) >= 0;
  }
  return whole.length + fraction.length <= 18 && exponent - fraction.length >= nano;
}

function exactQuantity(digits: Digits, suffix: Suffix): Quantity {
  const shifted = digits.whole + digits.fraction;
  const value = BigInt(shifted);
  const binary = suffix.format === 'BinarySI';
  const exponent = binary ? 0 : suffix.exponent - digits.fraction.length;
  const size = binary ? value << BigInt(suffix.exponent) : value;
  const keepsText = binary
    ? (value & 7n) !== 0n
    : exponent % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  const quantity: Quantity = { mantissa: digits.negative ? -size : size, exponent, format: suffix.format };
  return keepsText ? { ...quantity, text: digits.text } : quantity;
}

function roundedQuantity({ negative, whole, fraction }: Digits, suffix: Suffix): Quantity {
  const binary = suffix.format === 'BinarySI';
  const value = BigInt(whole + fraction);
  const scaled = binary ? value << BigInt(suffix.exponent) : value;
  const exponent = (binary ? 0 : suffix.exponent) - fraction.length;
  let size = exponent < nano ? divideUp(scaled, nano - exponent) : scaled;
  let at = Math.max(exponent, nano);
  if (binary && compareSizes(size, at, maxBinary, 0) > 0) [size, at] = [maxBinary, 0];
  const fractional = binary && size > 0n && compareSizes(size, at, 1n, 0) < 0;
  return {
    mantissa: negative ? -size : size,
    exponent: at,
    format: fractional ? 'DecimalSI' : suffix.format,
  };
}

/** The text Kubernetes would store: an integer with the largest suffix that loses nothing. */
export function canonicalQuantity(value: QuantityLike): string {
  const quantity = parseQuantity(value);
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.mantissa === 0n) return '0';
  const whole = quantity.format === 'BinarySI' ? wholeBinary(quantity) : undefined;
  if (whole !== undefined) return printBinary(whole);
  return printDecimal(quantity);
}

/** The integer value when it is to be printed with a binary suffix; small and fractional ones are not. */
function wholeBinary({ mantissa, exponent }: Quantity): bigint | undefined {
  const size = abs(mantissa);
  const whole = exponent >= 0 ? size * power(exponent) : divideUp(size, -exponent);
  if (exponent < 0 && whole * power(-exponent) !== size) return undefined;
  if (whole < 1024n) return undefined;
  return mantissa < 0n ? -whole : whole;
}

function printBinary(whole: bigint): string {
  let rest = whole;
  let at = 0;
  while (rest % 1024n === 0n) {
    rest /= 1024n;
    at++;
  }
  return `${rest}${binaryNames[at] ?? ''}`;
}

function printDecimal({ mantissa, exponent, format }: Quantity): string {
  const digits = abs(mantissa).toString();
  const kept = digits.replace(/0+$/, '');
  let at = exponent + digits.length - kept.length;
  at -= ((at % 3) + 3) % 3;
  // dev: beyond E Kubernetes prints no suffix at all, which makes 1000E a 1; we keep the value
  if (format !== 'DecimalExponent') at = Math.min(at, largestDecimal);
  const sign = mantissa < 0n ? '-' : '';
  const number = sign + kept + '0'.repeat(exponent + digits.length - kept.length - at);
  if (format === 'DecimalExponent') return at === 0 ? number : `${number}e${at}`;
  return number + (decimalNames.get(at) ?? '');
}

/** Compares by value, whatever the spelling: negative, zero or positive, as sort() wants it. */
export function compareQuantities(a: QuantityLike, b: QuantityLike): -1 | 0 | 1 {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  const [signA, signB] = [sign(left.mantissa), sign(right.mantissa)];
  if (signA !== signB) return signA < signB ? -1 : 1;
  if (signA === 0) return 0;
  const order = compareSizes(abs(left.mantissa), left.exponent, abs(right.mantissa), right.exponent);
  return signA < 0 ? flip[order] : order;
}
const flip = { [-1]: 1, 0: 0, 1: -1 } as const;

/** Compares by the number of digits first, so that no exponent can make us build a huge number. */
function compareSizes(a: bigint, exponentA: number, b: bigint, exponentB: number): -1 | 0 | 1 {
  const lengthA = a === 0n ? Number.NEGATIVE_INFINITY : a.toString().length + exponentA;
  const lengthB = b === 0n ? Number.NEGATIVE_INFINITY : b.toString().length + exponentB;
  if (lengthA !== lengthB) return lengthA < lengthB ? -1 : 1;
  const base = Math.min(exponentA, exponentB);
  const [left, right] = [a * power(exponentA - base), b * power(exponentB - base)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The sum, printed in the format of `a`, or of `b` when `a` is zero. */
export function addQuantities(a: QuantityLike, b: QuantityLike): Quantity {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  if (right.mantissa === 0n) return withoutText(left);
  if (left.mantissa === 0n) return withoutText(right);
  const exponent = Math.min(left.exponent, right.exponent);
  const spread = Math.max(left.exponent, right.exponent) - exponent;
  if (spread > maxAddedDigits) {
    throw new FairleadError(
      'LimitExceeded',
      `quantities 1e${left.exponent} and 1e${right.exponent} are too far apart to add`,
    );
  }
  const mantissa =
    left.mantissa * power(left.exponent - exponent) + right.mantissa * power(right.exponent - exponent);
  return { mantissa, exponent, format: left.format };
}

/** The value in units of 10^scale, rounded away from zero: scale -3 gives milli-units. */
export function scaledValue(value: QuantityLike, scale = 0): bigint {
  const { mantissa, exponent } = parseQuantity(value);
  const size = abs(mantissa);
  if (exponent - scale > maxAddedDigits)
    throw new FairleadError('LimitExceeded', 'quantity is too large to count');
  const units = exponent >= scale ? size * power(exponent - scale) : divideUp(size, scale - exponent);
  return mantissa < 0n ? -units : units;
}

/** The quantity rounded away from zero to a multiple of 10^scale; unchanged when it already is one. */
export function roundUpQuantity(value: QuantityLike, scale: number): Quantity {
  const quantity = parseQuantity(value);
  if (quantity.exponent >= scale) return quantity;
  return { mantissa: scaledValue(quantity, scale), exponent: scale, format: quantity.format };
}

const withoutText = ({ mantissa, exponent, format }: Quantity): Quantity => ({ mantissa, exponent, format });
const abs = (value: bigint): bigint => (value < 0n ? -value : value);
const sign = (value: bigint): number => (value === 0n ? 0 : value < 0n ? -1 : 1);
const power = (exponent: number): bigint => 10n ** BigInt(exponent);

/** ceil(value / 10^places) without building a power longer than the value itself. */
function divideUp(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  if (places > value.toString().length) return 1n;
  const divisor = power(places);
  return (value + divisor - 1n) / divisor;
}

const invalid = (text: string, why: string): FairleadError =>
  new FairleadError('InvalidSpec', `quantity '${text.slice(0, 64)}' ${why}`);
