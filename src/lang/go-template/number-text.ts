/** Numbers as Go's strconv reads and writes them. */
const integer = /^([-+]?)(?:(0[xX])([0-9a-fA-F_]+)|(0[oO]?)([0-7_]+)|(0[bB])([01_]+)|([1-9][0-9_]*|0))$/;
const decimal = /^[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9][0-9_]*)?$/;
const hexFloat = /^([-+]?)0[xX]([0-9a-fA-F_]*)\.?([0-9a-fA-F_]*)[pP]([-+]?[0-9_]+)$/;
const named = /^([-+]?)(?:(inf(?:inity)?)|nan)$/i;

/** `_` stands only between digits, or between a prefix and a digit. */
const goodUnderscores = (text: string): boolean =>
  !text.includes('_') || !/(?:^[-+]?_|__|_$|_[^0-9a-fA-F]|[^0-9a-fA-FxXoObB]_)/.test(text);

/** ParseInt(text, 0, …) without a limit of size: the base is that of the prefix. Undefined when it is no integer. */
export function parseInteger(text: string): bigint | undefined {
  const found = integer.exec(text);
  if (!found || !goodUnderscores(text)) return undefined;
  const [, sign, , hex, , octal, , binary, plain] = found;
  const [prefix, digits] = hex
    ? ['0x', hex]
    : octal
      ? ['0o', octal]
      : binary
        ? ['0b', binary]
        : ['', plain ?? ''];
  const clean = digits.replaceAll('_', '');
  if (clean === '' || clean.length > 100) return undefined;
  const value = BigInt(prefix + clean);
  return sign === '-' ? -value : value;
}

