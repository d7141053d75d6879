/**
 * Kubernetes quantities: a decimal number and a suffix from one of three families. The family survives printing,
 * the spelling does not: `1000m` is printed `1`, `1.5Gi` is printed `1536Mi`, `1e3` stays `1e3`.
 */
type Family = 'decimal' | 'binary' | 'exponent';

/** The value is units / 10^9: nothing finer than a nano exists in Kubernetes. */
type Quantity = {
  readonly units: bigint;
  readonly family: Family;
  /** The power of ten of the last digit written, when the spelling is kept (see keepsSpelling). */
  readonly kept?: { readonly text: string; readonly scale: number };
};

const nano = 10n ** 9n;
const pattern = /^([+-]?)0*(\d*)(?:\.(\d*))?([a-zA-Z]*|[eE][+-]?\d+)$/;
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const decimalSuffix = new Map(Object.entries(decimal).map(([suffix, exponent]) => [exponent, suffix]));
/** Digits an int64 surely holds; longer numbers take Kubernetes' slow path, which keeps no spelling. */
const shortNumber = 18;
/** Beyond this many digits a number is refused instead of computed. */
const furthest = 1000;

type Scale = { readonly family: Family; readonly power: number };

function scaleOf(suffix: string): Scale | undefined {
  const exponent = decimal[suffix];
  if (exponent !== undefined) return { family: 'decimal', power: exponent };
  const power = binary.indexOf(suffix);
  if (power > 0) return { family: 'binary', power };
  const written = /^[eE]([+-]?\d+)$/.exec(suffix);
  return written === null ? undefined : { family: 'exponent', power: Number(written[1]) };
}

/** Division that rounds away from zero, as Kubernetes does whenever a quantity is too fine. */
function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  if (value % by === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

function shiftUp(digits: bigint, exponent: number): bigint {
  return exponent >= 0 ? digits * 10n ** BigInt(exponent) : divideUp(digits, 10n ** BigInt(-exponent));
}

function unitsOf(digits: bigint, decimals: number, { family, power }: Scale): bigint {
  if (family !== 'binary') return shiftUp(digits, power - decimals + 9);
  const units = shiftUp(digits * 1024n ** BigInt(power), 9 - decimals);
  // compat 3.12: only binary quantities are capped, at what an int64 holds
  const largest = (2n ** 63n - 1n) * nano;
  if (units >= -largest && units <= largest) return units;
  return units < 0n ? -largest : largest;
}

/**
 * compat 3.12: a decimal number that looks canonical at a glance keeps its spelling (`1.500`, `+2`, `2e0`), even where
 * printing its value would choose another one.
 */
function keepsSpelling(digits: string, decimals: number, { family, power }: Scale): boolean {
  if (family === 'binary')
    return decimals === 0 && (BigInt(digits) & 7n) !== 0n && digits.length + power * 3 <= 14;
  const scale = power - decimals;
  if (digits.length > shortNumber || scale < -9 || scale % 3 !== 0) return false;
  return !digits.startsWith('0') && !digits.endsWith('000');
}

function parse(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const text = String(value).trim();
  const [, sign, whole = '', fraction = '', suffix = ''] = pattern.exec(text) ?? [];
  if (sign === undefined || text === '' || text.length > furthest) return undefined;
  const scale = scaleOf(suffix);
  if (scale === undefined || Math.abs(scale.power) > furthest) return undefined;
  const digits = (whole === '' ? '0' : whole) + fraction;
  const signed = BigInt(digits) * (sign === '-' ? -1n : 1n);
  const quantity = { units: unitsOf(signed, fraction.length, scale), family: scale.family };
  if (!keepsSpelling(digits, fraction.length, scale)) return quantity;
  return {
    ...quantity,
    kept: { text, scale: scale.family === 'binary' ? 0 : scale.power - fraction.length },
  };
}

function printBinary(units: bigint): string {
  let value = units / nano;
  let power = 0;
  while (value !== 0n && value % 1024n === 0n && power < binary.length - 1) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${binary[power]}`;
}

function printDecimal(units: bigint, family: Family): string {
  let value = units;
  let exponent = -9;
  while (value % 1000n === 0n) {
    value /= 1000n;
    exponent += 3;
  }
  if (family === 'exponent') return exponent === 0 ? `${value}` : `${value}e${exponent}`;
  // compat 3.12: beyond exa there is no suffix, and Kubernetes prints none
  return `${value}${decimalSuffix.get(exponent) ?? ''}`;
}

function print({ units, family, kept }: Quantity): string {
  if (kept !== undefined) return kept.text;
  if (units === 0n) return '0';
  const small = units > -1024n * nano && units < 1024n * nano;
  const isBinary = family === 'binary' && !small && units % nano === 0n;
  if (isBinary) return printBinary(units);
  return printDecimal(units, family === 'binary' ? 'decimal' : family);
}

/** True when the text (or number) reads as a Kubernetes quantity. */
export function isQuantity(value: unknown): boolean {
  return parse(value) !== undefined;
}

/** `1000m` is `1`, `1024Mi` is `1Gi`: the text Kubernetes prints for it, or the input's own text if it is no quantity. */
export function canonicalQuantity(value: unknown): string {
  const quantity = parse(value);
  return quantity === undefined ? String(value) : print(quantity);
}

/** compat 3.12: what resource lists hold, rounded up to thousandths, then printed canonically. */
export function milliQuantity(value: unknown): string {
  const quantity = parse(value);
  if (quantity === undefined) return String(value);
  if (quantity.kept !== undefined && quantity.kept.scale >= -3) return quantity.kept.text;
  const milli = nano / 1000n;
  return print({ units: divideUp(quantity.units, milli) * milli, family: quantity.family });
}

/** Negative, zero or positive, by value and across suffix families; undefined if either is no quantity. */
export function compareQuantities(a: unknown, b: unknown): number | undefined {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) return undefined;
  return left.units < right.units ? -1 : left.units > right.units ? 1 : 0;
}
