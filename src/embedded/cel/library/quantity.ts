import type { Charge, Rows } from '../function-table.ts';
import { traversal } from '../meter.ts';
import { CelError, type CelValue, isInt64, Opaque } from '../value.ts';

const binary: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

const written = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE]?)$/;
const nano = 10n ** 9n;

/** An amount, exact down to a billionth. */
class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly nanos: bigint;
  /** Stored as an integer by the real server; other amounts have no asInteger(). */
  readonly isPlain: boolean;

  constructor(nanos: bigint, isPlain = true) {
    super();
    this.nanos = nanos;
    this.isPlain = isPlain;
  }

  equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

function parse(text: string): Quantity | undefined {
  const found = written.exec(text);
  if (!found) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = found;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const size = scaled(digits, fraction.length, suffix);
  const isPlain = whole.length + fraction.length < 19 && !(fraction !== '' && suffix.endsWith('i'));
  return size === undefined ? undefined : new Quantity(sign === '-' ? -size : size, isPlain);
}

/** compat: digits below a billionth are rounded away from zero. */
function scaled(digits: bigint, fractionDigits: number, suffix: string): bigint | undefined {
  const shift = binary[suffix];
  if (shift !== undefined) return divideUp((digits << shift) * nano, 10n ** BigInt(fractionDigits));
  const isExponent = /^[eE][+-]?\d/.test(suffix);
  const exponent = isExponent ? Number(suffix.slice(1)) : (decimal[suffix] ?? 0);
  if (Math.abs(exponent) > 1000 || fractionDigits > 1000) return undefined;
  const power = exponent - fractionDigits + 9;
  return power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power));
}

const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

const wrong = new CelError(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);

const compare = (a: Quantity, b: Quantity): number => (a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0);

const integer = ({ nanos, isPlain }: Quantity): bigint | undefined => {
  const value = nanos / nano;
  return isPlain && nanos % nano === 0n && isInt64(value) ? value : undefined;
};

const sum = (a: Quantity, b: Quantity): CelValue => new Quantity(a.nanos + b.nanos);
const difference = (a: Quantity, b: Quantity): CelValue => new Quantity(a.nanos - b.nanos);
const ofInt = (value: bigint): Quantity => new Quantity(value * nano);
const type = 'kubernetes.Quantity';

export const quantityRows: Rows = {
  quantity: [[`(string) -> ${type}`, (text: string) => parse(text) ?? wrong]],
  isQuantity: [['(string) -> bool', (text: string) => parse(text) !== undefined]],
  sign: [[`(${type}) -> int`, ({ nanos }: Quantity) => (nanos < 0n ? -1n : nanos > 0n ? 1n : 0n)]],
  isGreaterThan: [[`${type}.(${type}) -> bool`, (a: Quantity, b: Quantity) => compare(a, b) > 0]],
  isLessThan: [[`${type}.(${type}) -> bool`, (a: Quantity, b: Quantity) => compare(a, b) < 0]],
  compareTo: [[`${type}.(${type}) -> int`, (a: Quantity, b: Quantity) => BigInt(compare(a, b))]],
  asApproximateFloat: [[`${type}.() -> double`, ({ nanos }: Quantity) => Number(nanos) / 1e9]],
  asInteger: [
    [
      `${type}.() -> int`,
      (value: Quantity) => integer(value) ?? new CelError('cannot convert value to integer'),
    ],
  ],
  isInteger: [[`${type}.() -> bool`, (value: Quantity) => integer(value) !== undefined]],
  add: [
    [`${type}.(${type}) -> ${type}`, sum],
    [`${type}.(int) -> ${type}`, (a: Quantity, b: bigint) => sum(a, ofInt(b))],
  ],
  sub: [
    [`${type}.(${type}) -> ${type}`, difference],
    [`${type}.(int) -> ${type}`, (a: Quantity, b: bigint) => difference(a, ofInt(b))],
  ],
};

const once: Charge = ([text]) => traversal(text);
export const quantityCharges: Readonly<Record<string, Charge>> = { quantity: once, isQuantity: once };