/** ParseFloat of a literal. Undefined when it is none or too large. */
export function parseFloatText(text: string): number | undefined {
  if (decimal.test(text)) {
    if (!goodUnderscores(text)) return undefined;
    const value = Number(text.replaceAll('_', ''));
    return Number.isFinite(value) ? value : undefined;
  }
  const hex = hexFloat.exec(text);
  if (hex && goodUnderscores(text)) return hexValue(hex);
  const word = named.exec(text);
  if (!word) return undefined;
  if (!word[2]) return word[1] ? undefined : Number.NaN;
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function hexValue([, sign, whole = '', fraction = '', power = '']: RegExpExecArray): number | undefined {
  const digits = (whole + fraction).replaceAll('_', '');
  if (digits === '' || digits.length > 1000) return undefined;
  const places = fraction.replaceAll('_', '').length;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** (Number(power.replaceAll('_', '')) - 4 * places);
  if (!Number.isFinite(value)) return undefined;
  return sign === '-' ? -value : value;
}

/** Digits d1 d2 … of 0.d1d2… × 10^point. */
type Decimal = { digits: string; point: number };

/** The fewest digits that read back as the same double. */
function shortest(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** All digits of a double, exactly. */
function exact(value: number): Decimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const high = view.getUint32(0);
  const power = (high >>> 20) & 0x7ff;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(view.getUint32(4));
  const mantissa = power === 0 ? fraction : fraction | (1n << 52n);
  const shift = (power === 0 ? 1 : power) - 1075;
  const whole = shift >= 0 ? mantissa << BigInt(shift) : mantissa * 5n ** BigInt(-shift);
  const digits = whole.toString();
  return { digits, point: digits.length + Math.min(shift, 0) };
}

/** Keeps `count` digits, rounding half to even. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: '0', point: 0 };
  if (count >= digits.length) return { digits, point };
  const kept = BigInt(digits.slice(0, count) || '0');
  const rest = digits.slice(count);
  const half = /^50*$/.test(rest);
  const up = half ? kept % 2n === 1n : rest >= '5';
  const next = (kept + (up ? 1n : 0n)).toString().padStart(count, '0');
  if (next === '0' && count === 0) return { digits: '0', point: 0 };
  return { digits: next, point: point + next.length - count };
}

/** FormatFloat: format e, f, g, E or G; precision -1 is the shortest that reads back. */
export function formatFloat(value: number, format: string, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + formatPositive(Math.abs(value), format, precision);
}

function formatPositive(value: number, format: string, precision: number): string {
  if (format === 'b' || format === 'x' || format === 'X') return formatBinary(value, format, precision);
  const lower = format.toLowerCase();
  const number = digitsOf(value, lower, precision);
  if (lower === 'f') return plain(number, precision);
  if (lower === 'e') return scientific(number, format, precision < 0 ? number.digits.length - 1 : precision);
  return general(number, format, precision);
}

function digitsOf(value: number, format: string, precision: number): Decimal {
  if (value === 0) return { digits: '0', point: 1 };
  if (precision < 0) return shortest(value);
  const all = exact(value);
  if (format === 'f') return rounded(all, all.point + precision);
  return rounded(all, format === 'e' ? precision + 1 : Math.max(precision, 1));
}

function plain({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const places = precision < 0 ? Math.max(digits.length - point, 0) : precision;
  if (places === 0) return whole;
  const fraction = ('0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))).slice(0, places);
  return `${whole}.${fraction.padEnd(places, '0')}`;
}

function scientific({ digits, point }: Decimal, letter: string, places: number): string {
  const fraction = digits.slice(1, 1 + places).padEnd(places, '0');
  const exponent = /^0*$/.test(digits) ? 0 : point - 1;
  const power = Math.abs(exponent).toString().padStart(2, '0');
  return `${digits[0] ?? '0'}${places > 0 ? `.${fraction}` : ''}${letter}${exponent < 0 ? '-' : '+'}${power}`;
}

function general(number: Decimal, format: string, precision: number): string {
  const digits = number.digits.replace(/0+$/, '') || '0';
  const significant = precision < 0 ? digits.length : precision === 0 ? 1 : precision;
  let threshold = significant;
  if (threshold > digits.length && digits.length >= number.point) threshold = digits.length;
  if (precision < 0) threshold = 6;
  const exponent = digits === '0' ? 0 : number.point - 1;
  if (exponent < -4 || exponent >= threshold)
    return scientific({ ...number, digits }, format === 'G' ? 'E' : 'e', digits.length - 1);
  return plain({ ...number, digits }, Math.max(digits.length - number.point, 0));
}

/** Mantissa and power of two: `4503599627370496p-52`, or hexadecimal as in `0x1p+00`. */
function formatBinary(value: number, format: string, precision: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const power = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  if (format === 'b') {
    const mantissa = power === 0 ? fraction : fraction | (1n << 52n);
    const exponent = (power || 1) - 1075;
    return `${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
  }
  return hexadecimal(power, fraction, { upper: format === 'X', precision });
}

function hexadecimal(
  power: number,
  fraction: bigint,
  { upper, precision }: { upper: boolean; precision: number },
): string {
  let exponent = (power || 1) - 1023;
  let mantissa = power === 0 ? fraction : fraction | hidden;
  if (mantissa === 0n) exponent = 0;
  for (; mantissa !== 0n && mantissa < hidden; exponent--) mantissa <<= 1n;
  if (precision >= 0 && precision < 13) mantissa = roundedBits(mantissa, BigInt(4 * (13 - precision)));
  if (mantissa >= hidden << 1n) {
    mantissa >>= 1n;
    exponent += 1;
  }
  const all = (mantissa & (hidden - 1n)).toString(16).padStart(13, '0');
  const digits = precision < 0 ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0');
  const size = Math.abs(exponent).toString().padStart(2, '0');
  const text = `0x${mantissa >> 52n}${digits && `.${digits}`}p${exponent < 0 ? '-' : '+'}${size}`;
  return upper ? text.toUpperCase() : text;
}

const hidden = 1n << 52n; // the bit that a normal double does not store

/** Clears the last bits, rounding half to even. */
function roundedBits(mantissa: bigint, drop: bigint): bigint {
  const rest = mantissa & ((1n << drop) - 1n);
  const half = 1n << (drop - 1n);
  const kept = mantissa >> drop;
  return (kept + (rest > half || (rest === half && kept % 2n === 1n) ? 1n : 0n)) << drop;
}
